/* SPDX-License-Identifier: Apache-2.0 */
/* scan_paths_test.c -- members that are left out of the copies, by paths to drop or to keep. */
#include "unit/json/scanned.h"

enum {
    PATHS = 8,
};

/* What an object is copied as, with paths of one kind. */
typedef struct path_case {
    const char *paths[PATHS];
    const char *object;
    const char *copy;
} path_case;

static void run_case(const path_case *c, bool is_drop)
{
    lw_scan_options options = { .shape = LW_SCAN_OBJECT };
    if (is_drop)
        options.drop = c->paths;
    else
        options.keep = c->paths;
    scanned r;
    scan_text(&r, &options, c->object);
    assert_scanned(&r, 1);
    assert_item(&r, 0, c->copy);
    scanned_done(&r);
}

static void run_drops(const path_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        run_case(&cases[i], true);
}

static void run_keeps(const path_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        run_case(&cases[i], false);
}

#define RUN(run, cases) run((cases), sizeof(cases) / sizeof((cases)[0]))

static void drops_the_members_that_paths_name(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/spec" }, "{'spec':{'a':1},'status':2}", "{'status':2}" },
        { { "/spec/a" }, "{'spec':{'a':1,'b':2}}", "{'spec':{'b':2}}" },
        { { "/spec/b" }, "{'spec':{'a':1,'b':2}}", "{'spec':{'a':1}}" },
        { { "/spec/a", "/spec/b" }, "{'spec':{'a':1,'b':2}}", "{'spec':{}}" },
        { { "/spec/a/b/c" }, "{'spec':{'a':{'b':{'c':1,'d':2}}}}", "{'spec':{'a':{'b':{'d':2}}}}" },
        { { "/spec/a" }, "{'spec':{'a':[{'b':'}'}],'c':'a'}}", "{'spec':{'c':'a'}}" },
        { { "/metadata/annotations" },
          "{'metadata':{'annotations':{'x':'y'}}}",
          "{'metadata':{}}" },
        { { "/a", "/a/b" }, "{'a':{'b':1},'c':2}", "{'c':2}" },
        { { "/a/b", "/a" }, "{'a':{'b':1},'c':2}", "{'c':2}" },
        { { "/missing/x" }, "{'a':{'b':1},'c':2}", "{'a':{'b':1},'c':2}" },
    };
    RUN(run_drops, cases);
}

static void an_empty_list_drops_nothing(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { NULL },
          "{'metadata':{'managedFields':[1],'name':'a'}}",
          "{'metadata':{'managedFields':[1],'name':'a'}}" },
        { { NULL }, "{}", "{}" },
    };
    RUN(run_drops, cases);
}

static void other_drops_keep_managed_fields(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/status" },
          "{'metadata':{'managedFields':[1]},'status':1}",
          "{'metadata':{'managedFields':[1]}}" },
    };
    RUN(run_drops, cases);
}

static void a_path_that_meets_a_scalar_drops_nothing(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/spec/a" }, "{'spec':5}", "{'spec':5}" },
        { { "/spec/a" }, "{'spec':null}", "{'spec':null}" },
        { { "/spec/a" }, "{'spec':'a'}", "{'spec':'a'}" },
        { { "/spec/a" }, "{'spec':['a',{'a':1}]}", "{'spec':['a',{'a':1}]}" },
        { { "/metadata/name/x" }, "{'metadata':{'name':'a'}}", "{'metadata':{'name':'a'}}" },
    };
    RUN(run_drops, cases);
}

static void a_star_stands_for_every_element(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/c/*/env" },
          "{'c':[{'env':1,'x':2},{'x':3,'env':4},{'env':5},6,[7]]}",
          "{'c':[{'x':2},{'x':3},{},6,[7]]}" },
        { { "/c/*" }, "{'c':[1,2,{'a':3}],'d':[4]}", "{'c':[],'d':[4]}" },
        { { "/c/*/*" }, "{'c':[[1,2],[],{'a':3},4]}", "{'c':[[],[],{},4]}" },
        { { "/*/*/x" },
          "{'c':[{'x':1,'y':2}],'d':{'e':{'x':3,'y':4},'x':5}}",
          "{'c':[{'y':2}],'d':{'e':{'y':4},'x':5}}" },
    };
    RUN(run_drops, cases);
}

static void a_star_stands_for_every_member(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/c/*" }, "{'c':{'a':1,'b':{}}}", "{'c':{}}" },
        { { "/c/*/x" },
          "{'c':{'a':{'x':1,'y':2},'b':{'x':3},'x':{'z':4}}}",
          "{'c':{'a':{'y':2},'b':{},'x':{'z':4}}}" },
        { { "/metadata/labels/*" },
          "{'metadata':{'labels':{'a':'b'}}}",
          "{'metadata':{'labels':{}}}" },
    };
    RUN(run_drops, cases);
}

static void a_star_and_a_name_work_together(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/c/*/x", "/c/a/y" },
          "{'c':{'a':{'x':1,'y':2,'z':3},'b':{'x':4,'y':5}}}",
          "{'c':{'a':{'z':3},'b':{'y':5}}}" },
        { { "/c/a/y", "/c/*/x" },
          "{'c':{'a':{'x':1,'y':2,'z':3},'b':{'x':4,'y':5}}}",
          "{'c':{'a':{'z':3},'b':{'y':5}}}" },
        { { "/c/a", "/c/*/x" }, "{'c':{'a':{'x':1},'b':{'x':4,'y':5}}}", "{'c':{'b':{'y':5}}}" },
        { { "/*/a/x", "/c/*/y", "/c/a/z" },
          "{'c':{'a':{'x':1,'y':2,'z':3,'w':4}}}",
          "{'c':{'a':{'w':4}}}" },
        { { "/*/*/*", "/c/a/x/deep" },
          "{'c':{'a':{'x':1},'b':2},'d':[[3],4]}",
          "{'c':{'a':{},'b':2},'d':[[],4]}" },
    };
    RUN(run_drops, cases);
}

static void a_star_in_the_text_is_an_ordinary_key(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/c/a" }, "{'c':{'*':1,'a':2}}", "{'c':{'*':1}}" },
        { { "/c/*" }, "{'c':{'*':1,'a':2}}", "{'c':{}}" },
    };
    RUN(run_drops, cases);
}

static void paths_are_json_pointers(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/a~1b" }, "{'a/b':1,'a~1b':2}", "{'a~1b':2}" },
        { { "/a~0b" }, "{'a~b':1,'a~0b':2}", "{'a~0b':2}" },
        { { "/" }, "{'':1,'a':2}", "{'a':2}" },
        { { "/a/" }, "{'a':{'':1,'b':2}}", "{'a':{'b':2}}" },
        { { "/\xC3\xA9" }, "{'\xC3\xA9':1,'e':2}", "{'e':2}" },
        { { "/\xC3\xA9" }, "{'\\u00e9':1,'e':2}", "{'e':2}" },
        { { "/a b" }, "{'a b':1}", "{}" },
    };
    RUN(run_drops, cases);
}

static void a_star_never_drops_what_identifies_an_object(void **state)
{
    (void)state;
    static const char object[] =
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a','namespace':'b','uid':'c',"
        "'resourceVersion':'d','labels':{'e':'f'}}}";
    static const path_case cases[] = {
        { { "/*" }, object, object },
        { { "/metadata/*" }, object, object },
        { { "/*/name" }, object, object },
        { { "/*/*" }, object, object },
        { { "/*", "/*/*" }, object, object },
        { { "/*" },
          "{'spec':1,'kind':'Pod','metadata':{'x':1},'status':{}}",
          "{'kind':'Pod','metadata':{'x':1}}" },
        { { "/metadata/*" },
          "{'metadata':{'x':1,'name':'a','y':[]}}",
          "{'metadata':{'name':'a'}}" },
    };
    RUN(run_drops, cases);
}

static void one_label_can_be_dropped(void **state)
{
    (void)state;
    static const char *const drop[] = { "/metadata/labels/b", NULL };
    scanned r;
    scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_OBJECT, .drop = drop },
              "{'metadata':{'labels':{'a':'1','b':'2','c':'3'}}}");
    assert_scanned(&r, 1);
    assert_item(&r, 0, "{'metadata':{'labels':{'a':'1','c':'3'}}}");
    assert_int_equal(r.items[0].item.label_count, 2);
    assert_label(&r, 0, 1, "c", "3");
    scanned_done(&r);
}

static void keeps_only_what_paths_name(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/spec/nodeName" },
          "{'spec':{'a':1,'nodeName':'n','b':2},'status':{'x':1}}",
          "{'spec':{'nodeName':'n'}}" },
        { { "/spec" }, "{'spec':{'a':{'b':[1]}},'status':{'x':1}}", "{'spec':{'a':{'b':[1]}}}" },
        { { "/status/phase", "/spec/nodeName" },
          "{'status':{'phase':'R','x':1},'other':[],'spec':{'nodeName':'n'}}",
          "{'status':{'phase':'R'},'spec':{'nodeName':'n'}}" },
        { { "/spec", "/spec/a" }, "{'spec':{'a':1,'b':2}}", "{'spec':{'a':1,'b':2}}" },
        { { "/spec/a", "/spec" }, "{'spec':{'a':1,'b':2}}", "{'spec':{'a':1,'b':2}}" },
        { { "/a/b/c" }, "{'a':{'b':{'c':{'d':1}},'x':1}}", "{'a':{'b':{'c':{'d':1}}}}" },
        { { "/a~1b" }, "{'a/b':1,'a':2}", "{'a/b':1}" },
    };
    RUN(run_keeps, cases);
}

static void a_star_keeps_every_element_or_member(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/c/*/name" },
          "{'c':[{'name':'a','x':1},{'y':2},{'name':'b'}],'d':1}",
          "{'c':[{'name':'a'},{},{'name':'b'}]}" },
        { { "/c/*" }, "{'c':[1,{'a':2}],'d':3}", "{'c':[1,{'a':2}]}" },
        { { "/c/*/x", "/c/a" },
          "{'c':{'a':{'y':1},'b':{'x':2,'y':3}}}",
          "{'c':{'a':{'y':1},'b':{'x':2}}}" },
        { { "/*/x" },
          "{'a':{'x':1,'y':2},'b':{'y':3},'c':{'x':4}}",
          "{'a':{'x':1},'b':{},'c':{'x':4}}" },
        { { "/*" }, "{'a':{'x':1},'b':2}", "{'a':{'x':1},'b':2}" },
    };
    RUN(run_keeps, cases);
}

static void a_scalar_on_the_way_to_what_is_kept_is_kept_unless_it_is_an_element(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/spec/a" }, "{'spec':5,'kind':'k'}", "{'spec':5,'kind':'k'}" },
        { { "/spec/a" }, "{'spec':null}", "{'spec':null}" },
        { { "/spec/a" }, "{'kind':'k','spec':'a'}", "{'kind':'k','spec':'a'}" },
        { { "/spec/a" }, "{'spec':5,'status':6}", "{'spec':5}" },
        { { "/spec/*/a" }, "{'spec':[1,{'a':2},'b',{'c':3}]}", "{'spec':[{'a':2},{}]}" },
        { { "/spec/*/a" }, "{'spec':{'x':1,'y':{'a':2,'b':3}}}", "{'spec':{'x':1,'y':{'a':2}}}" },
    };
    RUN(run_keeps, cases);
}

/* The last member of a name counts, in the copy as well. */
static void a_scalar_hides_an_earlier_member_of_its_name(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/spec/a" }, "{'spec':{'a':1,'b':2},'spec':5}", "{'spec':{'a':1},'spec':5}" },
        { { "/spec/a" },
          "{'metadata':{'name':'a'},'metadata':null}",
          "{'metadata':{'name':'a'},'metadata':null}" },
    };
    RUN(run_keeps, cases);
}

static void keeping_never_loses_what_identifies_an_object(void **state)
{
    (void)state;
    static const char object[] =
        "{'apiVersion':'v1','spec':{'x':1},'kind':'Pod','metadata':{'annotations':{},'name':'a',"
        "'namespace':'b','managedFields':[1],'uid':'c','resourceVersion':'d','labels':{'e':'f'},"
        "'finalizers':[]},'status':{}}";
    static const char identity[] =
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a','namespace':'b','uid':'c',"
        "'resourceVersion':'d','labels':{'e':'f'}}}";
    static const path_case cases[] = {
        { { NULL }, object, identity },
        { { "/nothing/of/this" }, object, identity },
        { { "/metadata/name" }, object, identity },
        { { "/metadata/labels" }, object, identity },
        { { "/metadata/labels/zzz" }, object, identity },
        { { "/kind/x" }, object, identity },
    };
    RUN(run_keeps, cases);
    scanned r;
    scan_text(&r, &(lw_scan_options){ .shape = LW_SCAN_OBJECT, .keep = cases[0].paths }, object);
    assert_item_text(&r, 0, name, "a");
    assert_item_text(&r, 0, resource_version, "d");
    assert_label(&r, 0, 0, "e", "f");
    scanned_done(&r);
}

static void keeping_metadata_keeps_all_of_it(void **state)
{
    (void)state;
    static const path_case cases[] = {
        { { "/metadata" },
          "{'metadata':{'managedFields':[1],'x':{'y':2}},'z':1}",
          "{'metadata':{'managedFields':[1],'x':{'y':2}}}" },
        { { "/metadata/annotations" },
          "{'metadata':{'managedFields':[1],'annotations':{'a':'b'}}}",
          "{'metadata':{'annotations':{'a':'b'}}}" },
    };
    RUN(run_keeps, cases);
}

static void blanks_around_what_goes_leave_valid_json(void **state)
{
    (void)state;
    static const char text[] = " { 'a' : 1 , 'spec' : { 'x' : [ 1 , { 'name' : 2 } ] , 'y' : { } "
                               "} , 'z' : 3 } ";
    static const char *const paths[] = { "/spec/x", "/z", NULL };
    for (int is_drop = 0; is_drop < 2; is_drop++) {
        scanned r;
        lw_scan_options options = { .shape = LW_SCAN_OBJECT };
        *(is_drop ? &options.drop : &options.keep) = paths;
        scan_text(&r, &options, text);
        assert_scanned(&r, 1);
        assert_int_equal(lw_json_validate(r.items[0].item.json, 0, NULL), LW_OK);
        assert_int_equal(memmem(r.items[0].item.json.ptr, r.items[0].item.json.len, "\"x\"", 3) ==
                             NULL,
                         is_drop);
        scanned_done(&r);
    }
}

static void assert_path_refused(const char *path, bool is_drop)
{
    const char *const paths[] = { "/spec", path, NULL };
    lw_scan_options options = { .shape = LW_SCAN_LIST };
    lw_error err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    *(is_drop ? &options.drop : &options.keep) = paths;
    if (lw_scan_new(&scan, &options, &err) != LW_ERR_INVALID)
        fail_msg("\"%s\" was not refused", path);
    assert_null(scan);
    assert_int_equal(err.code, LW_ERR_INVALID);
    assert_non_null(strstr(err.message, path));
}

static void malformed_paths_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = { "",     "spec", "spec/a", "*",   "/a~",
                                         "/a~2", "/~/b", "~0",     " /a", "/a/b~x" };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_path_refused(paths[i], true);
        assert_path_refused(paths[i], false);
    }
}

static void paths_that_are_too_long_are_refused(void **state)
{
    (void)state;
    static const char thirty[] = "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/"
                                 "25/26/27/28/29/30";
    assert_path_refused(thirty, true);
    assert_path_refused(thirty, false);
}

static void too_many_paths_are_refused(void **state)
{
    (void)state;
    enum {
        COUNT = 2000
    };
    static char texts[COUNT][16];
    static const char *paths[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof(texts[i]), "/spec/%d", i);
        paths[i] = texts[i];
    }
    lw_error err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    assert_int_equal(lw_scan_new(&scan, &(lw_scan_options){ .shape = LW_SCAN_LIST, .drop = paths },
                                 &err),
                     LW_ERR_LIMIT);
    assert_null(scan);
    assert_int_equal(err.code, LW_ERR_LIMIT);
}

static void what_identifies_an_object_cannot_be_dropped(void **state)
{
    (void)state;
    static const char *const paths[] = { "/apiVersion",      "/kind",
                                         "/metadata",        "/metadata/name",
                                         "/metadata/uid",    "/metadata/namespace",
                                         "/metadata/labels", "/metadata/resourceVersion" };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_path_refused(paths[i], true);
}

static void dropping_and_keeping_exclude_each_other(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    lw_error err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .drop = none, .keep = none };
    assert_int_equal(lw_scan_new(&scan, &options, &err), LW_ERR_INVALID);
    assert_null(scan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(drops_the_members_that_paths_name),
        TEST(an_empty_list_drops_nothing),
        TEST(other_drops_keep_managed_fields),
        TEST(a_path_that_meets_a_scalar_drops_nothing),
        TEST(a_star_stands_for_every_element),
        TEST(a_star_stands_for_every_member),
        TEST(a_star_and_a_name_work_together),
        TEST(a_star_in_the_text_is_an_ordinary_key),
        TEST(paths_are_json_pointers),
        TEST(a_star_never_drops_what_identifies_an_object),
        TEST(one_label_can_be_dropped),
        TEST(keeps_only_what_paths_name),
        TEST(a_star_keeps_every_element_or_member),
        TEST(a_scalar_on_the_way_to_what_is_kept_is_kept_unless_it_is_an_element),
        TEST(a_scalar_hides_an_earlier_member_of_its_name),
        TEST(keeping_never_loses_what_identifies_an_object),
        TEST(keeping_metadata_keeps_all_of_it),
        TEST(blanks_around_what_goes_leave_valid_json),
        TEST(malformed_paths_are_refused),
        TEST(paths_that_are_too_long_are_refused),
        TEST(too_many_paths_are_refused),
        TEST(what_identifies_an_object_cannot_be_dropped),
        TEST(dropping_and_keeping_exclude_each_other),
    };
    return cmocka_run_group_tests_name("scan_paths", tests, NULL, NULL);
}
