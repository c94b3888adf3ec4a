/* SPDX-License-Identifier: Apache-2.0 */
/* scan_limits_test.c -- the limits of the scanner: depth, sizes, callbacks that stop it, the end of
 * the input, and its results after a failure. */
#include "base/error.h"
#include "unit/json/scanned.h"

static void *grab(size_t len)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    bytes[len] = '\0';
    return bytes;
}

/* |depth| nested containers, in ' for ". */
static char *nested(unsigned depth, const char *open, const char *inner, const char *close)
{
    size_t open_len = strlen(open);
    size_t len = depth * (open_len + strlen(close)) + strlen(inner);
    char *text = grab(len);
    lw_buf buf;
    lw_buf_init(&buf, len);
    for (unsigned i = 0; i < depth; i++)
        lw_buf_append_text(&buf, open);
    lw_buf_append_text(&buf, inner);
    for (unsigned i = 0; i < depth; i++)
        lw_buf_append_text(&buf, close);
    assert_int_equal(buf.len, len);
    memcpy(text, buf.data, len);
    lw_buf_done(&buf);
    return text;
}

static void nesting_is_allowed_up_to_the_limit(void **state)
{
    (void)state;
    static const unsigned limits[] = { 1,   2,   3,   31,  32,  63,   64,  65,
                                       127, 128, 129, 511, 512, 1023, 1024 };
    static const char *const opens[] = { "[", "{'a':" };
    static const char *const closes[] = { "]", "}" };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        for (size_t k = 0; k < 2; k++) {
            const lw_scan_options options = { .shape = LW_SCAN_VALUE, .max_depth = limits[i] };
            scanned r;
            char *text = nested(limits[i], opens[k], "1", closes[k]);
            scan_text(&r, &options, text);
            assert_scanned(&r, 0);
            scanned_done(&r);
            free(text);
            text = nested(limits[i] + 1, opens[k], "1", closes[k]);
            scan_text(&r, &options, text);
            assert_refused(&r, LW_ERR_LIMIT, limits[i] * strlen(opens[k]));
            scanned_done(&r);
            free(text);
        }
    }
}

static void an_empty_container_counts_as_a_level(void **state)
{
    (void)state;
    static const char *const inners[] = { "[]", "{}", "[1,{}]", "[{},{}]" };
    static const unsigned inner_depths[] = { 1, 1, 2, 2 };
    for (unsigned limit = 4; limit < 70; limit++) {
        for (size_t k = 0; k < 4; k++) {
            const lw_scan_options options = { .shape = LW_SCAN_VALUE, .max_depth = limit };
            scanned r;
            char *text = nested(limit - inner_depths[k], "[", inners[k], "]");
            scan_text(&r, &options, text);
            assert_scanned(&r, 0);
            scanned_done(&r);
            free(text);
            text = nested(limit - inner_depths[k] + 1, "[", inners[k], "]");
            scan_text(&r, &options, text);
            assert_int_equal(r.st, LW_ERR_LIMIT);
            scanned_done(&r);
            free(text);
        }
    }
}

static void the_default_depth_is_512(void **state)
{
    (void)state;
    char *text = nested(512, "[", "", "]");
    assert_int_equal(lw_json_validate(lw_str_of(text), 0, NULL), LW_OK);
    free(text);
    lw_error err = LW_ERROR_INIT;
    text = nested(513, "[", "", "]");
    assert_int_equal(lw_json_validate(lw_str_of(text), 0, &err), LW_ERR_LIMIT);
    assert_int_equal(err.offset, 512);
    free(text);
}

static void nesting_of_100000_levels_is_refused_at_the_limit(void **state)
{
    (void)state;
    static const lw_scan_shape shapes[] = { LW_SCAN_VALUE, LW_SCAN_OBJECT, LW_SCAN_LIST,
                                            LW_SCAN_EVENT };
    char *text = nested(100000, "{'a':", "1", "}");
    for (size_t i = 0; i < 4; i++) {
        scanned r;
        scan_text(&r, &(lw_scan_options){ .shape = shapes[i], .max_depth = 1024 }, text);
        assert_refused(&r, LW_ERR_LIMIT, 1024 * strlen("{'a':"));
        scanned_done(&r);
    }
    free(text);
}

static void depth_counts_from_the_root_of_the_document(void **state)
{
    (void)state;
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .max_depth = 4 };
    scanned r;
    scan_text(&r, &options, "{'items':[{'metadata':{'name':'a'},'spec':{}}]}");
    assert_scanned(&r, 1);
    scanned_done(&r);
    scan_text(&r, &options, "{'items':[{'metadata':{'labels':{}}}]}");
    assert_refused(&r, LW_ERR_LIMIT, scanned_offset(&r, "{}"));
    scanned_done(&r);
    scan_text(&r, &options, "{'items':[{'spec':{'a':[]}}]}");
    assert_refused(&r, LW_ERR_LIMIT, scanned_offset(&r, "[]}}"));
    scanned_done(&r);
}

static void options_beyond_the_bounds_are_refused(void **state)
{
    (void)state;
    lw_scan *scan = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_scan_options options = { .shape = LW_SCAN_LIST, .max_depth = LW_SCAN_DEPTH_MAX + 1 };
    assert_int_equal(lw_scan_new(&scan, &options, &err), LW_ERR_INVALID);
    options = (lw_scan_options){ .max_item = (size_t)LW_SCAN_ITEM_LIMIT_MAX + 1 };
    assert_int_equal(lw_scan_new(&scan, &options, &err), LW_ERR_INVALID);
    assert_int_equal(lw_json_validate(lw_str_of("1"), LW_SCAN_DEPTH_MAX + 1, &err), LW_ERR_INVALID);
    assert_null(scan);
    assert_int_equal(err.code, LW_ERR_INVALID);
}

static void objects_up_to_the_limit_are_taken(void **state)
{
    (void)state;
    static const char *const objects[] = {
        "{'metadata':{'name':'a','uid':'0123456789'},'spec':{'x':[1,2,3],'y':{}}}",
        "{'spec':'0123456789012345678901234567890123456789012345678901234567890123456789'}",
        "{'metadata':{'labels':{'a':'b','c':'d'}}}",
        "{}",
    };
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        size_t len = strlen(objects[i]);
        for (size_t limit = 1; limit <= len + 1; limit++) {
            char list[256];
            scanned r;
            snprintf(list, sizeof(list), "{'items':[{},%s]}", objects[i]);
            scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_LIST, .max_item = limit }, list);
            if (limit >= len) {
                assert_scanned(&r, 2);
            } else if (limit >= 2) {
                assert_refused(&r, LW_ERR_LIMIT, strlen("{'items':[{},"));
                assert_int_equal(r.item_count, 1);
            } else {
                assert_refused(&r, LW_ERR_LIMIT, strlen("{'items':["));
            }
            scanned_done(&r);
        }
    }
}

/* "bytes of one object after dropping", except that a key needs room while it is read. */
static void what_is_dropped_does_not_count_against_the_limit(void **state)
{
    (void)state;
    /* |most| is the text that the object and the key to be dropped come to. */
    static const struct {
        const char *object, *most;
    } cases[] = {
        { "{'metadata':{'managedFields':[{'a':'0123456789'}],'name':'a'}}",
          "{'metadata':{'managedFields'" },
        { "{'metadata':{'name':'a','managedFields':[{'a':'0123456789'}]}}",
          "{'metadata':{'name':'a','managedFields'" },
        { "{'metadata':{'managedFields':{},'name':'a','managedFields':[{}]}}",
          "{'metadata':{'name':'a','managedFields'" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        scanned r;
        lw_scan_options options = { .shape = LW_SCAN_LIST, .max_item = strlen(cases[i].most) };
        assert_true(options.max_item < strlen(cases[i].object));
        snprintf(text, sizeof(text), "{'items':[%s]}", cases[i].object);
        scan_text(&r, &options, text);
        assert_scanned(&r, 1);
        assert_item(&r, 0, "{'metadata':{'name':'a'}}");
        scanned_done(&r);
        options.max_item--;
        scan_text(&r, &options, text);
        assert_refused(&r, LW_ERR_LIMIT, strlen("{'items':["));
        scanned_done(&r);
    }
}

/* Text of |len| bytes between |head| and |tail|, in ' for ". */
static char *stuffed(const char *head, size_t len, const char *tail)
{
    size_t head_len = strlen(head);
    char *text = grab(head_len + len + strlen(tail));
    memcpy(text, head, head_len);
    memset(text + head_len, 'x', len);
    memcpy(text + head_len + len, tail, strlen(tail));
    return text;
}

static void the_envelope_is_bounded(void **state)
{
    (void)state;
    scanned r;
    char *text = stuffed("{'items':[],'metadata':{'continue':'", LW_SCAN_ENVELOPE_LIMIT, "'}}");
    scan_list(&r, text);
    assert_int_equal(r.st, LW_ERR_LIMIT);
    assert_int_equal(r.document_count, 0);
    scanned_done(&r);
    free(text);
    text = stuffed("{'items':[],'metadata':{'continue':'", LW_SCAN_ENVELOPE_LIMIT - 64, "'}}");
    scan_list(&r, text);
    assert_scanned(&r, 0);
    assert_int_equal(r.documents[0].continue_token.len, LW_SCAN_ENVELOPE_LIMIT - 64);
    scanned_done(&r);
    free(text);
}

static void a_too_large_envelope_is_an_error_at_its_document(void **state)
{
    (void)state;
    scanned r;
    char *text = stuffed("   {'items':[],'metadata':{'continue':'", LW_SCAN_ENVELOPE_LIMIT, "'}}");
    scan_list(&r, text);
    assert_refused(&r, LW_ERR_LIMIT, 3);
    scanned_done(&r);
    free(text);
}

static void what_the_envelope_does_not_keep_may_be_of_any_size(void **state)
{
    (void)state;
    scanned r;
    char *text = stuffed("{'items':[{}],'other':'", 2 * LW_SCAN_ENVELOPE_LIMIT, "','kind':'L'}");
    scan_list(&r, text);
    assert_scanned(&r, 1);
    assert_text(r.documents[0].json, r.documents[0].kind, "L");
    scanned_done(&r);
    free(text);
}

/* A list of more objects than the envelope has bytes. */
static void objects_leave_no_trace_in_the_envelope(void **state)
{
    (void)state;
    enum {
        COUNT = 70000
    };
    size_t len = strlen("{\"items\":[") + COUNT * 3 + 1;
    char *text = grab(len);
    char *at = text + strlen("{\"items\":[");
    memcpy(text, "{\"items\":[", strlen("{\"items\":["));
    for (int i = 0; i < COUNT; i++, at += 3)
        memcpy(at, i + 1 < COUNT ? "{}," : "{}]", 3);
    *at = '}';
    lw_scan *scan = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_LIST }, &err), LW_OK);
    assert_int_equal(lw_scan_feed(scan, text, len, &err), LW_OK);
    assert_int_equal(lw_scan_finish(scan, &err), LW_OK);
    lw_scan_free(scan);
    free(text);
}

/* Stops at the item or document of that number. */
typedef struct stopper {
    int items_left;
    int documents_left;
    int calls;
} stopper;

static lw_status stop_at_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    stopper *stop = arg;
    (void)item;
    stop->calls++;
    return stop->items_left-- == 0 ? lw_error_set(err, LW_ERR_STOPPED, "enough") : LW_OK;
}

static lw_status stop_at_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    stopper *stop = arg;
    (void)envelope;
    (void)err;
    stop->calls++;
    return stop->documents_left-- == 0 ? LW_ERR_CONFLICT : LW_OK;
}

static void a_callback_stops_the_scan(void **state)
{
    (void)state;
    static const char list[] = "{\"items\":[{},{},{},{}]}";
    stopper stop = { .items_left = 1, .documents_left = 9 };
    const lw_scan_options options = { .shape = LW_SCAN_LIST,
                                      .on_item = stop_at_item,
                                      .on_document = stop_at_document,
                                      .arg = &stop };
    lw_scan *scan = NULL;
    assert_int_equal(lw_scan_new(&scan, &options, NULL), LW_OK);
    for (int again = 0; again < 3; again++) {
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_scan_feed(scan, list, strlen(list), &err), LW_ERR_STOPPED);
        assert_string_equal(err.message, "enough");
        assert_int_equal(lw_scan_finish(scan, &err), LW_ERR_STOPPED);
        assert_int_equal(stop.calls, 2);
    }
    lw_scan_free(scan);
}

static void a_callback_at_the_end_of_a_document_stops_the_scan(void **state)
{
    (void)state;
    static const char stream[] = "{}{}{}";
    stopper stop = { .items_left = 9, .documents_left = 1 };
    const lw_scan_options options = {
        .shape = LW_SCAN_EVENT, .is_stream = true, .on_document = stop_at_document, .arg = &stop
    };
    lw_scan *scan = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_scan_new(&scan, &options, NULL), LW_OK);
    assert_int_equal(lw_scan_feed(scan, stream, strlen(stream), &err), LW_ERR_CONFLICT);
    assert_int_equal(lw_scan_feed(scan, "]", 1, NULL), LW_ERR_CONFLICT);
    assert_int_equal(stop.calls, 2);
    lw_scan_free(scan);
}

static void callbacks_may_be_missing(void **state)
{
    (void)state;
    static const lw_scan_shape shapes[] = { LW_SCAN_OBJECT, LW_SCAN_LIST, LW_SCAN_EVENT };
    for (size_t i = 0; i < 3; i++) {
        lw_scan *scan = NULL;
        const char text[] = "{\"items\":[{\"a\":1}],\"object\":{\"b\":2}}";
        assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = shapes[i] }, NULL), LW_OK);
        assert_int_equal(lw_scan_feed(scan, text, strlen(text), NULL), LW_OK);
        assert_int_equal(lw_scan_finish(scan, NULL), LW_OK);
        lw_scan_free(scan);
    }
}

static void an_error_is_repeated_until_reset(void **state)
{
    (void)state;
    lw_scan *scan = NULL;
    lw_error first = LW_ERROR_INIT;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_LIST }, NULL), LW_OK);
    assert_int_equal(lw_scan_feed(scan, "{\"items\":[}", 11, &first), LW_ERR_SYNTAX);
    assert_int_equal(first.offset, 10);
    for (int i = 0; i < 3; i++) {
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_scan_feed(scan, "{}", 2, &err), LW_ERR_SYNTAX);
        assert_memory_equal(&err, &first, sizeof(err));
        assert_int_equal(lw_scan_feed(scan, NULL, 0, &err), LW_ERR_SYNTAX);
        assert_int_equal(lw_scan_finish(scan, &err), LW_ERR_SYNTAX);
        assert_memory_equal(&err, &first, sizeof(err));
    }
    lw_scan_reset(scan);
    lw_error none = LW_ERROR_INIT;
    assert_int_equal(lw_scan_feed(scan, "{\"items\":[]}", 12, &none), LW_OK);
    assert_int_equal(lw_scan_finish(scan, &none), LW_OK);
    assert_int_equal(none.code, LW_OK);
    lw_scan_free(scan);
}

/* Cut anywhere, then started afresh: nothing of the first document is left. */
static void reset_forgets_a_document_cut_at_any_byte(void **state)
{
    (void)state;
    static const char list[] =
        "{\"kind\":\"L\\u0069\xC3\xA9\",\"items\":[{\"metadata\":{\"na\\u006de\":\"a\",\"labels\":"
        "{\"x\":\"y\"}},\"spec\":[-1.5e3,true,{\"a\":{}}]}],\"metadata\":{\"continue\":\"c\"}}";
    lw_buf text, expected;
    lw_buf_init(&text, TRANSCRIPT_LIMIT);
    lw_buf_init(&expected, TRANSCRIPT_LIMIT);
    lw_scan *scan = transcript_scan_new(&(lw_scan_options){ .shape = LW_SCAN_LIST }, NULL, &text);
    assert_int_equal(transcript_write(&text, scan, lw_str_of(list), 0), LW_OK);
    lw_buf_append_str(&expected, lw_buf_view(&text));
    for (size_t cut = 0; cut < strlen(list); cut++) {
        lw_scan_reset(scan);
        assert_int_equal(lw_scan_feed(scan, list, cut, NULL), LW_OK);
        assert_int_equal(transcript_write(&text, scan, lw_str_of(list), 0), LW_OK);
        assert_true(lw_str_equal(lw_buf_view(&text), lw_buf_view(&expected)));
    }
    lw_scan_free(scan);
    lw_buf_done(&text);
    lw_buf_done(&expected);
}

static void a_list_cut_at_any_byte_ends_too_early(void **state)
{
    (void)state;
    static const char list[] =
        "{\"kind\":\"L\\u0069\xC3\xA9\",\"items\":[{\"metadata\":{\"na\\u006de\":\"a\",\"labels\":"
        "{\"x\":\"y\"},\"managedFields\":[{\"a\":\"\\\\\"}]},\"spec\":[-1.5e3,true,{\"a\":{}},"
        "[[null,0]]]} , {}],\"metadata\" : {\"continue\":\"c\",\"remainingItemCount\":10}}";
    lw_scan *scan = NULL;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_LIST }, NULL), LW_OK);
    for (size_t cut = 0; cut < strlen(list); cut++) {
        lw_error err = LW_ERROR_INIT;
        lw_scan_reset(scan);
        assert_int_equal(lw_scan_feed(scan, list, cut, &err), LW_OK);
        assert_int_equal(lw_scan_finish(scan, &err), LW_ERR_SYNTAX);
        assert_int_equal(err.code, LW_ERR_SYNTAX);
        assert_int_equal(err.offset, cut);
    }
    lw_scan_free(scan);
}

static void nothing_is_no_document(void **state)
{
    (void)state;
    static const char *const texts[] = { "", " ", " \t\r\n", "\n\n\n" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (int shape = LW_SCAN_VALUE; shape <= LW_SCAN_EVENT; shape++) {
            scanned r;
            scan_text(&r, &(lw_scan_options){ .shape = (lw_scan_shape)shape }, texts[i]);
            assert_refused(&r, LW_ERR_SYNTAX, strlen(texts[i]));
            scanned_done(&r);
        }
    }
}

static void finishing_twice_gives_the_same_answer(void **state)
{
    (void)state;
    lw_scan *scan = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, NULL), LW_OK);
    assert_int_equal(lw_scan_feed(scan, "12", 2, &err), LW_OK);
    assert_int_equal(lw_scan_finish(scan, &err), LW_OK);
    assert_int_equal(lw_scan_finish(scan, &err), LW_OK);
    assert_int_equal(err.code, LW_OK);
    lw_scan_free(scan);
    lw_scan_free(NULL);
}

static void an_unknown_code_path_is_not_there(void **state)
{
    (void)state;
    lw_scan *scan = NULL;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_VALUE }, NULL), LW_OK);
    assert_false(lw_scan_use_simd(scan, "abacus"));
    assert_true(lw_scan_use_simd(scan, "scalar"));
    assert_true(lw_scan_use_simd(scan, NULL));
    assert_int_equal(lw_scan_feed(scan, "[]", 2, NULL), LW_OK);
    assert_int_equal(lw_scan_finish(scan, NULL), LW_OK);
    lw_scan_free(scan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nesting_is_allowed_up_to_the_limit),
        TEST(an_empty_container_counts_as_a_level),
        TEST(the_default_depth_is_512),
        TEST(nesting_of_100000_levels_is_refused_at_the_limit),
        TEST(depth_counts_from_the_root_of_the_document),
        TEST(options_beyond_the_bounds_are_refused),
        TEST(objects_up_to_the_limit_are_taken),
        TEST(what_is_dropped_does_not_count_against_the_limit),
        TEST(the_envelope_is_bounded),
        TEST(a_too_large_envelope_is_an_error_at_its_document),
        TEST(what_the_envelope_does_not_keep_may_be_of_any_size),
        TEST(objects_leave_no_trace_in_the_envelope),
        TEST(a_callback_stops_the_scan),
        TEST(a_callback_at_the_end_of_a_document_stops_the_scan),
        TEST(callbacks_may_be_missing),
        TEST(an_error_is_repeated_until_reset),
        TEST(reset_forgets_a_document_cut_at_any_byte),
        TEST(a_list_cut_at_any_byte_ends_too_early),
        TEST(nothing_is_no_document),
        TEST(finishing_twice_gives_the_same_answer),
        TEST(an_unknown_code_path_is_not_there),
    };
    return cmocka_run_group_tests_name("scan_limits", tests, NULL, NULL);
}
