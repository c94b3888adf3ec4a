/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_policy.c -- reads the labels of namespaces. */
#include "api/podsecurity/pod_security_policy.h"

#include <stdio.h>

#include "base/str.h"

enum {
    FIELD_SIZE = 128,
};

static const char *const level_names[] = { "privileged", "baseline", "restricted" };

bool lw_pod_level_read(lw_str text, lw_pod_level *out)
{
    *out = LW_POD_RESTRICTED;
    for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
        if (!lw_str_equal(text, lw_str_of(level_names[i])))
            continue;
        *out = (lw_pod_level)i;
        return true;
    }
    return false;
}

bool lw_pod_version_read(lw_str text, int *out)
{
    uint64_t minor;
    *out = LW_POD_VERSION_LATEST;
    if (lw_str_equal(text, LW_STR("latest")))
        return true;
    lw_str number = lw_str_skip(text, 3);
    if (!lw_str_starts_with(text, LW_STR("v1.")) || !lw_str_to_uint64(number, &minor) ||
        minor >= LW_POD_VERSION_LATEST || (number.len > 1 && number.ptr[0] == '0'))
        return false;
    *out = (int)minor;
    return true;
}

static void add_error(lw_api_status *errors, const char *label, lw_str value, const char *why)
{
    char field[FIELD_SIZE];
    if (!errors)
        return;
    (void)snprintf(field, sizeof(field), "metadata.labels[%s%s]", LW_POD_SECURITY_PREFIX, label);
    lw_api_status_add_field_error(errors, LW_FIELD_INVALID, lw_str_of(field), value,
                                  lw_str_of(why));
}

/* Returns the label with this name; NULL: none. */
static const lw_node *label_of(const lw_node *labels, const char *name)
{
    char key[2 * FIELD_SIZE];
    (void)snprintf(key, sizeof(key), "%s%s", LW_POD_SECURITY_PREFIX, name);
    return lw_node_get(labels, lw_str_of(key));
}

/* Reads the labels of one mode.  |*has_level|: there is a valid or invalid level. */
static bool read_mode(const lw_node *labels, const char *mode, lw_pod_standard *standard,
                      bool *has_level, bool *is_level_good, lw_api_status *errors)
{
    char version_label[FIELD_SIZE / 2];
    (void)snprintf(version_label, sizeof(version_label), "%s-version", mode);
    const lw_node *level = label_of(labels, mode), *version = label_of(labels, version_label);
    *has_level = level != NULL;
    *is_level_good = level && lw_pod_level_read(lw_node_text(level), &standard->level);
    bool is_version_good =
        !version || lw_pod_version_read(lw_node_text(version), &standard->version);
    if (level && !*is_level_good)
        add_error(errors, mode, lw_node_text(level),
                  "must be one of privileged, baseline, restricted");
    if (!is_version_good)
        add_error(errors, version_label, lw_node_text(version), "must be \"latest\" or \"v1.x\"");
    return (!level || *is_level_good) && is_version_good;
}

bool lw_pod_security_read(const lw_pod_security *defaults, const lw_node *labels,
                          lw_pod_security *out, lw_api_status *errors)
{
    bool has_enforce, is_enforce_good, has_audit, is_audit_good, has_warn, is_warn_good;
    *out = *defaults;
    bool is_good =
        read_mode(labels, "enforce", &out->enforce, &has_enforce, &is_enforce_good, errors);
    is_good =
        read_mode(labels, "audit", &out->audit, &has_audit, &is_audit_good, errors) && is_good;
    is_good = read_mode(labels, "warn", &out->warn, &has_warn, &is_warn_good, errors) && is_good;
    if (has_audit && !is_audit_good)
        out->audit.level = LW_POD_PRIVILEGED;
    if (has_warn && !is_warn_good)
        out->warn.level = LW_POD_PRIVILEGED;
    /* What is enforced is warned of as well, in templates. */
    if (!has_warn && is_enforce_good && out->enforce.level > out->warn.level) {
        out->warn.level = out->enforce.level;
        if (!label_of(labels, "warn-version"))
            out->warn.version = out->enforce.version;
    }
    return is_good;
}

bool lw_pod_standard_equal(lw_pod_standard a, lw_pod_standard b)
{
    return a.level == b.level && a.version == b.version;
}

bool lw_pod_security_is_privileged(const lw_pod_security *policy)
{
    return policy->enforce.level == LW_POD_PRIVILEGED && policy->audit.level == LW_POD_PRIVILEGED &&
           policy->warn.level == LW_POD_PRIVILEGED;
}

void lw_pod_standard_append(lw_pod_standard standard, lw_buf *out)
{
    lw_buf_printf(out, "%s:", level_names[standard.level]);
    if (standard.version == LW_POD_VERSION_LATEST)
        lw_buf_append_text(out, "latest");
    else
        lw_buf_printf(out, "v1.%d", standard.version);
}
