/* SPDX-License-Identifier: Apache-2.0 */
/* scan_list_test.c -- a list is split into its objects, and its envelope is reported. */
#include "unit/json/scanned.h"

static void splits_a_list_into_its_objects(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'7'},"
                  "'items':[{'metadata':{'name':'a'}},{'metadata':{'name':'b'},'spec':{}},{}]}");
    assert_scanned(&r, 3);
    assert_item(&r, 0, "{'metadata':{'name':'a'}}");
    assert_item(&r, 1, "{'metadata':{'name':'b'},'spec':{}}");
    assert_item(&r, 2, "{}");
    assert_int_equal(r.items[0].item.offset, scanned_offset(&r, "{'metadata':{'name':'a'"));
    assert_int_equal(r.items[1].item.offset, scanned_offset(&r, "{'metadata':{'name':'b'"));
    assert_int_equal(r.items[2].item.offset, scanned_offset(&r, "{}]"));
    scanned_done(&r);
}

static void reports_what_stands_around_the_objects(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'7',"
                  "'continue':'abc','remainingItemCount':12},'items':[{},{}]}");
    assert_scanned(&r, 2);
    assert_int_equal(r.document_count, 1);
    const lw_scan_envelope *e = &r.documents[0];
    assert_text(e->json, e->kind, "PodList");
    assert_text(e->json, e->api_version, "v1");
    assert_text(e->json, e->resource_version, "7");
    assert_text(e->json, e->continue_token, "abc");
    assert_text(e->json, e->type, NULL);
    assert_int_equal(e->remaining_item_count, 12);
    assert_int_equal(e->item_count, 2);
    assert_true(e->has_items);
    scanned_done(&r);
}

/* Custom resources come with sorted keys: apiVersion, items, kind, metadata. */
static void metadata_of_the_list_may_come_after_its_items(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'apiVersion':'x/v1','items':[{'apiVersion':'x/v1','kind':'T',"
                  "'metadata':{'name':'a','resourceVersion':'3'}}],'kind':'TList',"
                  "'metadata':{'continue':'','resourceVersion':'9','remainingItemCount':0}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, "T");
    assert_item_text(&r, 0, resource_version, "3");
    const lw_scan_envelope *e = &r.documents[0];
    assert_text(e->json, e->kind, "TList");
    assert_text(e->json, e->api_version, "x/v1");
    assert_text(e->json, e->resource_version, "9");
    assert_text(e->json, e->continue_token, "");
    assert_int_equal(e->remaining_item_count, 0);
    scanned_done(&r);
}

static void an_empty_envelope_says_nothing(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{}");
    assert_scanned(&r, 0);
    const lw_scan_envelope *e = &r.documents[0];
    assert_text(e->json, e->kind, NULL);
    assert_text(e->json, e->resource_version, NULL);
    assert_int_equal(e->remaining_item_count, -1);
    assert_int_equal(e->item_count, 0);
    assert_false(e->has_items);
    scanned_done(&r);
}

static void items_may_be_empty_or_null(void **state)
{
    (void)state;
    static const char *const lists[] = { "{'items':[]}", "{'items':null}", "{'items': [ ] }",
                                         "{'kind':'PodList','items':[],'metadata':{}}" };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        scanned r;
        scan_list(&r, lists[i]);
        assert_scanned(&r, 0);
        assert_int_equal(r.document_count, 1);
        assert_true(r.documents[0].has_items);
        assert_int_equal(r.documents[0].item_count, 0);
        scanned_done(&r);
    }
}

static void null_in_the_envelope_is_absent(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'kind':null,'apiVersion':null,'metadata':{'resourceVersion':null,"
                  "'continue':null,'remainingItemCount':null},'items':null}");
    assert_scanned(&r, 0);
    const lw_scan_envelope *e = &r.documents[0];
    assert_text(e->json, e->kind, NULL);
    assert_text(e->json, e->api_version, NULL);
    assert_text(e->json, e->resource_version, NULL);
    assert_text(e->json, e->continue_token, NULL);
    assert_int_equal(e->remaining_item_count, -1);
    scanned_done(&r);
}

static void metadata_of_the_list_may_be_null(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'metadata':null,'items':[{}]}");
    assert_scanned(&r, 1);
    assert_text(r.documents[0].json, r.documents[0].resource_version, NULL);
    scanned_done(&r);
}

static void unknown_members_of_the_envelope_are_passed_over(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'x':{'items':[{}],'kind':'no'},'y':[[],{},[{}]],'items':[{'a':1}],'z':1.5e3,"
                  "'metadata':{'selfLink':'/x','extra':{'continue':'no'},'continue':'yes'}}");
    assert_scanned(&r, 1);
    assert_item(&r, 0, "{'a':1}");
    assert_text(r.documents[0].json, r.documents[0].kind, NULL);
    assert_text(r.documents[0].json, r.documents[0].continue_token, "yes");
    scanned_done(&r);
}

static void escaped_keys_of_the_envelope_are_understood(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'\\u006bind':'L\\u0069st','it\\u0065ms':[{'a':1}],"
                  "'m\\u0065tadata':{'c\\u006fntinue':'\\u0041'}}");
    assert_scanned(&r, 1);
    assert_text(r.documents[0].json, r.documents[0].kind, "List");
    assert_text(r.documents[0].json, r.documents[0].continue_token, "A");
    scanned_done(&r);
}

static void members_of_the_envelope_named_twice_last_one_counts(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'kind':'A','kind':'B','metadata':{'resourceVersion':'1','continue':'x',"
                  "'remainingItemCount':4},'metadata':{'resourceVersion':'2'},'items':[]}");
    assert_scanned(&r, 0);
    assert_text(r.documents[0].json, r.documents[0].kind, "B");
    assert_text(r.documents[0].json, r.documents[0].resource_version, "2");
    assert_text(r.documents[0].json, r.documents[0].continue_token, NULL);
    assert_int_equal(r.documents[0].remaining_item_count, -1);
    scanned_done(&r);
}

/* What was handed out cannot be taken back, so the last cannot count here. */
static void items_twice_are_refused(void **state)
{
    (void)state;
    static const char *const lists[] = { "{'items':[],'items':2}", "{'items':null,'items':2}",
                                         "{'items':[{}],'kind':'x','items':2}" };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        scanned r;
        scan_list(&r, lists[i]);
        assert_refused(&r, LW_ERR_INVALID, scanned_offset(&r, "2}"));
        scanned_done(&r);
    }
}

static void what_is_not_a_list_is_refused_where_it_shows(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        const char *at;
    } cases[] = {
        { "[]", "[" },
        { "12", "1" },
        { "'items'", "'" },
        { "null", "null" },
        { "{'items':{}}", "{}" },
        { "{'items':'a'}", "'a'" },
        { "{'items':1}", "1" },
        { "{'items':true}", "true" },
        { "{'items':[{},1]}", "1" },
        { "{'items':[null]}", "null" },
        { "{'items':[[]]}", "[]" },
        { "{'items':['x']}", "'x'" },
        { "{'metadata':[],'items':[]}", "[]" },
        { "{'metadata':'x','items':[]}", "'x'" },
        { "{'metadata':7}", "7" },
        { "{'kind':1}", "1" },
        { "{'kind':{'a':1}}", "{'a'" },
        { "{'apiVersion':[]}", "[]" },
        { "{'metadata':{'resourceVersion':17}}", "17" },
        { "{'metadata':{'continue':false}}", "false" },
        { "{'metadata':{'remainingItemCount':'3'}}", "'3'" },
        { "{'metadata':{'remainingItemCount':-3}}", "-3" },
        { "{'metadata':{'remainingItemCount':1.5}}", "1.5" },
        { "{'metadata':{'remainingItemCount':99999999999999999999}}", "9999" },
        { "{'metadata':{'remainingItemCount':{}}}", "{}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_list(&r, cases[i].list);
        assert_refused(&r, LW_ERR_INVALID, scanned_offset(&r, cases[i].at));
        assert_true(strlen(r.err.message) > 0);
        scanned_done(&r);
    }
}

static void objects_before_a_fault_have_been_handed_out(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'items':[{'a':1},{'b':2},{'c':}]}");
    assert_refused(&r, LW_ERR_SYNTAX, scanned_offset(&r, "}]"));
    assert_int_equal(r.item_count, 2);
    assert_int_equal(r.document_count, 0);
    assert_item(&r, 1, "{'b':2}");
    scanned_done(&r);
}

static void the_items_of_one_object_do_not_leak_into_the_next(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, "{'items':[{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a','uid':'u',"
                  "'namespace':'n','resourceVersion':'1','labels':{'l':'1'}}},{'spec':{}}]}");
    assert_scanned(&r, 2);
    assert_item_text(&r, 1, api_version, NULL);
    assert_item_text(&r, 1, kind, NULL);
    assert_item_text(&r, 1, name, NULL);
    assert_item_text(&r, 1, ns, NULL);
    assert_item_text(&r, 1, uid, NULL);
    assert_item_text(&r, 1, resource_version, NULL);
    assert_int_equal(r.items[1].item.label_count, 0);
    assert_int_equal(r.items[1].item.metadata_at, 0);
    scanned_done(&r);
}

static void blanks_of_all_kinds_may_stand_between_tokens(void **state)
{
    (void)state;
    scanned r;
    scan_list(&r, " \t\r\n{ \n'kind' : 'L' ,\t'items'\r\n:\n[ { 'metadata' : { 'name' :\t'a' , "
                  "'managedFields' : [ 1 , 2 ] } , 'spec' : [ ] } ,\n { } ] , 'metadata' : { "
                  "'remainingItemCount' : 3 } } \n\n\t ");
    assert_scanned(&r, 2);
    assert_item_text(&r, 0, name, "a");
    assert_int_equal(lw_json_validate(r.items[0].item.json, 0, NULL), LW_OK);
    assert_int_equal(lw_json_validate(r.items[1].item.json, 0, NULL), LW_OK);
    assert_text(r.documents[0].json, r.documents[0].kind, "L");
    assert_int_equal(r.documents[0].remaining_item_count, 3);
    scanned_done(&r);
}

/* An empty container whose opening bracket was processed separately must end at its own closing
 * bracket, at any position in a block. */
static void empty_members_end_where_they_end(void **state)
{
    (void)state;
    static const char *const members[] = { "'spec':{}", "'spec':[]", "'spec':{},'status':[]",
                                           "'metadata':{'annotations':{},'name':'a'}",
                                           "'metadata':{'managedFields':[],'name':'a'}" };
    for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
        for (int pad = 0; pad < 130; pad++) {
            char list[512];
            scanned r;
            snprintf(list, sizeof(list), "{'items':[{'pad':'%0*d',%s,'a':{'b':[1]}}],'kind':'L'}",
                     pad, 0, members[m]);
            scan_list(&r, list);
            assert_scanned(&r, 1);
            assert_text(r.documents[0].json, r.documents[0].kind, "L");
            assert_int_equal(lw_json_validate(r.items[0].item.json, 0, NULL), LW_OK);
            scanned_done(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(splits_a_list_into_its_objects),
        TEST(reports_what_stands_around_the_objects),
        TEST(metadata_of_the_list_may_come_after_its_items),
        TEST(an_empty_envelope_says_nothing),
        TEST(items_may_be_empty_or_null),
        TEST(null_in_the_envelope_is_absent),
        TEST(metadata_of_the_list_may_be_null),
        TEST(unknown_members_of_the_envelope_are_passed_over),
        TEST(escaped_keys_of_the_envelope_are_understood),
        TEST(members_of_the_envelope_named_twice_last_one_counts),
        TEST(items_twice_are_refused),
        TEST(what_is_not_a_list_is_refused_where_it_shows),
        TEST(objects_before_a_fault_have_been_handed_out),
        TEST(the_items_of_one_object_do_not_leak_into_the_next),
        TEST(blanks_of_all_kinds_may_stand_between_tokens),
        TEST(empty_members_end_where_they_end),
    };
    return cmocka_run_group_tests_name("scan_list", tests, NULL, NULL);
}
