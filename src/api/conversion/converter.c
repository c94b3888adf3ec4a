/* SPDX-License-Identifier: Apache-2.0 */
/* converter.c -- from spec.conversion to the endpoint. */
#include "api/conversion/converter.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

static void converter_unref(void *arg)
{
    lw_converter *converter = arg;
    if (!lw_ref_dec(&converter->refs))
        return;
    if (converter->endpoint)
        converter->caller->close(converter->caller->arg, converter->endpoint);
    lw_conversion_cache_done(&converter->cache);
    lw_free(converter->error);
    lw_free(converter);
}

static lw_status open(lw_converter *converter, const lw_node *webhook)
{
    converter->version =
        lw_hook_version_of(lw_node_get(webhook, LW_STR("conversionReviewVersions")));
    if (converter->caller)
        return lw_hook_endpoint_open(converter->caller,
                                     lw_node_get(webhook, LW_STR("clientConfig")),
                                     &converter->endpoint, &converter->error);
    converter->error = lw_str_dup(LW_STR("this server does not call webhooks"));
    return converter->error ? LW_OK : LW_ERR_NOMEM;
}

/* Views of |definition|; empty: not there. */
static lw_str member_of(const lw_definition *definition, const char *path)
{
    lw_str json;
    return lw_object_raw(lw_definition_object(definition), path, &json) == LW_OK ? json
                                                                                 : LW_STR("");
}

static bool has_same_spec(const lw_definition *a, const lw_definition *b)
{
    lw_str generation = member_of(a, "/metadata/generation");
    return generation.len > 0 && lw_str_equal(lw_definition_uid(a), lw_definition_uid(b)) &&
           lw_str_equal(generation, member_of(b, "/metadata/generation"));
}

lw_status lw_converter_attach(lw_definition *definition, const lw_definition *before,
                              const lw_hook_caller *caller, lw_conversion_metrics *metrics)
{
    lw_tree *tree = NULL;
    if (!lw_definition_has_webhook(definition) || lw_definition_converter(definition))
        return LW_OK;
    lw_converter *shared = before ? lw_definition_converter(before) : NULL;
    if (shared && has_same_spec(before, definition)) {
        lw_ref_inc(&shared->refs);
        lw_definition_set_converter(definition, shared, converter_unref);
        return LW_OK;
    }
    lw_converter *converter = lw_alloc_zero(1, sizeof(*converter));
    if (!converter)
        return LW_ERR_NOMEM;
    lw_ref_init(&converter->refs);
    converter->caller = caller;
    converter->metrics = metrics;
    lw_conversion_cache_init(&converter->cache, LW_CONVERSION_CACHE_BYTES);
    lw_status st = lw_tree_parse(&tree, lw_object_json(lw_definition_object(definition)), 0, NULL);
    if (st == LW_OK)
        st = open(converter, lw_fields_find(lw_tree_root(tree), "/spec/conversion/webhook"));
    lw_tree_free(tree);
    if (st < 0)
        converter_unref(converter);
    else
        lw_definition_set_converter(definition, converter, converter_unref);
    return st;
}
