/* SPDX-License-Identifier: Apache-2.0 */
/* delete_options.c -- reads DeleteOptions from where they are, and judges them. */
#include "api/http/delete_options.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/http/write_options.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    MESSAGE_SIZE = 512,
    DRY_RUN_MAX = 16, /* values that are looked at */
};

/* What was said, before it is judged. */
typedef struct said_options {
    lw_str policy;
    bool has_policy;
    bool has_orphan;
    bool orphan;
    lw_str dry_run[DRY_RUN_MAX];
    size_t dry_run_count;
} said_options;

static lw_propagation propagation_of(const said_options *said)
{
    if (said->has_orphan)
        return said->orphan ? LW_PROPAGATION_ORPHAN : LW_PROPAGATION_BACKGROUND;
    if (lw_str_equal(said->policy, LW_STR("Foreground")))
        return LW_PROPAGATION_FOREGROUND;
    if (lw_str_equal(said->policy, LW_STR("Orphan")))
        return LW_PROPAGATION_ORPHAN;
    return said->has_policy ? LW_PROPAGATION_BACKGROUND : LW_PROPAGATION_DEFAULT;
}

static bool judge(lw_api_delete_options *options, const said_options *said, lw_api_status *status)
{
    lw_api_status_init(status);
    if (said->has_orphan && said->has_policy)
        lw_field_error_invalid(status, "propagationPolicy", said->policy,
                               "orphanDependents and deletionPropagation cannot be both set");
    if (said->has_policy && !lw_str_equal(said->policy, LW_STR("Foreground")) &&
        !lw_str_equal(said->policy, LW_STR("Background")) &&
        !lw_str_equal(said->policy, LW_STR("Orphan")))
        lw_api_status_add_field_error(
            status, LW_FIELD_NOT_SUPPORTED, LW_STR("propagationPolicy"), said->policy,
            LW_STR("supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""));
    options->is_dry_run =
        lw_dry_run_check(said->dry_run, said->dry_run_count, status) && said->dry_run_count > 0;
    options->propagation = propagation_of(said);
    options->wants_accepted = said->has_orphan && !said->orphan;
    if (options->has_grace && options->grace_s < 0)
        options->grace_s = 1;
    return lw_options_complete(status, "DeleteOptions");
}

static bool refuse_member(lw_api_status *status, const char *name, const char *type)
{
    char message[MESSAGE_SIZE];
    (void)snprintf(message, sizeof(message),
                   "DeleteOptions in version \"v1\" cannot be handled as a DeleteOptions: json: "
                   "cannot unmarshal the value of %s into Go struct field DeleteOptions.%s of "
                   "type %s",
                   name, name, type);
    lw_api_status_bad_request(status, lw_str_of(message));
    return false;
}

/* The member |name| if it is there and of |type|; false: it is of another. */
static bool member(const lw_node *root, const char *name, lw_json_type type, const lw_node **out)
{
    *out = lw_node_get(root, lw_str_of(name));
    if (lw_node_type(*out) == LW_JSON_NULL)
        *out = NULL;
    return !*out || lw_node_is(*out, type);
}

static bool read_dry_run(const lw_node *root, said_options *said)
{
    const lw_node *list;
    if (!member(root, "dryRun", LW_JSON_ARRAY, &list))
        return false;
    for (size_t i = 0; i < lw_node_count(list) && i < DRY_RUN_MAX; i++) {
        if (!lw_node_is(lw_node_at(list, i), LW_JSON_STRING))
            return false;
        said->dry_run[said->dry_run_count++] = lw_node_text(lw_node_at(list, i));
    }
    return true;
}

bool lw_api_delete_options_from_tree(lw_api_delete_options *options, const lw_node *root,
                                     lw_api_status *status)
{
    said_options said = { .has_policy = false };
    const lw_node *grace, *policy, *orphan, *preconditions;
    *options = (lw_api_delete_options){ .has_grace = false };
    if (!member(root, "gracePeriodSeconds", LW_JSON_NUMBER, &grace) ||
        (grace && !lw_node_int64(grace, &options->grace_s)))
        return refuse_member(status, "gracePeriodSeconds", "int64");
    if (!member(root, "propagationPolicy", LW_JSON_STRING, &policy))
        return refuse_member(status, "propagationPolicy", "v1.DeletionPropagation");
    if (!member(root, "orphanDependents", LW_JSON_BOOL, &orphan))
        return refuse_member(status, "orphanDependents", "bool");
    if (!member(root, "preconditions", LW_JSON_OBJECT, &preconditions))
        return refuse_member(status, "preconditions", "v1.Preconditions");
    if (!read_dry_run(root, &said))
        return refuse_member(status, "dryRun", "[]string");
    options->has_grace = grace != NULL;
    options->uid = lw_fields_text(preconditions, "uid");
    options->resource_version = lw_fields_text(preconditions, "resourceVersion");
    said.has_policy = policy != NULL;
    said.policy = lw_node_text(policy);
    said.has_orphan = orphan != NULL;
    said.orphan = lw_node_bool(orphan);
    return judge(options, &said, status);
}

bool lw_api_delete_options_from_query(lw_api_delete_options *options, const lw_query *query,
                                      lw_api_status *status)
{
    said_options said = { .has_policy = false };
    lw_str grace, ignored;
    *options = (lw_api_delete_options){ .has_grace = false };
    options->has_grace = lw_query_find(query, "gracePeriodSeconds", &grace);
    if (options->has_grace && !lw_str_to_int64(grace, &options->grace_s)) {
        char message[MESSAGE_SIZE];
        (void)snprintf(message, sizeof(message),
                       "strconv.ParseInt: parsing \"%.*s\": invalid syntax", LW_STR_ARG(grace));
        lw_api_status_bad_request(status, lw_str_of(message));
        return false;
    }
    for (size_t i = 0; i < query->count; i++) {
        if (lw_str_equal(query->parameters[i].name, LW_STR("dryRun")) &&
            said.dry_run_count < DRY_RUN_MAX)
            said.dry_run[said.dry_run_count++] = query->parameters[i].value;
    }
    options->uid = lw_query_get(query, "uid");
    options->resource_version = lw_query_get(query, "resourceVersion");
    said.has_policy = lw_query_find(query, "propagationPolicy", &said.policy);
    said.has_orphan = lw_query_find(query, "orphanDependents", &ignored);
    said.orphan = lw_query_bool(query, "orphanDependents");
    return judge(options, &said, status);
}
