/* SPDX-License-Identifier: Apache-2.0 */
/* api_invalid.c -- 422: the field errors of an object, each one a cause. */
#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/gvk.h"
#include "object/quote.h"

/* By lw_field_fault. */
static const struct {
    lw_str reason; /* of the cause */
    const char *text;
    bool shows_value;
} faults[] = {
    [LW_FIELD_INVALID] = { LW_STR_INIT("FieldValueInvalid"), "Invalid value", true },
    [LW_FIELD_REQUIRED] = { LW_STR_INIT("FieldValueRequired"), "Required value", false },
    [LW_FIELD_FORBIDDEN] = { LW_STR_INIT("FieldValueForbidden"), "Forbidden", false },
    [LW_FIELD_NOT_SUPPORTED] = { LW_STR_INIT("FieldValueNotSupported"), "Unsupported value", true },
    [LW_FIELD_DUPLICATE] = { LW_STR_INIT("FieldValueDuplicate"), "Duplicate value", true },
    [LW_FIELD_NOT_FOUND] = { LW_STR_INIT("FieldValueNotFound"), "Not found", true },
    [LW_FIELD_TOO_LONG] = { LW_STR_INIT("FieldValueTooLong"), "Too long", false },
    [LW_FIELD_TYPE_INVALID] = { LW_STR_INIT("FieldValueTypeInvalid"), "Invalid value", true },
    [LW_FIELD_INTERNAL] = { LW_STR_INIT("InternalError"), "Internal error", false },
};

void lw_api_status_add_field_error(lw_api_status *status, lw_field_fault fault, lw_str field,
                                   lw_str value, lw_str detail)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, faults[fault].text);
    if (faults[fault].shows_value) {
        lw_buf_append_text(&message, ": ");
        lw_quote_append(&message, value);
    }
    if (detail.len > 0) {
        lw_buf_append_text(&message, ": ");
        lw_buf_append_str(&message, detail);
    }
    if (message.st == LW_OK)
        lw_api_status_add_cause(status, faults[fault].reason, lw_buf_view(&message), field);
    else if (status->st == LW_OK)
        status->st = message.st;
    lw_buf_done(&message);
}

/* A cause as the message shows it; its own key in a map. */
typedef struct shown_cause {
    lw_str field, message;
} shown_cause;

static uint64_t shown_hash(const void *key, lw_hash_seed seed)
{
    const shown_cause *cause = key;
    seed.k0 ^= lw_hash_str(seed, cause->field);
    return lw_hash_str(seed, cause->message);
}

static bool shown_equal(const lw_map_type *type, const void *entry, const void *key)
{
    const shown_cause *a = entry, *b = key;
    (void)type;
    return lw_str_equal(a->field, b->field) && lw_str_equal(a->message, b->message);
}

/* Appends "field: error" for each cause, without duplicates, separated by commas.  Returns their
 * number.  |shown| has room for all causes. */
static size_t append_distinct(const lw_api_status *status, shown_cause *shown, lw_buf *buf)
{
    static const lw_map_type by_text = { shown_hash, shown_equal, 0 };
    size_t told = 0;
    lw_map known;
    lw_map_init(&known, &by_text, lw_hash_seed_random(), LW_API_STATUS_CAUSES_MAX);
    for (size_t i = 0; i < status->cause_count && buf->st == LW_OK; i++) {
        void *present = NULL;
        shown[i] = (shown_cause){ lw_api_status_str(status, status->causes[i].field),
                                  lw_api_status_str(status, status->causes[i].message) };
        lw_status st = lw_map_add(&known, &shown[i], &shown[i], &present);
        if (st < 0)
            buf->st = st;
        if (present)
            continue;
        if (told++ > 0)
            lw_buf_append_text(buf, ", ");
        lw_buf_append_str(buf, shown[i].field);
        lw_buf_append_text(buf, ": ");
        lw_buf_append_str(buf, shown[i].message);
    }
    lw_map_done(&known);
    return told;
}

static size_t append_faults(const lw_api_status *status, lw_buf *buf)
{
    shown_cause one;
    if (status->cause_count <= 1)
        return append_distinct(status, &one, buf);
    shown_cause *shown = lw_alloc_zero(status->cause_count, sizeof(*shown));
    if (!shown) {
        buf->st = LW_ERR_NOMEM;
        return 0;
    }
    size_t told = append_distinct(status, shown, buf);
    lw_free(shown);
    return told;
}

static void append_message(const lw_api_status *status, lw_buf *buf, lw_gvk gvk, lw_str name)
{
    lw_buf list;
    lw_buf_init(&list, LW_API_STATUS_TEXT_MAX);
    size_t told = append_faults(status, &list);
    lw_grouped_append(buf, gvk.kind, gvk.group);
    lw_buf_append_char(buf, ' ');
    lw_quote_append(buf, name);
    lw_buf_append_text(buf, " is invalid");
    if (told > 0)
        lw_buf_append_text(buf, told > 1 ? ": [" : ": ");
    lw_buf_append_str(buf, lw_buf_view(&list));
    if (told > 1)
        lw_buf_append_char(buf, ']');
    if (list.st < 0 && buf->st == LW_OK)
        buf->st = list.st;
    lw_buf_done(&list);
}

void lw_api_status_complete_invalid(lw_api_status *status, lw_gvk gvk, lw_str name)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    append_message(status, &message, gvk, name);
    if (message.st < 0 && status->st == LW_OK)
        status->st = message.st;
    status->code = lw_api_reason_code(LW_REASON_INVALID);
    status->has_details = true;
    lw_api_status_set(status, &status->reason, lw_api_reason_text(LW_REASON_INVALID));
    lw_api_status_set(status, &status->name, name);
    lw_api_status_set(status, &status->group, gvk.group);
    lw_api_status_set(status, &status->kind, gvk.kind);
    lw_api_status_set(status, &status->message, lw_buf_view(&message));
    lw_buf_done(&message);
}
