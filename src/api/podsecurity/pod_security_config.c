/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_config.c -- reads a PodSecurityConfiguration. */
#include "api/podsecurity/pod_security_policy.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    CONFIG_MAX = 16 * 1024 * 1024,
};

#define LATEST                                                                                     \
    {                                                                                              \
        LW_POD_PRIVILEGED, LW_POD_VERSION_LATEST                                                   \
    }
const lw_pod_security_config lw_pod_security_defaults = { .defaults = { LATEST, LATEST, LATEST } };

static lw_status read_mode(const lw_node *defaults, const char *level, const char *version,
                           lw_pod_standard *out, lw_error *err)
{
    lw_str text = lw_fields_text(defaults, level), of_version = lw_fields_text(defaults, version);
    if (text.len > 0 && !lw_pod_level_read(text, &out->level))
        return lw_error_set(err, LW_ERR_INVALID,
                            "PodSecurity: defaults.%s: Invalid value: \"%.*s\": must be one of "
                            "privileged, baseline, restricted",
                            level, LW_STR_ARG(text));
    if (of_version.len > 0 && !lw_pod_version_read(of_version, &out->version))
        return lw_error_set(err, LW_ERR_INVALID,
                            "PodSecurity: defaults.%s: Invalid value: \"%.*s\": must be "
                            "\"latest\" or \"v1.x\"",
                            version, LW_STR_ARG(of_version));
    return LW_OK;
}

static void read_list(lw_arena *arena, const lw_node *list, lw_str **out, size_t *count)
{
    *count = lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
    *out = lw_arena_take_zero(arena, *count + 1, sizeof(**out));
    for (size_t i = 0; *out && i < *count; i++)
        (*out)[i] = lw_arena_copy(arena, lw_node_text(lw_node_at(list, i)));
}

static lw_status read_config(lw_pod_security_config *config, const lw_node *root, lw_error *err)
{
    const lw_node *defaults = lw_node_get(root, LW_STR("defaults"));
    const lw_node *exemptions = lw_node_get(root, LW_STR("exemptions"));
    lw_str group, version;
    lw_str api_version = lw_fields_text(root, "apiVersion");
    if (!lw_str_equal(lw_fields_text(root, "kind"), LW_STR("PodSecurityConfiguration")) ||
        lw_api_version_parse(api_version, &group, &version, NULL) < 0 ||
        !lw_str_equal(group, LW_STR("pod-security.admission.config.k8s.io")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "PodSecurity: the configuration is not a PodSecurityConfiguration of "
                            "pod-security.admission.config.k8s.io/v1");
    config->defaults = lw_pod_security_defaults.defaults;
    lw_status st =
        read_mode(defaults, "enforce", "enforce-version", &config->defaults.enforce, err);
    if (st == LW_OK)
        st = read_mode(defaults, "audit", "audit-version", &config->defaults.audit, err);
    if (st == LW_OK)
        st = read_mode(defaults, "warn", "warn-version", &config->defaults.warn, err);
    read_list(&config->arena, lw_node_get(exemptions, LW_STR("namespaces")), &config->namespaces,
              &config->namespace_count);
    read_list(&config->arena, lw_node_get(exemptions, LW_STR("usernames")), &config->usernames,
              &config->username_count);
    read_list(&config->arena, lw_node_get(exemptions, LW_STR("runtimeClasses")),
              &config->runtime_classes, &config->runtime_class_count);
    if (st == LW_OK && config->arena.st < 0)
        st = lw_error_nomem(err);
    return st;
}

lw_status lw_pod_security_config_new(lw_pod_security_config **out, const lw_node *root,
                                     lw_error *err)
{
    lw_pod_security_config *config = lw_alloc_zero(1, sizeof(*config));
    if (!config)
        return lw_error_nomem(err);
    lw_arena_init(&config->arena, CONFIG_MAX);
    lw_status st = read_config(config, root, err);
    if (st < 0)
        lw_pod_security_config_free(config);
    else
        *out = config;
    return st;
}

void lw_pod_security_config_free(lw_pod_security_config *config)
{
    if (!config)
        return;
    lw_arena_done(&config->arena);
    lw_free(config);
}
