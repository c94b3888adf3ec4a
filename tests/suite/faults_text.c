/* SPDX-License-Identifier: Apache-2.0 */
/* faults_text.c -- objects, events and errors as an API server writes them. */
#include "suite/faults_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"
#include "json/scan.h"

enum {
    VALUE_SIZE = 48,
    GARBLE_TRIES = 64,
    GARBLE_MAX = 40, /* bytes repeated */
};

/* The value contains the version, so that versions cannot be confused. */
static const char *value_of(const model_object *obj, char value[VALUE_SIZE])
{
    (void)snprintf(value, VALUE_SIZE, "%" PRIu64 "-%u", obj->rv, obj->generation);
    return value;
}

/* Writes text of varying length whose characters are sensitive to cuts. */
static void write_filler(lw_buf *out, uint64_t rv)
{
    static const char *const pieces[] = { "}\\n{",    "\xc3\xa9",         "\\u00e9\\ud83d\\ude00",
                                          "\\\\\\\"", "\xf0\x9f\x98\x80", "plain words",
                                          "0\\r\\n" };
    for (uint64_t i = 0; i < rv % 23; i++)
        lw_buf_append_text(out, pieces[(rv + i * i) % 7]);
}

void faults_write_object(lw_buf *out, unsigned name, const model_object *obj, bool is_item)
{
    char value[VALUE_SIZE];
    lw_buf_append_text(out, is_item ? "{" : "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",");
    lw_buf_printf(out,
                  "\"metadata\":{\"name\":\"o%u\",\"namespace\":\"n%u\",\"uid\":\"o%u-%u\","
                  "\"resourceVersion\":\"%" PRIu64 "\",\"managedFields\":[{\"manager\":\"me\"}]},",
                  name, name % 2, name, obj->generation, obj->rv);
    lw_buf_printf(out, "\"data\":{\"value\":\"%s\",\"text\":\"", value_of(obj, value));
    write_filler(out, obj->rv);
    lw_buf_append_text(out, "\"}}");
}

void faults_write_event(lw_buf *out, lw_watch_event_type type, unsigned name,
                        const model_object *obj)
{
    lw_buf_printf(out, "{\"type\":\"%s\",\"object\":", lw_watch_event_type_name(type));
    faults_write_object(out, name, obj, false);
    lw_buf_append_text(out, "}\n");
}

void faults_write_bookmark(lw_buf *out, uint64_t rv, bool is_initial_events_end)
{
    lw_buf_printf(out,
                  "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                  "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"%s}}}\n",
                  rv,
                  is_initial_events_end
                      ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}"
                      : "");
}

static const char *reason_of(int code)
{
    switch (code) {
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 410: return "Expired";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    default: return "Timeout";
    }
}

void faults_write_status(lw_buf *out, int code, int retry_after_s)
{
    lw_buf_printf(out,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"so it is\",\"reason\":\"%s\",",
                  reason_of(code));
    lw_buf_printf(out, "\"details\":{\"retryAfterSeconds\":%d%s},\"code\":%d}", retry_after_s,
                  code == 504 ? ",\"causes\":[{\"reason\":\"ResourceVersionTooLarge\","
                                "\"message\":\"Too large resource version\"}]"
                              : "",
                  code);
}

void faults_write_error(lw_buf *out, int code)
{
    lw_buf_append_text(out, "{\"type\":\"ERROR\",\"object\":");
    faults_write_status(out, code, 0);
    lw_buf_append_text(out, "}\n");
}

unsigned faults_name_of(const lw_object *obj)
{
    unsigned name = (unsigned)(lw_object_name(obj)[1] - '0');
    assert_true(name < MODEL_NAMES);
    return name;
}

bool faults_is_written(const lw_object *obj, unsigned name, const model_object *expected)
{
    char uid[VALUE_SIZE], value[VALUE_SIZE], ns[VALUE_SIZE];
    lw_buf filler;
    lw_str text = { NULL, 0 };
    (void)snprintf(uid, sizeof(uid), "o%u-%u", name, expected->generation);
    (void)snprintf(ns, sizeof(ns), "n%u", name % 2);
    lw_buf_init(&filler, FAULTS_TEXT_MAX);
    lw_buf_append_char(&filler, '"');
    write_filler(&filler, expected->rv);
    lw_buf_append_char(&filler, '"');
    bool is_same = lw_object_raw(obj, "/data/text", &text) == LW_OK &&
                   lw_str_equal(text, lw_buf_view(&filler));
    lw_buf_done(&filler);
    return is_same && faults_name_of(obj) == name && lw_object_revision(obj) == expected->rv &&
           strcmp(lw_object_uid(obj), uid) == 0 && strcmp(lw_object_namespace(obj), ns) == 0 &&
           strcmp(lw_object_string(obj, "/data/value", ""), value_of(expected, value)) == 0 &&
           strcmp(lw_object_kind(obj), "ConfigMap") == 0;
}

/* A repeated digit makes another number, a repeated letter another word, and a repeated end another
 * object with trailing data: a client cannot detect those. */
static bool has_document(const lw_buf *text)
{
    for (size_t i = 0; i < text->len; i++) {
        bool may_end = text->data[i] == '}';
        if (may_end && lw_json_validate(lw_str_make(text->data, i + 1), 0, NULL) == LW_OK)
            return true;
    }
    return false;
}

void faults_garble(lw_buf *text, lw_random *random)
{
    char tail[FAULTS_TEXT_MAX];
    for (int i = 0; i < GARBLE_TRIES; i++) {
        size_t at = (size_t)lw_random_below(random, text->len - 1);
        size_t len = 1 + (size_t)lw_random_below(random, GARBLE_MAX);
        size_t tail_len = text->len - at;
        assert_true(tail_len <= sizeof(tail));
        if (at + len > text->len - 1)
            len = text->len - 1 - at;
        memcpy(tail, text->data + at, tail_len);
        lw_buf_truncate(text, at);
        lw_buf_append(text, tail, len);
        lw_buf_append(text, tail, tail_len);
        if (!has_document(text))
            return;
        lw_buf_truncate(text, at);
        lw_buf_append(text, tail, tail_len);
    }
    fail_msg("cannot damage this text: %.*s", (int)text->len, text->data);
}
