/* SPDX-License-Identifier: Apache-2.0 */
/* hook.c -- compiles webhook configurations. */
#include "api/webhooks/hook.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    TIMEOUT_DEFAULT_S = 10,
    WHY_MAX = 64 * 1024,
};

/* Says why the webhook cannot be called; the first reason counts. */
static lw_status set_error(lw_hook *hook, lw_str why)
{
    if (!hook->error)
        hook->error = lw_str_dup(why);
    return hook->error ? LW_OK : LW_ERR_NOMEM;
}

static lw_status read_rules(lw_hook *hook, const lw_node *webhook)
{
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_match_rules_of_webhook(&hook->rules, webhook, &why);
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

/* The first reason why it cannot be called counts. */
static lw_status open_endpoint(lw_hook *hook, const lw_node *config)
{
    char *error = NULL;
    lw_status st = lw_hook_endpoint_open(hook->config->caller, config, &hook->endpoint, &error);
    if (hook->error)
        lw_free(error);
    else
        hook->error = error;
    return st;
}

static lw_status compile(lw_hook *hook, const lw_node *webhook)
{
    lw_str effects = lw_fields_text(webhook, "sideEffects");
    hook->name = lw_fields_text(webhook, "name");
    hook->fails_open = lw_str_equal(lw_fields_text(webhook, "failurePolicy"), LW_STR("Ignore"));
    hook->has_side_effects =
        !lw_str_equal(effects, LW_STR("None")) && !lw_str_equal(effects, LW_STR("NoneOnDryRun"));
    hook->is_reinvoked =
        lw_str_equal(lw_fields_text(webhook, "reinvocationPolicy"), LW_STR("IfNeeded"));
    hook->timeout_s = lw_fields_int(webhook, "timeoutSeconds", TIMEOUT_DEFAULT_S);
    hook->version = lw_hook_version_of(lw_node_get(webhook, LW_STR("admissionReviewVersions")));
    lw_status st = read_rules(hook, webhook);
    if (st == LW_OK)
        st = read_conditions(hook, webhook);
    return st == LW_OK ? open_endpoint(hook, lw_node_get(webhook, LW_STR("clientConfig"))) : st;
}

static void config_free(lw_hook_config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        lw_hook *hook = &config->hooks[i];
        lw_match_rules_free(hook->rules);
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
