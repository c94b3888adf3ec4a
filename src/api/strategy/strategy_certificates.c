/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_certificates.c -- certificate signing requests: validation, and what each subresource
 * may change. */
#include <stdio.h>
#include <string.h>

#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "api/strategy/strategy_trust.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "crypto/certificate_authority.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    SHOWN_MAX = 4096, /* bytes of a wrong request that an error shows */
    EXPIRATION_MIN_S = 600,
    CONDITIONS_MAX = 128, /* they are compared with each other */
};

#define CONDITIONS "status.conditions"

static const lw_node *spec_of(const lw_node *root)
{
    return lw_node_get(root, LW_STR("spec"));
}

static lw_node *conditions_of(const lw_node *root)
{
    return lw_fields_find(root, "/status/conditions");
}

/* Shows bytes as Go does: []byte{0x2d, 0xa}. */
static void append_bytes(lw_buf *out, lw_str base64)
{
    lw_buf bytes;
    lw_buf_init(&bytes, SHOWN_MAX);
    lw_buf_append_text(out, "[]byte{");
    if (lw_base64_decode_lenient(&bytes, base64)) {
        for (size_t i = 0; i < bytes.len; i++)
            lw_buf_printf(out, "%s0x%x", i > 0 ? ", " : "", (unsigned char)bytes.data[i]);
    } else {
        lw_buf_append_text(out, "...");
    }
    lw_buf_append_char(out, '}');
    lw_buf_done(&bytes);
}

static void check_request(lw_str base64, lw_api_status *errors)
{
    lw_certificate_request *request = NULL;
    lw_error why = LW_ERROR_INIT;
    lw_buf shown;
    lw_status st = lw_certificate_request_read(&request, base64, &why);
    lw_certificate_request_free(request);
    if (st == LW_OK)
        return;
    if (st == LW_ERR_NOMEM) {
        errors->st = st;
        return;
    }
    lw_buf_init(&shown, 8 * SHOWN_MAX);
    append_bytes(&shown, base64);
    if (shown.st < 0)
        errors->st = shown.st;
    else
        lw_field_error_plain(errors, "spec.request", lw_buf_view(&shown), why.message);
    lw_buf_done(&shown);
}

static void check_usages(const lw_node *usages, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    size_t count = lw_node_count(usages);
    if (count == 0)
        lw_field_error_required(errors, "spec.usages", "");
    for (size_t i = 0; i < count; i++) {
        lw_str usage = lw_node_text(lw_node_at(usages, i));
        (void)snprintf(field, sizeof(field), "spec.usages[%zu]", i);
        if (!lw_value_is_one_of(usage, lw_key_usages))
            lw_value_error_unsupported(errors, field, usage, lw_key_usages);
    }
    /* Known usages are few, so that a list with more of them has a duplicate near its start. */
    for (size_t i = 1; i < count && errors->cause_count == 0; i++) {
        lw_str usage = lw_node_text(lw_node_at(usages, i));
        for (size_t before = 0; before < i; before++) {
            if (!lw_str_equal(lw_node_text(lw_node_at(usages, before)), usage))
                continue;
            (void)snprintf(field, sizeof(field), "spec.usages[%zu]", i);
            lw_api_status_add_field_error(errors, LW_FIELD_DUPLICATE, lw_str_of(field), usage,
                                          LW_STR(""));
            break;
        }
    }
}

static void check_signer_name(lw_str name, lw_api_status *errors)
{
    if (lw_str_equal(name, LW_STR("kubernetes.io/legacy-unknown")))
        lw_field_error_invalid(errors, "spec.signerName", name,
                               "the legacy signerName is not allowed via this API version");
    else
        lw_signer_name_validate(name, errors);
}

static void check_expiration(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *node = lw_node_get(spec, LW_STR("expirationSeconds"));
    int64_t seconds = 0;
    if (lw_node_int64(node, &seconds) && seconds < EXPIRATION_MIN_S)
        lw_value_error(errors, "spec.expirationSeconds", node,
                       "may not specify a duration less than 600 seconds (10 minutes)");
}

/* The spec cannot change, so that only a new one is checked. */
static void csr_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = spec_of(pending->root);
    if (pending->old)
        return;
    check_request(lw_fields_text(spec, "request"), errors);
    check_usages(lw_node_get(spec, LW_STR("usages")), errors);
    check_signer_name(lw_fields_text(spec, "signerName"), errors);
    check_expiration(spec, errors);
}

static void csr_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    lw_fields_set_copy(pending->tree, pending->root, "spec", spec_of(pending->old));
}

static lw_str type_of(const lw_node *condition)
{
    return lw_fields_text(condition, "type");
}

/* The |nth| condition of |type|; SIZE_MAX: there are not so many. */
static size_t find_condition(const lw_node *conditions, const char *type, size_t nth)
{
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        if (lw_str_equal(type_of(lw_node_at(conditions, i)), lw_str_of(type)) && nth-- == 0)
            return i;
    }
    return SIZE_MAX;
}

static size_t count_conditions(const lw_node *conditions, const char *type)
{
    size_t count = 0;
    while (find_condition(conditions, type, count) != SIZE_MAX)
        count++;
    return count;
}

/* An update of the status cannot change approvals: takes the stored ones, unless their number is
 * another, which is an error. */
static void preserve(const lw_pending_object *pending, const char *type)
{
    lw_node *conditions = conditions_of(pending->root);
    const lw_node *old = conditions_of(pending->old);
    size_t count = count_conditions(old, type);
    if (count_conditions(conditions, type) != count)
        return;
    for (size_t i = 0; i < count; i++)
        lw_node_set_at(conditions, find_condition(conditions, type, i),
                       lw_tree_share(pending->tree, lw_node_at(old, find_condition(old, type, i))));
}

/* The lastTransitionTime of the stored condition with type and status of |condition|. */
static lw_str stored_transition(const lw_pending_object *pending, const lw_node *condition)
{
    const lw_node *old = conditions_of(pending->old);
    for (size_t i = 0; i < lw_node_count(old); i++) {
        const lw_node *other = lw_node_at(old, i);
        lw_str time = lw_fields_text(other, "lastTransitionTime");
        if (time.len > 0 && lw_str_equal(type_of(other), type_of(condition)) &&
            lw_str_equal(lw_fields_text(other, "status"), lw_fields_text(condition, "status")))
            return time;
    }
    return LW_STR("");
}

static void set_times(lw_pending_object *pending)
{
    const lw_node *conditions = conditions_of(pending->root);
    int64_t now_ns = lw_clock_wall(pending->port->api->clock);
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        lw_node *condition = lw_node_at(conditions, i);
        if (lw_fields_text(condition, "lastUpdateTime").len == 0)
            lw_metadata_set_time(pending, condition, "lastUpdateTime", now_ns);
        if (lw_fields_text(condition, "lastTransitionTime").len > 0)
            continue;
        lw_str stored = stored_transition(pending, condition);
        if (stored.len > 0)
            lw_fields_set_text(pending->tree, condition, "lastTransitionTime", stored);
        else
            lw_metadata_set_time(pending, condition, "lastTransitionTime", now_ns);
    }
}

static void check_condition(const lw_node *condition, size_t at, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    lw_str type = type_of(condition), status = lw_fields_text(condition, "status");
    bool is_final = lw_value_is_one_of(type, "Approved|Denied|Failed");
    const char *words = is_final ? "True" : "False|True|Unknown";
    (void)snprintf(field, sizeof(field), CONDITIONS "[%zu].type", at);
    if (type.len == 0)
        lw_field_error_required(errors, field, "");
    (void)snprintf(field, sizeof(field), CONDITIONS "[%zu].status", at);
    if (status.len == 0)
        lw_field_error_required(errors, field, "");
    else if (!lw_value_is_one_of(status, words))
        lw_value_error_unsupported(errors, field, status, words);
}

static void check_conditions(const lw_node *conditions, lw_api_status *errors)
{
    size_t approved = find_condition(conditions, "Approved", 0);
    size_t denied = find_condition(conditions, "Denied", 0);
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        char field[FIELD_SIZE];
        lw_str type = type_of(lw_node_at(conditions, i));
        check_condition(lw_node_at(conditions, i), i, errors);
        if (denied != SIZE_MAX && approved != SIZE_MAX &&
            i == (approved > denied ? approved : denied))
            lw_field_error_invalid(errors, CONDITIONS, type,
                                   "Approved and Denied conditions are mutually exclusive");
        for (size_t before = 0; before < i; before++) {
            if (!lw_str_equal(type_of(lw_node_at(conditions, before)), type))
                continue;
            (void)snprintf(field, sizeof(field), CONDITIONS "[%zu].type", i);
            lw_api_status_add_field_error(errors, LW_FIELD_DUPLICATE, lw_str_of(field), type,
                                          LW_STR(""));
            break;
        }
    }
}

static void forbid_condition(lw_api_status *errors, const char *verb, const char *type)
{
    char detail[FIELD_SIZE * 2];
    (void)snprintf(detail, sizeof(detail), "updates may not %s a condition of type \"%s\"", verb,
                   type);
    lw_field_error_forbidden(errors, CONDITIONS, lw_str_of(detail));
}

/* What is decided stays decided. */
static void check_removed(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const final_types[] = { "Approved", "Denied", "Failed" };
    for (size_t i = 0; i < sizeof(final_types) / sizeof(final_types[0]); i++) {
        if (count_conditions(conditions_of(pending->root), final_types[i]) <
            count_conditions(conditions_of(pending->old), final_types[i]))
            forbid_condition(errors, "remove", final_types[i]);
    }
}

/* Only the subresource approval approves. */
static void check_added(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const approvals[] = { "Approved", "Denied" };
    for (size_t i = 0; i < sizeof(approvals) / sizeof(approvals[0]); i++) {
        if (count_conditions(conditions_of(pending->root), approvals[i]) >
            count_conditions(conditions_of(pending->old), approvals[i]))
            forbid_condition(errors, "add", approvals[i]);
    }
}

static void check_certificate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char field[] = "status.certificate";
    lw_str now = lw_fields_text_at(pending->root, "/status/certificate");
    lw_str before = lw_fields_text_at(pending->old, "/status/certificate");
    lw_error why = LW_ERROR_INIT;
    if (lw_str_equal(now, before))
        return;
    lw_status st = now.len > 0 ? lw_certificate_check(now, NULL, &why) : LW_OK;
    if (st == LW_ERR_NOMEM)
        errors->st = st;
    else if (st < 0)
        lw_field_error_invalid(errors, field, LW_STR("<certificate data>"), why.message);
    if (before.len > 0)
        lw_field_error_forbidden(errors, field,
                                 LW_STR("updates may not modify existing certificate content"));
}

static bool has_too_many(const lw_pending_object *pending, lw_api_status *errors)
{
    char detail[FIELD_SIZE];
    if (lw_node_count(conditions_of(pending->root)) <= CONDITIONS_MAX)
        return false;
    (void)snprintf(detail, sizeof(detail), "must have at most %d items", CONDITIONS_MAX);
    lw_field_error_forbidden(errors, CONDITIONS, lw_str_of(detail));
    return true;
}

static void csr_status(lw_pending_object *pending, lw_api_status *errors)
{
    if (has_too_many(pending, errors))
        return;
    preserve(pending, "Approved");
    preserve(pending, "Denied");
    set_times(pending);
    check_conditions(conditions_of(pending->root), errors);
    check_removed(pending, errors);
    check_added(pending, errors);
    check_certificate(pending, errors);
}

/* Of the status, only the conditions can be changed. */
static void csr_approval(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    lw_fields_set_copy(pending->tree, status, "certificate",
                       lw_fields_find(pending->old, "/status/certificate"));
    if (has_too_many(pending, errors))
        return;
    set_times(pending);
    check_conditions(conditions_of(pending->root), errors);
    check_removed(pending, errors);
}

const lw_strategy lw_strategies_certificates[] = {
    { .group = LW_STR_INIT("certificates.k8s.io"),
      .plural = LW_STR_INIT("certificatesigningrequests"),
      .update = csr_update,
      .validate = csr_validate,
      .status = csr_status,
      .approval = csr_approval },
    { .plural = LW_STR_INIT("") },
};
