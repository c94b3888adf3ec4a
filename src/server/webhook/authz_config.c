/* SPDX-License-Identifier: Apache-2.0 */
/* authz_config.c -- reads an AuthorizationConfiguration. */
#include "server/webhook/authz_config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/duration.h"
#include "object/names.h"
#include "json/fields.h"
#include "json/yaml/yaml.h"

enum {
    TREE_MAX = 16 * 1024 * 1024,
    PATH_SIZE = 160,
    WHY_MAX = 16 * 1024,
    FILE_NAME_MAX = 4096,
};

#define TIMEOUT_MAX_NS         (30 * LW_NS_PER_S)
#define ALLOWED_TTL_DEFAULT_NS (300 * LW_NS_PER_S)
#define DENIED_TTL_DEFAULT_NS  (30 * LW_NS_PER_S)

/* The object that is being read, for messages. */
typedef struct place {
    char path[PATH_SIZE];
    lw_error *err;
} place;

static lw_status refuse(const place *at, const char *field, const char *why)
{
    return lw_error_set(at->err, LW_ERR_INVALID, "%s%s%s: %s", at->path,
                        at->path[0] && field[0] ? "." : "", field, why);
}

static lw_status refuse_value(const place *at, const char *field, lw_str value, const char *why)
{
    return lw_error_set(at->err, LW_ERR_INVALID, "%s%s%s: \"%.*s\" %s", at->path,
                        at->path[0] ? "." : "", field, (int)(value.len < 100 ? value.len : 100),
                        value.ptr ? value.ptr : "", why);
}

/* Checks that |node| is an object with no other members than |known|, which ends with NULL. */
static lw_status check_members(const place *at, const lw_node *node, const char *const *known)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return refuse(at, "", "must be an object");
    for (size_t i = 0; i < lw_node_count(node); i++) {
        lw_str key = lw_node_key_at(node, i);
        const char *const *k = known;
        while (*k && !lw_str_equal(key, lw_str_of(*k)))
            k++;
        if (!*k)
            return refuse_value(at, "", key, "is an unknown field");
    }
    return LW_OK;
}

/* Reads a string; |*out| is empty if it is absent. */
static lw_status read_text(const place *at, const lw_node *node, const char *field, lw_str *out)
{
    const lw_node *value = lw_node_get(node, lw_str_of(field));
    *out = LW_STR("");
    if (!value || lw_node_type(value) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(value, LW_JSON_STRING))
        return refuse(at, field, "must be a string");
    *out = lw_node_text(value);
    return LW_OK;
}

/* Reads a duration such as "3s"; |*out| stays if it is absent or 0. */
static lw_status read_duration(const place *at, const lw_node *node, const char *field,
                               int64_t *out)
{
    lw_str text, unit;
    int64_t ns = 0;
    lw_status st = read_text(at, node, field, &text);
    if (st < 0 || text.len == 0)
        return st;
    if (lw_go_duration_parse(text, &ns, &unit) != LW_GO_DURATION_OK)
        return refuse_value(at, field, text, "is not a duration: write for example 3s or 5m");
    if (ns < 0)
        return refuse_value(at, field, text, "must be > 0s");
    if (ns > 0)
        *out = ns;
    return LW_OK;
}

/* Sets |*ttl_ns| to 0 if the member |field| is false. */
static lw_status read_caching(const place *at, const lw_node *node, const char *field,
                              int64_t *ttl_ns)
{
    const lw_node *value = lw_node_get(node, lw_str_of(field));
    if (!value || lw_node_type(value) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(value, LW_JSON_BOOL))
        return refuse(at, field, "must be true or false");
    if (!lw_node_bool(value))
        *ttl_ns = 0;
    return LW_OK;
}

static lw_status read_times(const place *at, const lw_node *node, lw_authz_webhook *hook)
{
    hook->allowed_ttl_ns = ALLOWED_TTL_DEFAULT_NS;
    hook->denied_ttl_ns = DENIED_TTL_DEFAULT_NS;
    lw_status st = read_duration(at, node, "timeout", &hook->timeout_ns);
    if (st == LW_OK && hook->timeout_ns == 0)
        return refuse(at, "timeout", "is required: set it to more than 0s and at most 30s");
    if (st == LW_OK && hook->timeout_ns > TIMEOUT_MAX_NS)
        return refuse_value(at, "timeout", lw_fields_text(node, "timeout"),
                            "must be > 0s and <= 30s");
    if (st == LW_OK)
        st = read_duration(at, node, "authorizedTTL", &hook->allowed_ttl_ns);
    if (st == LW_OK)
        st = read_duration(at, node, "unauthorizedTTL", &hook->denied_ttl_ns);
    if (st == LW_OK)
        st = read_caching(at, node, "cacheAuthorizedRequests", &hook->allowed_ttl_ns);
    if (st == LW_OK)
        st = read_caching(at, node, "cacheUnauthorizedRequests", &hook->denied_ttl_ns);
    return st;
}

/* Reads a string that must be one of |known|, which ends with NULL; |*out| is its index. */
static lw_status read_choice(const place *at, const lw_node *node, const char *field,
                             const char *const *known, const char *hint, size_t *out)
{
    lw_str text;
    lw_status st = read_text(at, node, field, &text);
    if (st < 0)
        return st;
    for (*out = 0; known[*out]; ++*out) {
        if (lw_str_equal(text, lw_str_of(known[*out])))
            return LW_OK;
    }
    return text.len == 0 ? refuse(at, field, hint) : refuse_value(at, field, text, hint);
}

static lw_status read_policy(const place *at, const lw_node *node, lw_authz_webhook *hook)
{
    static const char *const versions[] = { "v1", "v1beta1", NULL };
    static const char *const policies[] = { "NoOpinion", "Deny", NULL };
    size_t version = 0, policy = 0;
    lw_status st = read_choice(at, node, "subjectAccessReviewVersion", versions,
                               "must be v1 or v1beta1", &version);
    if (st == LW_OK)
        st = read_choice(at, node, "failurePolicy", policies, "must be NoOpinion or Deny", &policy);
    hook->version = version == 0 ? LW_REVIEW_V1 : LW_REVIEW_V1BETA1;
    hook->on_error = policy == 0 ? LW_AUTHZ_NO_OPINION : LW_AUTHZ_DENY;
    return st;
}

static lw_status check_file(const place *at, lw_str file)
{
    char path[FILE_NAME_MAX];
    struct stat facts;
    if (file.len == 0)
        return refuse(at, "kubeConfigFile", "is required when type is KubeConfigFile");
    if (file.ptr[0] != '/' || file.len >= sizeof(path))
        return refuse_value(at, "kubeConfigFile", file, "must be an absolute path");
    memcpy(path, file.ptr, file.len);
    path[file.len] = '\0';
    if (stat(path, &facts) != 0)
        return refuse_value(at, "kubeConfigFile", file, "cannot be read: there is no such file");
    if (!S_ISREG(facts.st_mode))
        return refuse_value(at, "kubeConfigFile", file, "must be a regular file");
    return LW_OK;
}

static lw_status read_connection(const place *webhook, const lw_node *node, lw_authz_webhook *hook)
{
    static const char *const known[] = { "type", "kubeConfigFile", NULL };
    static const char *const types[] = { "KubeConfigFile", "InClusterConfig", NULL };
    size_t type = 0;
    place at = { .err = webhook->err };
    (void)snprintf(at.path, PATH_SIZE, "%.120s.connectionInfo", webhook->path);
    lw_status st = node ? check_members(&at, node, known) : refuse(&at, "", "is required");
    if (st == LW_OK)
        st = read_choice(&at, node, "type", types, "must be KubeConfigFile", &type);
    if (st == LW_OK && type == 1)
        st = refuse_value(&at, "type", LW_STR("InClusterConfig"),
                          "is not supported: this server does not run in a pod of its own cluster; "
                          "use KubeConfigFile");
    if (st == LW_OK)
        st = read_text(&at, node, "kubeConfigFile", &hook->kubeconfig_file);
    return st == LW_OK ? check_file(&at, hook->kubeconfig_file) : st;
}

static lw_status read_expressions(const place *at, const lw_node *list, lw_str *out)
{
    static const char *const known[] = { "expression", NULL };
    for (size_t i = 0; i < lw_node_count(list); i++) {
        place item = { .err = at->err };
        (void)snprintf(item.path, PATH_SIZE, "%.120s.matchConditions[%zu]", at->path, i);
        lw_status st = check_members(&item, lw_node_at(list, i), known);
        if (st == LW_OK)
            st = read_text(&item, lw_node_at(list, i), "expression", &out[i]);
        if (st == LW_OK && lw_str_trim(out[i]).len == 0)
            st = refuse(&item, "expression", "is required");
        for (size_t k = 0; k < i && st == LW_OK; k++) {
            if (lw_str_equal(out[k], out[i]))
                st = refuse_value(&item, "expression", out[i], "is there twice");
        }
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static lw_status compile(const place *at, const lw_str *expressions, size_t count,
                         lw_authz_webhook *hook)
{
    lw_buf why;
    size_t failed = 0;
    place item = { .err = at->err };
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_match_conditions_new(&hook->conditions, expressions, count, &failed, &why);
    (void)snprintf(item.path, PATH_SIZE, "%.120s.matchConditions[%zu]", at->path, failed);
    if (st == LW_ERR_NOMEM)
        (void)lw_error_nomem(at->err);
    else if (st < 0)
        st = lw_error_set(at->err, LW_ERR_INVALID, "%s.expression: %.*s", item.path,
                          LW_STR_ARG(lw_buf_view(&why)));
    lw_buf_done(&why);
    return st;
}

static lw_status read_conditions(const place *at, const lw_node *node, lw_authz_webhook *hook)
{
    static const char *const versions[] = { "v1", NULL };
    static const char version[] = "matchConditionSubjectAccessReviewVersion";
    const lw_node *list = lw_node_get(node, LW_STR("matchConditions"));
    lw_str expressions[LW_MATCH_CONDITIONS_MAX], text;
    size_t count = lw_node_count(list), chosen = 0;
    if (list && lw_node_type(list) != LW_JSON_NULL && !lw_node_is(list, LW_JSON_ARRAY))
        return refuse(at, "matchConditions", "must be a list");
    if (count > LW_MATCH_CONDITIONS_MAX)
        return refuse(at, "matchConditions", "must have at most 64 items");
    lw_status st = read_text(at, node, version, &text);
    if (st == LW_OK && (text.len > 0 || count > 0))
        st = read_choice(at, node, version, versions, "must be v1 if there are matchConditions",
                         &chosen);
    if (st == LW_OK)
        st = read_expressions(at, list, expressions);
    return st == LW_OK && count > 0 ? compile(at, expressions, count, hook) : st;
}

static lw_status read_webhook(const place *authorizer, const lw_node *node, lw_authz_webhook *hook)
{
    static const char *const known[] = { "timeout",
                                         "authorizedTTL",
                                         "cacheAuthorizedRequests",
                                         "unauthorizedTTL",
                                         "cacheUnauthorizedRequests",
                                         "subjectAccessReviewVersion",
                                         "matchConditionSubjectAccessReviewVersion",
                                         "failurePolicy",
                                         "connectionInfo",
                                         "matchConditions",
                                         NULL };
    place at = { .err = authorizer->err };
    (void)snprintf(at.path, PATH_SIZE, "%.120s.webhook", authorizer->path);
    lw_status st = check_members(&at, node, known);
    if (st == LW_OK)
        st = read_times(&at, node, hook);
    if (st == LW_OK)
        st = read_policy(&at, node, hook);
    if (st == LW_OK)
        st = read_connection(&at, lw_node_get(node, LW_STR("connectionInfo")), hook);
    return st == LW_OK ? read_conditions(&at, node, hook) : st;
}

static lw_status read_name(const place *at, const lw_node *node, lw_authz_config *config)
{
    lw_str name;
    lw_status st = read_text(at, node, "name", &name);
    if (st < 0)
        return st;
    if (name.len == 0)
        return refuse(at, "name", "is required");
    if (!lw_name_is_dns1123_subdomain(name, NULL))
        return refuse_value(at, "name", name,
                            "is not a valid name: use lower-case letters, digits, '-' and '.'");
    for (size_t i = 0; i < config->count; i++) {
        if (lw_str_equal(config->at[i].name, name))
            return refuse_value(at, "name", name, "is the name of another authorizer");
    }
    config->at[config->count].name = name;
    return LW_OK;
}

/* Reads one authorizer into config->at[config->count]. */
static lw_status read_authorizer(const place *at, const lw_node *node, lw_authz_config *config)
{
    static const char *const known[] = { "type", "name", "webhook", NULL };
    static const char *const types[] = { "AlwaysAllow", "AlwaysDeny", "RBAC",
                                         "Node",        "Webhook",    NULL };
    const lw_node *webhook = lw_node_get(node, LW_STR("webhook"));
    size_t type = 0;
    lw_status st = check_members(at, node, known);
    if (st == LW_OK)
        st = read_choice(at, node, "type", types,
                         "must be RBAC, Node, Webhook, AlwaysAllow or AlwaysDeny", &type);
    lw_authz_mode mode = (lw_authz_mode)type; /* in the order of the enum */
    for (size_t i = 0; i < config->count && st == LW_OK; i++) {
        if (config->at[i].mode == mode && mode != LW_AUTHZ_MODE_WEBHOOK)
            st = refuse_value(at, "type", lw_str_of(types[type]), "is there twice");
    }
    if (st == LW_OK)
        st = read_name(at, node, config);
    if (st < 0)
        return st;
    config->at[config->count].mode = mode;
    if (mode != LW_AUTHZ_MODE_WEBHOOK)
        return webhook ? refuse(at, "webhook", "may only be set when type is Webhook") : LW_OK;
    return webhook ? read_webhook(at, webhook, &config->at[config->count].webhook)
                   : refuse(at, "webhook", "is required when type is Webhook");
}

static lw_status read_config(lw_authz_config *config, lw_error *err)
{
    static const char *const known[] = { "apiVersion", "kind", "authorizers", NULL };
    const lw_node *root = lw_tree_root(config->tree);
    const lw_node *list = lw_node_get(root, LW_STR("authorizers"));
    place at = { .path = "", .err = err };
    lw_str version = lw_fields_text(root, "apiVersion");
    if (!lw_str_equal(lw_fields_text(root, "kind"), LW_STR("AuthorizationConfiguration")) ||
        (!lw_str_equal(version, LW_STR("apiserver.config.k8s.io/v1")) &&
         !lw_str_equal(version, LW_STR("apiserver.config.k8s.io/v1beta1"))))
        return lw_error_set(err, LW_ERR_INVALID,
                            "not an authorization configuration: apiVersion must be "
                            "apiserver.config.k8s.io/v1 or apiserver.config.k8s.io/v1beta1, and "
                            "kind must be AuthorizationConfiguration");
    lw_status st = check_members(&at, root, known);
    if (st < 0)
        return st;
    if (!lw_node_is(list, LW_JSON_ARRAY) || lw_node_count(list) == 0)
        return refuse(&at, "authorizers", "must be a list with at least one authorizer");
    if (lw_node_count(list) > LW_AUTHZ_STEPS_MAX)
        return refuse(&at, "authorizers", "must have at most 64 items");
    for (size_t i = 0; i < lw_node_count(list) && st == LW_OK; i++) {
        (void)snprintf(at.path, PATH_SIZE, "authorizers[%zu]", i);
        st = read_authorizer(&at, lw_node_at(list, i), config);
        config->count++;
    }
    return st;
}

/* Reads the only document of |text|. */
static lw_status read_tree(lw_str text, lw_tree **out, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_buf duplicates;
    lw_str line, rest;
    lw_buf_init(&duplicates, 4096);
    if (lw_yaml_reader_new(&reader, text) < 0)
        return lw_error_nomem(err);
    lw_yaml_reader_report_duplicates(reader, &duplicates);
    lw_status st = lw_yaml_reader_next(reader, TREE_MAX, out, err);
    if (st == LW_OK && !*out)
        st = lw_error_set(err, LW_ERR_INVALID, "the file is empty");
    (void)lw_str_cut(lw_buf_view(&duplicates), '\n', &line, &rest);
    if (st == LW_OK && line.len > 0)
        st = lw_error_set(err, LW_ERR_INVALID, "%.*s", LW_STR_ARG(line));
    if (st == LW_OK && lw_tree_had_repeats(*out))
        st = lw_error_set(err, LW_ERR_INVALID, "a field is there twice");
    lw_buf_done(&duplicates);
    lw_yaml_reader_free(reader);
    return st;
}

lw_status lw_authz_config_parse(lw_authz_config *config, lw_str text, lw_error *err)
{
    memset(config, 0, sizeof(*config));
    lw_status st = read_tree(text, &config->tree, err);
    return st == LW_OK ? read_config(config, err) : st;
}

void lw_authz_config_done(lw_authz_config *config)
{
    for (size_t i = 0; i < config->count; i++)
        lw_match_conditions_free(config->at[i].webhook.conditions);
    lw_tree_free(config->tree);
    memset(config, 0, sizeof(*config));
}
