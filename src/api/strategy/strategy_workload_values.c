/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_workload_values.c -- validates selectors, update strategies and numbers of workloads. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy_workload.h"
#include "base/str.h"
#include "json/fields.h"

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

enum {
    FIELD_SIZE = 128,
};

static const lw_value_rule ready_rules[] = {
    { "minReadySeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    NO_RULE,
};

static const lw_value_rule daemon_set_rules[] = {
    { "minReadySeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "revisionHistoryLimit", LW_VALUE_NOT_NEGATIVE, NULL },
    NO_RULE,
};

static const lw_value_rule deployment_rules[] = {
    { "minReadySeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "revisionHistoryLimit", LW_VALUE_NOT_NEGATIVE, NULL },
    { "progressDeadlineSeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    NO_RULE,
};

static const lw_value_rule job_rules[] = {
    { "activeDeadlineSeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "ttlSecondsAfterFinished", LW_VALUE_NOT_NEGATIVE, NULL },
    { "completionMode", LW_VALUE_ONE_OF, "NonIndexed|Indexed" },
    NO_RULE,
};

static const lw_value_rule cron_job_rules[] = {
    { "startingDeadlineSeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "concurrencyPolicy", LW_VALUE_ONE_OF, "Allow|Forbid|Replace" },
    { "successfulJobsHistoryLimit", LW_VALUE_NOT_NEGATIVE, NULL },
    { "failedJobsHistoryLimit", LW_VALUE_NOT_NEGATIVE, NULL },
    NO_RULE,
};

#define ZONES "/usr/share/zoneinfo"

enum {
    ZONE_PART_MAX = 14,
};

static const char zone_chars[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";

/* Whether the names of the parts could be those of a time zone. */
static bool is_zone_name(lw_str name)
{
    lw_str part;
    bool has_more = true;
    while (has_more) {
        has_more = lw_str_cut(name, '/', &part, &name);
        if (part.len == 0 || part.len > ZONE_PART_MAX || part.ptr[0] == '-' ||
            lw_str_equal(part, LW_STR(".")) || lw_str_equal(part, LW_STR("..")))
            return false;
        for (size_t i = 0; i < part.len; i++) {
            if (!memchr(zone_chars, part.ptr[i], sizeof(zone_chars) - 1))
                return false;
        }
    }
    return true;
}

/* Returns why the zone cannot be used; NULL: it can.  A system that has no zones knows all. */
static const char *zone_problem(lw_str name, char unknown[LW_FIELD_PATH_SIZE])
{
    char path[LW_FIELD_PATH_SIZE];
    struct stat file;
    (void)snprintf(unknown, LW_FIELD_PATH_SIZE, "unknown time zone %.*s", LW_STR_ARG(name));
    int len = snprintf(path, sizeof(path), ZONES "/%.*s", LW_STR_ARG(name));
    if (!is_zone_name(name) || len < 0 || (size_t)len >= sizeof(path))
        return unknown;
    if (access(ZONES, F_OK) != 0 || lw_str_equal(name, LW_STR("UTC")))
        return NULL;
    if (stat(path, &file) < 0)
        return unknown;
    return S_ISDIR(file.st_mode) ? "is a directory" : NULL;
}

static void check_zone(const lw_node *zone, lw_api_status *errors)
{
    char unknown[LW_FIELD_PATH_SIZE];
    lw_str name = lw_node_text(zone);
    if (!zone)
        return;
    if (name.len == 0) {
        lw_field_error_invalid(errors, "spec.timeZone", name,
                               "timeZone must be nil or non-empty string");
        return;
    }
    if (name.len == 5 && strncasecmp(name.ptr, "Local", 5) == 0)
        lw_field_error_invalid(errors, "spec.timeZone", name,
                               "timeZone must be an explicit time zone as defined in "
                               "https://www.iana.org/time-zones");
    const char *problem = zone_problem(name, unknown);
    if (problem && !lw_str_equal(name, LW_STR("Local")))
        lw_field_error_invalid(errors, "spec.timeZone", name, problem);
}

static bool is_kind(const lw_kind *kind, const char *plural)
{
    return lw_str_equal(kind->plural, lw_str_of(plural));
}

static void check_operators(const lw_node *expressions, lw_api_status *errors)
{
    static const char *const known[] = { "In", "NotIn", "Exists", "DoesNotExist" };
    char field[FIELD_SIZE];
    for (size_t i = 0; i < lw_node_count(expressions); i++) {
        lw_str word = lw_fields_text(lw_node_at(expressions, i), "operator");
        bool is_known = false;
        for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++)
            is_known |= lw_str_equal(word, lw_str_of(known[j]));
        (void)snprintf(field, sizeof(field), "spec.selector.matchExpressions[%zu].operator", i);
        if (!is_known)
            lw_field_error_invalid(errors, field, word, "not a valid selector operator");
    }
}

void lw_workload_selector_check(const lw_kind *kind, const lw_node *selector, lw_api_status *errors)
{
    const lw_node *expressions = lw_node_get(selector, LW_STR("matchExpressions"));
    bool is_empty = lw_node_count(lw_node_get(selector, LW_STR("matchLabels"))) == 0 &&
                    lw_node_count(expressions) == 0;
    const char *what = "empty selector is invalid for deployment"; /* also for replica sets */
    if (is_kind(kind, "statefulsets"))
        what = "empty selector is invalid for statefulset";
    else if (is_kind(kind, "daemonsets"))
        what = "empty selector is invalid for daemonset";
    if (!selector && !is_kind(kind, "daemonsets"))
        lw_field_error_required(errors, "spec.selector", "");
    else if (selector && is_empty)
        lw_value_error(errors, "spec.selector", selector, what);
    check_operators(expressions, errors);
}

const char *lw_workload_bad_selector(const lw_kind *kind)
{
    if (is_kind(kind, "daemonsets"))
        return NULL;
    return is_kind(kind, "statefulsets") ? "" : "invalid label selector";
}

/* Checks a non-negative number or a percentage such as "25%". */
static bool check_portion(const lw_node *node, const char *field, lw_api_status *errors)
{
    static const char percents[] = "a valid percent string must be a numeric string followed by an "
                                   "ending '%' (e.g. '1%',  or '93%', regex used for validation is "
                                   "'[0-9]+%')";
    int64_t number = 0;
    lw_str text = lw_node_text(node);
    if (lw_node_is(node, LW_JSON_NUMBER)) {
        if (!lw_node_int64(node, &number) || number >= 0)
            return true;
        lw_field_error_plain(errors, field, text, "must be greater than or equal to 0");
        return false;
    }
    size_t digits = 0;
    while (digits < text.len && lw_char_is_digit(text.ptr[digits]))
        digits++;
    if (!node || (digits > 0 && digits + 1 == text.len && text.ptr[digits] == '%'))
        return true;
    lw_field_error_invalid(errors, field, text, percents);
    return false;
}

static bool is_nothing(const lw_node *portion)
{
    lw_str text = lw_node_text(portion);
    return lw_str_equal(text, LW_STR("0")) || lw_str_equal(text, LW_STR("0%"));
}

static void check_rolling(const lw_node *rolling, lw_api_status *errors)
{
    const lw_node *away = lw_node_get(rolling, LW_STR("maxUnavailable"));
    const lw_node *more = lw_node_get(rolling, LW_STR("maxSurge"));
    bool is_good = check_portion(away, "spec.strategy.rollingUpdate.maxUnavailable", errors);
    is_good &= check_portion(more, "spec.strategy.rollingUpdate.maxSurge", errors);
    if (is_good && is_nothing(away) && is_nothing(more))
        lw_value_error(errors, "spec.strategy.rollingUpdate.maxUnavailable", away,
                       "may not be 0 when `maxSurge` is 0");
}

/* The error shows the value without quotes. */
static void check_strategy_type(const lw_node *strategy, const char *field, const char *words,
                                lw_api_status *errors)
{
    lw_str type = lw_fields_text(strategy, "type");
    if (!lw_value_is_one_of(type, words))
        lw_value_error_unsupported_node(errors, field, strategy, words);
}

static void check_strategy(const lw_node *strategy, lw_api_status *errors)
{
    lw_str type = lw_fields_text(strategy, "type");
    const lw_node *rolling = lw_node_get(strategy, LW_STR("rollingUpdate"));
    if (lw_str_equal(type, LW_STR("RollingUpdate")))
        check_rolling(rolling, errors);
    else if (!lw_str_equal(type, LW_STR("Recreate")))
        check_strategy_type(strategy, "spec.strategy", "Recreate|RollingUpdate", errors);
    else if (rolling)
        lw_field_error_forbidden(errors, "spec.strategy.rollingUpdate",
                                 LW_STR("may not be specified when strategy `type` is 'Recreate'"));
}

static void check_deployment(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *deadline = lw_node_get(spec, LW_STR("progressDeadlineSeconds"));
    check_strategy(lw_node_get(spec, LW_STR("strategy")), errors);
    lw_value_validate(deployment_rules, spec, "spec", errors);
    if (deadline && lw_fields_int(spec, "progressDeadlineSeconds", 0) <=
                        lw_fields_int(spec, "minReadySeconds", 0))
        lw_field_error_plain(errors, "spec.progressDeadlineSeconds", lw_node_text(deadline),
                             "must be greater than minReadySeconds");
}

static void check_update_strategy(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *strategy = lw_node_get(spec, LW_STR("updateStrategy"));
    lw_str type = lw_fields_text(strategy, "type");
    if (!lw_str_equal(type, LW_STR("RollingUpdate")) && !lw_str_equal(type, LW_STR("OnDelete")))
        lw_value_error(errors, "spec.updateStrategy", strategy,
                       "must be 'RollingUpdate' or 'OnDelete'");
}

static void check_management(const lw_node *spec, lw_api_status *errors)
{
    lw_str policy = lw_fields_text(spec, "podManagementPolicy");
    if (!lw_str_equal(policy, LW_STR("OrderedReady")) && !lw_str_equal(policy, LW_STR("Parallel")))
        lw_field_error_invalid(errors, "spec.podManagementPolicy", policy,
                               "must be 'OrderedReady' or 'Parallel'");
}

/* Checks the number of fields of a schedule; a macro such as @hourly is valid. */
static void check_schedule(const lw_node *spec, lw_api_status *errors)
{
    enum {
        FIELDS = 5,
        SHOWN = 200,
    };
    char detail[2 * SHOWN];
    lw_str text = lw_fields_text(spec, "schedule"), word, rest = text;
    size_t count = 0;
    if (text.len == 0 || text.ptr[0] == '@')
        return;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ' ', &word, &rest);
        count += word.len > 0;
    }
    if (count == FIELDS)
        return;
    (void)snprintf(detail, sizeof(detail), "expected exactly 5 fields, found %zu: [%.*s]", count,
                   (int)(text.len < SHOWN ? text.len : SHOWN), text.ptr);
    lw_field_error_invalid(errors, "spec.schedule", text, detail);
}

void lw_workload_values_check(const lw_kind *kind, const lw_node *spec, lw_api_status *errors)
{
    if (is_kind(kind, "deployments")) {
        check_deployment(spec, errors);
    } else if (is_kind(kind, "replicasets")) {
        lw_value_validate(ready_rules, spec, "spec", errors);
    } else if (is_kind(kind, "statefulsets")) {
        check_management(spec, errors);
        check_update_strategy(spec, errors);
        lw_value_validate(ready_rules, spec, "spec", errors);
    } else if (is_kind(kind, "daemonsets")) {
        lw_value_validate(daemon_set_rules, spec, "spec", errors);
        check_strategy_type(lw_node_get(spec, LW_STR("updateStrategy")), "spec.updateStrategy",
                            "RollingUpdate|OnDelete", errors);
    } else if (is_kind(kind, "jobs")) {
        lw_value_validate(job_rules, spec, "spec", errors);
    } else {
        check_schedule(spec, errors);
        check_zone(lw_node_get(spec, LW_STR("timeZone")), errors);
        lw_value_validate(cron_job_rules, spec, "spec", errors);
    }
}
