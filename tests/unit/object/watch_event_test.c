/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event_test.c -- events out of a watch stream. */
#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "base/error.h"
#include "unit/object/make.h"

/* What came, as text: one line an event. */
typedef struct seen {
    lw_buf text;
    size_t count;
    lw_error error; /* of the last ERROR */
} seen;

static lw_status note_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    seen *s = arg;
    (void)err;
    s->count++;
    lw_buf_printf(&s->text, "%s %s@%s%s\n", lw_watch_event_type_name(event->type),
                  event->object ? lw_object_name(event->object) : "-",
                  event->object ? lw_object_resource_version(event->object) : "-",
                  event->is_initial_events_end ? " end" : "");
    if (event->error)
        s->error = *event->error;
    assert_int_equal(event->error != NULL, event->type == LW_WATCH_ERROR);
    return LW_OK;
}

/* Reads |stream| in chunks of |step| bytes. */
static lw_status read_events(const char *stream, size_t step, const lw_read_options *read, seen *s,
                             lw_error *err)
{
    lw_event_reader *reader = NULL;
    lw_event_reader_options options = { .on_event = note_event, .arg = s };
    if (read)
        options.read = *read;
    *s = (seen){ .error = LW_ERROR_INIT };
    lw_buf_init(&s->text, 10000);
    assert_int_equal(lw_event_reader_new(&reader, &options, NULL), LW_OK);
    lw_status st = LW_OK;
    size_t len = strlen(stream);
    for (size_t at = 0; st == LW_OK && at < len; at += step)
        st = lw_event_reader_feed(reader, stream + at, len - at < step ? len - at : step, err);
    if (st == LW_OK)
        st = lw_event_reader_finish(reader, err);
    lw_event_reader_free(reader);
    return st;
}

static const char stream[] =
    "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
    "\"resourceVersion\":\"1\"}}}\n"
    "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"2\"}}}"
    "{\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}},\"type\":\"DELETED\"}"
    "\r\n \n"
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"4\"}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\",\"annotations\":{"
    "\"k8s.io/initial-events-end\":\"true\"}}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"6\",\"annotations\":{"
    "\"k8s.io/initial-events-end\":\"false\"}}}}\n"
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
    "\"status\":\"Failure\",\"message\":\"too old resource version: 1 "
    "(79)\",\"reason\":\"Expired\","
    "\"code\":410}}\n";

static const char expected[] = "ADDED a@1\nMODIFIED a@2\nDELETED a@3\nBOOKMARK @4\n"
                               "BOOKMARK @5 end\nBOOKMARK @6\nERROR @\n";

static void reads_the_same_events_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t step = 1; step <= sizeof(stream); step++) {
        seen s;
        assert_int_equal(read_events(stream, step, NULL, &s, NULL), LW_OK);
        assert_str_equal(lw_buf_view(&s.text), expected);
        lw_buf_done(&s.text);
    }
}

static void an_error_event_says_why_the_watch_is_over(void **state)
{
    (void)state;
    seen s;
    assert_int_equal(read_events(stream, 1000, NULL, &s, NULL), LW_OK);
    assert_int_equal(s.error.code, LW_ERR_EXPIRED);
    assert_int_equal(s.error.http_status, 410);
    assert_string_equal(s.error.reason, "Expired");
    assert_string_equal(s.error.message, "too old resource version: 1 (79)");
    lw_buf_done(&s.text);
}

static void dropping_spares_bookmarks_and_errors(void **state)
{
    (void)state;
    static const char *const drop[] = { "/metadata/annotations", "/message", "/code", NULL };
    static const char *const keep[] = { "/spec/nodeName", NULL };
    const lw_read_options options[] = { { .drop = drop }, { .keep = keep } };
    for (size_t i = 0; i < 2; i++) {
        seen s;
        assert_int_equal(read_events(stream, 11, &options[i], &s, NULL), LW_OK);
        assert_str_equal(lw_buf_view(&s.text), expected);
        assert_int_equal(s.error.code, LW_ERR_EXPIRED);
        assert_string_equal(s.error.message, "too old resource version: 1 (79)");
        lw_buf_done(&s.text);
    }
}

static lw_status keep_object(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)err;
    *(lw_object **)arg = lw_object_ref(event->object);
    return LW_OK;
}

static lw_object *object_of_event(const char *json, const lw_read_options *read)
{
    lw_object *obj = NULL;
    lw_event_reader *reader = NULL;
    const lw_event_reader_options options = { .read = *read, .on_event = keep_object, .arg = &obj };
    assert_int_equal(lw_event_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(lw_event_reader_feed(reader, json, strlen(json), NULL), LW_OK);
    assert_int_equal(lw_event_reader_finish(reader, NULL), LW_OK);
    lw_event_reader_free(reader);
    return obj;
}

static void objects_have_only_what_is_wanted(void **state)
{
    (void)state;
    static const char *const drop[] = { "/metadata/annotations", NULL };
    static const char *const keep[] = { "/spec/nodeName", NULL };
    static const char json[] =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"annotations\":{\"x\":"
        "\"y\"},\"managedFields\":[1]},\"spec\":{\"nodeName\":\"n\",\"x\":1}}}";
    const struct {
        lw_read_options read;
        const char *json;
    } cases[] = {
        { { 0 },
          "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"x\":\"y\"}},\"spec\":{\"nodeName\":"
          "\"n\",\"x\":1}}" },
        { { .drop = drop },
          "{\"metadata\":{\"name\":\"a\",\"managedFields\":[1]},\"spec\":{\"nodeName\":\"n\","
          "\"x\":1}}" },
        { { .keep = keep }, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"n\"}}" },
    };
    for (size_t i = 0; i < 3; i++) {
        lw_object *obj = object_of_event(json, &cases[i].read);
        assert_str_equal(lw_object_json(obj), cases[i].json);
        lw_object_unref(obj);
    }
}

static void refuses_what_is_no_event(void **state)
{
    (void)state;
    static const struct {
        const char *json, *message;
        lw_status st;
    } cases[] = {
        { "{\"type\":\"WOBBLED\",\"object\":{}}",
          "the watch event has the unknown type \"WOBBLED\"", LW_ERR_INVALID },
        { "{\"type\":\"added\",\"object\":{}}", "the watch event has the unknown type \"added\"",
          LW_ERR_INVALID },
        { "{\"object\":{}}", "the watch event has no type", LW_ERR_INVALID },
        { "{\"type\":\"ADDED\"}", "the watch event of type ADDED has no object", LW_ERR_INVALID },
        { "{\"type\":\"ADDED\",\"object\":{}", NULL, LW_ERR_SYNTAX },
        { "{\"type\":\"ADDED\",\"object\":[]}", NULL, LW_ERR_INVALID },
        { "{\"type\":5,\"object\":{}}", NULL, LW_ERR_INVALID },
        { "404 page not found", NULL, LW_ERR_INVALID },
        { "{\"type\" 5}", NULL, LW_ERR_SYNTAX },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        seen s;
        lw_error err = LW_ERROR_INIT;
        lw_status st = read_events(cases[i].json, 1, NULL, &s, &err);
        if (st != cases[i].st)
            fail_msg("%s gave %d (%s)", cases[i].json, st, err.message);
        if (cases[i].message)
            assert_string_equal(err.message, cases[i].message);
        assert_true(err.offset <= strlen(cases[i].json));
        assert_int_equal(s.count, 0);
        lw_buf_done(&s.text);
    }
}

static void an_error_without_a_status_is_still_an_error(void **state)
{
    (void)state;
    static const char *const bare[] = { "{\"type\":\"ERROR\"}",
                                        "{\"type\":\"ERROR\",\"object\":{}}",
                                        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Pod\"}}" };
    for (size_t i = 0; i < 3; i++) {
        seen s;
        assert_int_equal(read_events(bare[i], 4, NULL, &s, NULL), LW_OK);
        assert_int_equal(s.count, 1);
        assert_true(s.error.code < 0);
        assert_true(s.error.message[0] != '\0');
        lw_buf_done(&s.text);
    }
}

static void an_event_above_the_limit_is_refused(void **state)
{
    (void)state;
    const lw_read_options read = { .max_object_size = 30 };
    seen s;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(
        read_events("{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":"
                    "{\"a\":\"6789012345678901234567890\"}}",
                    1, &read, &s, &err),
        LW_ERR_LIMIT);
    assert_int_equal(s.count, 1);
    assert_true(strstr(err.message, "30 bytes") != NULL);
    assert_int_equal(err.offset, 54);
    lw_buf_done(&s.text);
}

static void an_empty_stream_is_fine(void **state)
{
    (void)state;
    seen s;
    assert_int_equal(read_events("", 1, NULL, &s, NULL), LW_OK);
    assert_int_equal(read_events(" \n", 1, NULL, &s, NULL), LW_OK);
    assert_int_equal(s.count, 0);
}

static lw_status refuse_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)event;
    (void)arg;
    return lw_error_set(err, LW_ERR_STOPPED, "no more");
}

static void a_reader_that_was_stopped_works_after_a_reset(void **state)
{
    (void)state;
    lw_event_reader *reader = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_event_reader_options options = { .on_event = refuse_event };
    static const char event[] = "{\"type\":\"ADDED\",\"object\":{}}";
    assert_int_equal(lw_event_reader_new(&reader, &options, NULL), LW_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lw_event_reader_feed(reader, event, 10, &err), LW_OK);
        lw_event_reader_reset(reader);
        assert_int_equal(lw_event_reader_feed(reader, event, strlen(event), &err), LW_ERR_STOPPED);
        assert_string_equal(err.message, "no more");
        assert_int_equal(lw_event_reader_feed(reader, event, 1, &err), LW_ERR_STOPPED);
        lw_event_reader_reset(reader);
    }
    lw_event_reader_free(reader);
}

static void type_names_go_both_ways(void **state)
{
    (void)state;
    for (int i = LW_WATCH_ADDED; i <= LW_WATCH_ERROR; i++) {
        lw_watch_event_type type = 0;
        const char *name = lw_watch_event_type_name((lw_watch_event_type)i);
        assert_true(lw_watch_event_type_parse(lw_str_of(name), &type));
        assert_int_equal(type, i);
    }
    lw_watch_event_type type = LW_WATCH_ADDED;
    assert_false(lw_watch_event_type_parse(lw_str_of(""), &type));
    assert_false(lw_watch_event_type_parse(lw_str_of("ADDE"), &type));
    assert_int_equal(type, LW_WATCH_ADDED);
    assert_string_equal(lw_watch_event_type_name(0), "");
    assert_string_equal(lw_watch_event_type_name(6), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_the_same_events_however_they_are_cut),
        TEST(an_error_event_says_why_the_watch_is_over),
        TEST(dropping_spares_bookmarks_and_errors),
        TEST(objects_have_only_what_is_wanted),
        TEST(refuses_what_is_no_event),
        TEST(an_error_without_a_status_is_still_an_error),
        TEST(an_event_above_the_limit_is_refused),
        TEST(an_empty_stream_is_fine),
        TEST(a_reader_that_was_stopped_works_after_a_reset),
        TEST(type_names_go_both_ways),
    };
    return cmocka_run_group_tests_name("watch_event", tests, NULL, NULL);
}
