/* SPDX-License-Identifier: Apache-2.0 */
/* converter.c -- from spec.conversion to the endpoint. */
#include "api/conversion/converter.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

static void converter_free(void *arg)
{
    lw_converter *converter = arg;
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

lw_status lw_converter_attach(lw_definition *definition, const lw_hook_caller *caller,
                              lw_conversion_metrics *metrics)
{
    lw_tree *tree = NULL;
    if (!lw_definition_has_webhook(definition) || lw_definition_converter(definition))
        return LW_OK;
    lw_converter *converter = lw_alloc_zero(1, sizeof(*converter));
    if (!converter)
        return LW_ERR_NOMEM;
    converter->caller = caller;
    converter->metrics = metrics;
    lw_conversion_cache_init(&converter->cache, LW_CONVERSION_CACHE_BYTES);
    lw_status st = lw_tree_parse(&tree, lw_object_json(lw_definition_object(definition)), 0, NULL);
    if (st == LW_OK)
        st = open(converter, lw_fields_find(lw_tree_root(tree), "/spec/conversion/webhook"));
    lw_tree_free(tree);
    if (st < 0)
        converter_free(converter);
    else
        lw_definition_set_converter(definition, converter, converter_free);
    return st;
}
