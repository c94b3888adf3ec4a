/* SPDX-License-Identifier: Apache-2.0 */
/* hook.c -- compiles webhook configurations. */
#include "api/webhooks/hook.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/fields.h"

enum {
    TIMEOUT_DEFAULT_S = 10,
    HTTPS_PORT = 443,
    WHY_MAX = 64 * 1024,
    SELECTOR_MAX = 1024 * 1024,
};

/* Says why the webhook cannot be called; the first reason counts. */
static lw_status set_error(lw_hook *hook, lw_str why)
{
    if (!hook->error)
        hook->error = lw_str_dup(why);
    return hook->error ? LW_OK : LW_ERR_NOMEM;
}

static lw_hook_version version_of(const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str text = lw_node_text(lw_node_at(list, i));
        if (lw_str_equal(text, LW_STR("v1")))
            return LW_HOOK_V1;
        if (lw_str_equal(text, LW_STR("v1beta1")))
            return LW_HOOK_V1BETA1;
    }
    return LW_HOOK_VERSION_NONE;
}

static lw_status read_selector(lw_hook *hook, const lw_node *from, lw_label_selector **out)
{
    lw_buf json;
    lw_json_writer w;
    lw_error why = LW_ERROR_INIT;
    if (lw_node_count(from) == 0)
        return LW_OK;
    lw_buf_init(&json, SELECTOR_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(from, &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_label_selector_from_json(out, lw_buf_view(&json), &why);
    lw_buf_done(&json);
    return st < 0 && st != LW_ERR_NOMEM ? set_error(hook, lw_str_of(why.message)) : st;
}

static lw_status read_conditions(lw_hook *hook, const lw_node *webhook)
{
    lw_buf why;
    size_t failed = 0;
    lw_buf_init(&why, WHY_MAX);
    lw_status st =
        lw_hook_conditions_new(&hook->conditions, lw_node_get(webhook, LW_STR("matchConditions")),
                               &failed, &why);
    if (st == LW_ERR_INVALID)
        st = set_error(hook, lw_buf_view(&why));
    lw_buf_done(&why);
    return st;
}

static lw_status open_endpoint(lw_hook *hook, const lw_node *config)
{
    const lw_hook_caller *caller = hook->config->caller;
    const lw_node *service = lw_node_get(config, LW_STR("service"));
    lw_str encoded = lw_fields_text(config, "caBundle");
    lw_error why = LW_ERROR_INIT;
    lw_buf pem;
    lw_buf_init(&pem, encoded.len);
    bool is_good = lw_base64_decode_lenient(&pem, encoded);
    const lw_hook_target target = {
        .url = lw_fields_text(config, "url"),
        .service_ns = lw_fields_text(service, "namespace"),
        .service_name = lw_fields_text(service, "name"),
        .service_path = lw_fields_text(service, "path"),
        .service_port = lw_fields_int(service, "port", HTTPS_PORT),
        .ca_bundle = lw_buf_view(&pem),
    };
    lw_status st = pem.st;
    if (st == LW_OK && !is_good)
        st = set_error(hook,
                       LW_STR("unable to load root certificates: the CA bundle is not base64"));
    else if (st == LW_OK) {
        st = caller->open(caller->arg, &target, &hook->endpoint, &why);
        if (st < 0 && st != LW_ERR_NOMEM)
            st = set_error(hook, lw_str_of(why.message));
    }
    lw_buf_done(&pem);
    return st;
}

static lw_status compile(lw_hook *hook, const lw_node *webhook)
{
    lw_str effects = lw_fields_text(webhook, "sideEffects");
    hook->name = lw_fields_text(webhook, "name");
    hook->is_equivalent = !lw_str_equal(lw_fields_text(webhook, "matchPolicy"), LW_STR("Exact"));
    hook->fails_open = lw_str_equal(lw_fields_text(webhook, "failurePolicy"), LW_STR("Ignore"));
    hook->has_side_effects =
        !lw_str_equal(effects, LW_STR("None")) && !lw_str_equal(effects, LW_STR("NoneOnDryRun"));
    hook->is_reinvoked =
        lw_str_equal(lw_fields_text(webhook, "reinvocationPolicy"), LW_STR("IfNeeded"));
    hook->timeout_s = lw_fields_int(webhook, "timeoutSeconds", TIMEOUT_DEFAULT_S);
    hook->version = version_of(lw_node_get(webhook, LW_STR("admissionReviewVersions")));
    lw_status st = lw_hook_rules_new(&hook->rules, lw_node_get(webhook, LW_STR("rules")));
    if (st == LW_OK)
        st = read_selector(hook, lw_node_get(webhook, LW_STR("namespaceSelector")),
                           &hook->namespaces);
    if (st == LW_OK)
        st = read_selector(hook, lw_node_get(webhook, LW_STR("objectSelector")), &hook->objects);
    if (st == LW_OK)
        st = read_conditions(hook, webhook);
    return st == LW_OK ? open_endpoint(hook, lw_node_get(webhook, LW_STR("clientConfig"))) : st;
}

static void config_free(lw_hook_config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        lw_hook *hook = &config->hooks[i];
        lw_hook_rules_free(hook->rules);
        lw_label_selector_free(hook->namespaces);
        lw_label_selector_free(hook->objects);
        lw_hook_conditions_free(hook->conditions);
        if (hook->endpoint)
            config->caller->close(config->caller->arg, hook->endpoint);
        lw_free(hook->error);
    }
    lw_tree_free(config->tree);
    lw_object_unref(config->obj);
    lw_free(config);
}

lw_status lw_hook_config_new(lw_hook_config **out, const lw_object *obj, bool is_mutating,
                             const lw_hook_caller *caller)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st < 0)
        return st;
    const lw_node *webhooks = lw_node_get(lw_tree_root(tree), LW_STR("webhooks"));
    size_t count = lw_node_count(webhooks);
    lw_hook_config *config = lw_alloc_zero(1, sizeof(*config) + count * sizeof(lw_hook));
    if (!config) {
        lw_tree_free(tree);
        return LW_ERR_NOMEM;
    }
    lw_ref_init(&config->refs);
    config->caller = caller;
    config->obj = lw_object_ref(obj);
    config->tree = tree;
    config->is_mutating = is_mutating;
    config->name = lw_str_of(lw_object_name(obj));
    for (; st == LW_OK && config->count < count; config->count++) {
        lw_hook *hook = &config->hooks[config->count];
        hook->config = config;
        hook->is_mutating = is_mutating;
        st = compile(hook, lw_node_at(webhooks, config->count));
    }
    if (st < 0)
        config_free(config);
    else
        *out = config;
    return st;
}

lw_hook_config *lw_hook_config_ref(lw_hook_config *config)
{
    lw_ref_inc(&config->refs);
    return config;
}

void lw_hook_config_unref(lw_hook_config *config)
{
    if (config && lw_ref_dec(&config->refs))
        config_free(config);
}
