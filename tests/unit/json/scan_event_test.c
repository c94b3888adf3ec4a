/* SPDX-License-Identifier: Apache-2.0 */
/* scan_event_test.c -- watch events, and streams of documents. */
#include "unit/json/scanned.h"

static const lw_scan_options one_event = { .shape = LW_SCAN_EVENT };
static const lw_scan_options events = { .shape = LW_SCAN_EVENT, .is_stream = true };

static void reads_type_and_object(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event,
              "{'type':'ADDED','object':{'kind':'Pod','apiVersion':'v1','metadata':{'name':'a',"
              "'resourceVersion':'5','managedFields':[{}]},'spec':{'type':'no','object':{}}}}");
    assert_scanned(&r, 1);
    assert_item(&r, 0,
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'a','resourceVersion':'5'},"
                "'spec':{'type':'no','object':{}}}");
    assert_item_text(&r, 0, name, "a");
    assert_item_text(&r, 0, resource_version, "5");
    assert_int_equal(r.items[0].item.offset, scanned_offset(&r, "{'kind'"));
    assert_int_equal(r.document_count, 1);
    assert_text(r.documents[0].json, r.documents[0].type, "ADDED");
    assert_true(r.documents[0].has_items);
    assert_int_equal(r.documents[0].item_count, 1);
    scanned_done(&r);
}

static void the_type_may_come_after_the_object(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event, "{'object':{'metadata':{'name':'a'}},'x':[],'t\\u0079pe':'DELETED'}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, name, "a");
    assert_text(r.documents[0].json, r.documents[0].type, "DELETED");
    scanned_done(&r);
}

static void reads_a_bookmark(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event,
              "{'type':'BOOKMARK','object':{'kind':'Pod','apiVersion':'v1','metadata':"
              "{'resourceVersion':'12746','annotations':{'k8s.io/initial-events-end':'true'}},"
              "'spec':{'containers':null},'status':{}}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, resource_version, "12746");
    assert_item_text(&r, 0, name, NULL);
    assert_text(r.documents[0].json, r.documents[0].type, "BOOKMARK");
    scanned_done(&r);
}

static void reads_an_error_event(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event,
              "{'type':'ERROR','object':{'kind':'Status','apiVersion':'v1','metadata':{},'status':"
              "'Failure','message':'too old resource version: 1 (2)','reason':'Expired',"
              "'code':410}}\n");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, "Status");
    assert_text(r.documents[0].json, r.documents[0].type, "ERROR");
    scanned_done(&r);
}

static void an_event_may_have_no_object(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event, "{'type':'ADDED'}");
    assert_scanned(&r, 0);
    assert_false(r.documents[0].has_items);
    assert_int_equal(r.documents[0].item_count, 0);
    scanned_done(&r);
}

static void what_is_not_an_event_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *event;
        const char *at;
    } cases[] = {
        { "[]", "[" },
        { "{'type':5}", "5" },
        { "{'type':{}}", "{}" },
        { "{'object':[]}", "[]" },
        { "{'object':null}", "null" },
        { "{'object':'x'}", "'x'" },
        { "{'type':'ADDED','object':3}", "3" },
        { "{'object':{'metadata':{'name':9}}}", "9" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_text(&r, &one_event, cases[i].event);
        assert_refused(&r, LW_ERR_INVALID, scanned_offset(&r, cases[i].at));
        scanned_done(&r);
    }
}

/* The first one has been handed out when the second comes. */
static void an_event_with_two_objects_is_refused(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &one_event, "{'object':{'a':1},'type':'ADDED','object':{'b':2}}");
    assert_refused(&r, LW_ERR_INVALID, scanned_offset(&r, "{'b'"));
    assert_int_equal(r.item_count, 1);
    scanned_done(&r);
}

static void assert_three_events(scanned *r)
{
    assert_scanned(r, 3);
    assert_int_equal(r->document_count, 3);
    assert_item_text(r, 0, name, "a");
    assert_item_text(r, 1, name, "b");
    assert_item_text(r, 2, name, "c");
    assert_text(r->documents[0].json, r->documents[0].type, "ADDED");
    assert_text(r->documents[1].json, r->documents[1].type, "MODIFIED");
    assert_text(r->documents[2].json, r->documents[2].type, NULL);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(r->documents[i].item_count, 1);
    assert_int_equal(r->items[2].item.offset, scanned_offset(r, "{'metadata':{'name':'c'"));
    scanned_done(r);
}

static void documents_of_a_stream_follow_one_another(void **state)
{
    (void)state;
    static const char *const between[] = { "\n", "", " ", "\r\n\r\n\t " };
    for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
        char stream[512];
        scanned r;
        snprintf(stream, sizeof(stream),
                 "%s{'type':'ADDED','object':{'metadata':{'name':'a'}}}%s"
                 "{'object':{'metadata':{'name':'b'}},'type':'MODIFIED'}%s"
                 "{'object':{'metadata':{'name':'c'}}}%s",
                 between[i], between[i], between[i], between[i]);
        scan_text(&r, &events, stream);
        assert_three_events(&r);
    }
}

static void streams_may_be_empty(void **state)
{
    (void)state;
    static const char *const streams[] = { "", " ", "\n\n\r\t" };
    static const lw_scan_shape shapes[] = { LW_SCAN_VALUE, LW_SCAN_OBJECT, LW_SCAN_LIST,
                                            LW_SCAN_EVENT };
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
            scanned r;
            scan_text(&r, &(lw_scan_options){ .shape = shapes[k], .is_stream = true }, streams[i]);
            assert_scanned(&r, 0);
            assert_int_equal(r.document_count, 0);
            scanned_done(&r);
        }
    }
}

static void a_stream_cut_short_is_an_error_at_its_end(void **state)
{
    (void)state;
    static const char stream[] = "{'type':'ADDED','object':{'a':1}}\n{'type':'MODIFIED','object':"
                                 "{'a':[1,{'b':'\\u00e9'}]}}";
    size_t first = (size_t)(strchr(stream, '\n') - stream);
    for (size_t cut = first + 2; cut < sizeof(stream) - 1; cut++) {
        char text[sizeof(stream)];
        scanned r;
        snprintf(text, sizeof(text), "%.*s", (int)cut, stream);
        scan_text(&r, &events, text);
        assert_refused(&r, LW_ERR_SYNTAX, cut);
        assert_true(r.item_count >= 1);
        scanned_done(&r);
    }
}

static void a_fault_in_a_later_document_has_its_offset_in_the_stream(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &events, "{'type':'ADDED'}\n{'type':'ADDED',}\n");
    assert_refused(&r, LW_ERR_SYNTAX, scanned_offset(&r, "}\n{") + 2 + strlen("{'type':'ADDED',"));
    assert_int_equal(r.document_count, 1);
    scanned_done(&r);
}

static void without_a_stream_only_blanks_may_follow(void **state)
{
    (void)state;
    static const char *const tails[] = { "{}", "\n{}", "1", "'a'", "]", "}", ",", ":", "null" };
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        char text[64];
        scanned r;
        snprintf(text, sizeof(text), "{'type':'A'}%s", tails[i]);
        scan_text(&r, &one_event, text);
        assert_refused(&r, LW_ERR_SYNTAX, strlen("{'type':'A'}") + (tails[i][0] == '\n'));
        assert_int_equal(r.document_count, 1);
        scanned_done(&r);
    }
}

static void only_objects_may_follow_in_a_stream_of_objects(void **state)
{
    (void)state;
    static const char *const tails[] = { "1", "[]", "'a'", "null" };
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        char text[64];
        scanned r;
        snprintf(text, sizeof(text), "{}%s", tails[i]);
        scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_OBJECT, .is_stream = true }, text);
        assert_refused(&r, LW_ERR_INVALID, 2);
        scanned_done(&r);
    }
}

static void brackets_and_commas_do_not_begin_a_document(void **state)
{
    (void)state;
    static const char *const tails[] = { "]", "}", ",", ":" };
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        for (int shape = LW_SCAN_VALUE; shape <= LW_SCAN_EVENT; shape++) {
            char text[64];
            scanned r;
            snprintf(text, sizeof(text), "{}%s", tails[i]);
            scan_text(&r, &(lw_scan_options){ .shape = (lw_scan_shape)shape, .is_stream = true },
                      text);
            assert_refused(&r, LW_ERR_SYNTAX, 2);
            scanned_done(&r);
        }
    }
}

static void any_values_may_follow_in_a_stream_of_values(void **state)
{
    (void)state;
    static const char *const streams[] = { "1 2 3",         "{}[]'a''b'1 true\nfalse null{}",
                                           "'a'1'b'2",      "[][][]",
                                           "1[2]3{'a':4}5", "null" };
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        scanned r;
        scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_VALUE, .is_stream = true }, streams[i]);
        assert_scanned(&r, 0);
        assert_int_equal(r.document_count, 0);
        scanned_done(&r);
    }
}

static void values_of_a_stream_are_still_checked(void **state)
{
    (void)state;
    static const struct {
        const char *stream;
        uint64_t at;
    } cases[] = { { "1 2.", 4 }, { "truefalse", 4 }, { "1 02", 3 }, { "{}[1,]", 5 }, { "''x", 2 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_VALUE, .is_stream = true },
                  cases[i].stream);
        assert_refused(&r, LW_ERR_SYNTAX, cases[i].at);
        scanned_done(&r);
    }
}

static void a_stream_of_lists_reports_each(void **state)
{
    (void)state;
    scanned r;
    scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_LIST, .is_stream = true },
              "{'items':[{'a':1}],'metadata':{'continue':'x','remainingItemCount':1}}\n"
              "{'metadata':{'resourceVersion':'2'},'items':[{'b':2},{'c':3}]}");
    assert_scanned(&r, 3);
    assert_int_equal(r.document_count, 2);
    assert_int_equal(r.documents[0].item_count, 1);
    assert_int_equal(r.documents[0].remaining_item_count, 1);
    assert_int_equal(r.documents[1].item_count, 2);
    assert_int_equal(r.documents[1].remaining_item_count, -1);
    assert_text(r.documents[1].json, r.documents[1].continue_token, NULL);
    assert_text(r.documents[1].json, r.documents[1].resource_version, "2");
    scanned_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_type_and_object),
        TEST(the_type_may_come_after_the_object),
        TEST(reads_a_bookmark),
        TEST(reads_an_error_event),
        TEST(an_event_may_have_no_object),
        TEST(what_is_not_an_event_is_refused),
        TEST(an_event_with_two_objects_is_refused),
        TEST(documents_of_a_stream_follow_one_another),
        TEST(streams_may_be_empty),
        TEST(a_stream_cut_short_is_an_error_at_its_end),
        TEST(a_fault_in_a_later_document_has_its_offset_in_the_stream),
        TEST(without_a_stream_only_blanks_may_follow),
        TEST(only_objects_may_follow_in_a_stream_of_objects),
        TEST(brackets_and_commas_do_not_begin_a_document),
        TEST(any_values_may_follow_in_a_stream_of_values),
        TEST(values_of_a_stream_are_still_checked),
        TEST(a_stream_of_lists_reports_each),
    };
    return cmocka_run_group_tests_name("scan_event", tests, NULL, NULL);
}
