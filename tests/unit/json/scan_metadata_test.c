/* SPDX-License-Identifier: Apache-2.0 */
/* scan_metadata_test.c -- what the scanner finds in an object: identity, labels, the copy itself.
 */
#include "base/str.h"
#include "unit/json/scanned.h"

static void finds_everything_that_identifies_an_object(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web-0','namespace':'shop',"
                    "'uid':'12-34','resourceVersion':'99','labels':{'app':'web','tier':''}},"
                    "'spec':{'name':'other','metadata':{'name':'deep'}}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, api_version, "v1");
    assert_item_text(&r, 0, kind, "Pod");
    assert_item_text(&r, 0, name, "web-0");
    assert_item_text(&r, 0, ns, "shop");
    assert_item_text(&r, 0, uid, "12-34");
    assert_item_text(&r, 0, resource_version, "99");
    assert_int_equal(r.items[0].item.label_count, 2);
    assert_label(&r, 0, 0, "app", "web");
    assert_label(&r, 0, 1, "tier", "");
    assert_int_equal(r.items[0].item.offset, 0);
    scanned_done(&r);
}

static void metadata_may_come_last(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'spec':{'x':[{'kind':'no'}]},'status':{},'kind':'Pod',"
                    "'metadata':{'annotations':{'name':'no'},'labels':{'a':'b'},'name':'z'}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, "Pod");
    assert_item_text(&r, 0, name, "z");
    assert_label(&r, 0, 0, "a", "b");
    scanned_done(&r);
}

static void says_where_the_inside_of_metadata_begins(void **state)
{
    (void)state;
    static const char *const objects[] = {
        "{'metadata':{'name':'a'}}",
        "{'spec':{'metadata':{}},'metadata':{'managedFields':[1],'name':'a'}}",
        "{ 'metadata' :\n{ 'name' : 'a' } }",
    };
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        scanned r;
        scan_object(&r, objects[i]);
        assert_scanned(&r, 1);
        const lw_scan_item *item = &r.items[0].item;
        lw_str inside =
            lw_str_make(item->json.ptr + item->metadata_at, item->json.len - item->metadata_at);
        assert_int_equal(item->json.ptr[item->metadata_at - 1], '{');
        /* The first thing in there is the name. */
        assert_true(memchr(inside.ptr, 'n', 3) != NULL);
        scanned_done(&r);
    }
}

static void an_object_without_metadata_has_none(void **state)
{
    (void)state;
    static const char *const objects[] = { "{}", "{'metadata':null}", "{'spec':{'metadata':{}}}",
                                           "{'metadata':{'name':'a'},'metadata':null}" };
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        scanned r;
        scan_object(&r, objects[i]);
        assert_scanned(&r, 1);
        assert_item(&r, 0, objects[i]);
        assert_int_equal(r.items[0].item.metadata_at, 0);
        assert_item_text(&r, 0, name, NULL);
        scanned_done(&r);
    }
}

static void escaped_keys_are_understood_and_kept_as_they_are(void **state)
{
    (void)state;
    static const char object[] =
        "{'\\u006d\\u0065tadata':{'n\\u0061me':'x','n\\u0061m\\u0065space':'y','u\\u0069d':'z',"
        "'l\\u0061bels':{'a\\/b':'c'},'m\\u0061nagedFields':[{}]},'k\\u0069nd':'K'}";
    scanned r;
    scan_object(&r, object);
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, name, "x");
    assert_item_text(&r, 0, ns, "y");
    assert_item_text(&r, 0, uid, "z");
    assert_item_text(&r, 0, kind, "K");
    assert_label(&r, 0, 0, "a/b", "c");
    assert_item(&r, 0,
                "{'\\u006d\\u0065tadata':{'n\\u0061me':'x','n\\u0061m\\u0065space':'y',"
                "'u\\u0069d':'z','l\\u0061bels':{'a\\/b':'c'}},'k\\u0069nd':'K'}");
    scanned_done(&r);
}

static void escaped_values_are_marked_and_decode(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'kind':'\\u0050od','metadata':{'name':'a\\nb','namespace':'\\ud83d\\ude00',"
                    "'uid':'plain','labels':{'\\u00e9':'\\\\'}}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, "Pod");
    assert_item_text(&r, 0, name, "a\nb");
    assert_item_text(&r, 0, ns, "\xF0\x9F\x98\x80");
    assert_true(r.items[0].item.name.is_escaped);
    assert_false(r.items[0].item.uid.is_escaped);
    assert_label(&r, 0, 0, "\xC3\xA9", "\\");
    scanned_done(&r);
}

static void values_with_quotes_and_brackets_in_them_are_found(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'metadata':{'name':'a\\'}],{','labels':{'{\\'':'}','':''}},'spec':{}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, name, "a\"}],{");
    assert_int_equal(r.items[0].item.label_count, 2);
    assert_label(&r, 0, 0, "{\"", "}");
    assert_label(&r, 0, 1, "", "");
    scanned_done(&r);
}

static void similar_keys_are_not_mistaken(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'Kind':'a','kind2':'b','kin':'c','metadata ':{'name':'d'},'METADATA':{},"
                    "'metadata':{'nam':'e','names':'f','Name':'g','':'h','label':{'i':'j'}}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, NULL);
    assert_item_text(&r, 0, name, NULL);
    assert_int_equal(r.items[0].item.label_count, 0);
    scanned_done(&r);
}

static void null_is_absent(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'apiVersion':null,'kind':null,'metadata':{'name':null,'namespace':null,"
                    "'uid':null,'resourceVersion':null,'labels':null}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, api_version, NULL);
    assert_item_text(&r, 0, kind, NULL);
    assert_item_text(&r, 0, name, NULL);
    assert_item_text(&r, 0, ns, NULL);
    assert_item_text(&r, 0, uid, NULL);
    assert_item_text(&r, 0, resource_version, NULL);
    assert_int_equal(r.items[0].item.label_count, 0);
    scanned_done(&r);
}

static void a_label_may_be_null(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'metadata':{'labels':{'a':null,'b':'c'}}}");
    assert_scanned(&r, 1);
    assert_int_equal(r.items[0].item.label_count, 2);
    assert_label(&r, 0, 0, "a", NULL);
    assert_label(&r, 0, 1, "b", "c");
    scanned_done(&r);
}

static void wrong_types_are_refused_at_the_value(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        const char *at;
    } cases[] = {
        { "{'metadata':{'name':1}}", "1" },
        { "{'metadata':{'name':1 , 'x':2}}", "1" },
        { "{'metadata':{'name':\n\t true}}", "true" },
        { "{'metadata':{'name':{'a':'b'}}}", "{'a'" },
        { "{'metadata':{'name':[]}}", "[]" },
        { "{'metadata':{'name':-1.5e3}}", "-1.5" },
        { "{'metadata':{'namespace':false}}", "false" },
        { "{'metadata':{'uid':{}}}", "{}" },
        { "{'metadata':{'resourceVersion':123}}", "123" },
        { "{'metadata':{'labels':[]}}", "[]" },
        { "{'metadata':{'labels':'a'}}", "'a'" },
        { "{'metadata':{'labels':0}}", "0" },
        { "{'metadata':{'labels':{'a':'b','c':5}}}", "5" },
        { "{'metadata':{'labels':{'a':{'b':'c'}}}}", "{'b'" },
        { "{'metadata':{'labels':{'a':[[]]}}}", "[[" },
        { "{'metadata':[]}", "[]" },
        { "{'metadata':'a'}", "'a'" },
        { "{'metadata':5}", "5" },
        { "{'metadata':false}", "false" },
        { "{'kind':[1,2]}", "[1" },
        { "{'apiVersion':{}}", "{}" },
        { "{'apiVersion':1}", "1" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_object(&r, cases[i].object);
        assert_refused(&r, LW_ERR_INVALID, scanned_offset(&r, cases[i].at));
        assert_int_equal(r.item_count, 0);
        scanned_done(&r);
    }
}

static void of_members_named_twice_the_last_counts(void **state)
{
    (void)state;
    static const char object[] =
        "{'kind':'a','kind':'b','metadata':{'name':'1','name':'2','uid':'3','uid':null,"
        "'labels':{'x':'1','y':'2'},'labels':{'z':'3'}}}";
    scanned r;
    scan_object(&r, object);
    assert_scanned(&r, 1);
    assert_item(&r, 0, object);
    assert_item_text(&r, 0, kind, "b");
    assert_item_text(&r, 0, name, "2");
    assert_item_text(&r, 0, uid, NULL);
    assert_int_equal(r.items[0].item.label_count, 1);
    assert_label(&r, 0, 0, "z", "3");
    scanned_done(&r);
}

static void a_second_metadata_replaces_the_first(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'metadata':{'name':'1','namespace':'2','uid':'3','resourceVersion':'4',"
                    "'labels':{'x':'1'}},'kind':'k','metadata':{'name':'5'}}");
    assert_scanned(&r, 1);
    assert_item_text(&r, 0, kind, "k");
    assert_item_text(&r, 0, name, "5");
    assert_item_text(&r, 0, ns, NULL);
    assert_item_text(&r, 0, uid, NULL);
    assert_item_text(&r, 0, resource_version, NULL);
    assert_int_equal(r.items[0].item.label_count, 0);
    assert_int_equal(r.items[0].item.metadata_at, scanned_offset(&r, "'name':'5'"));
    scanned_done(&r);
}

static void tells_where_spec_begins(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *spec; /* from there on; NULL: not reported */
    } cases[] = {
        { "{'spec':{'a':1}}", "{\"a\":1}}" },
        { "{'metadata':{'managedFields':[{}]}, 'spec' : [2]}", "[2]}" },
        { "{'x':{'spec':{}},'spec':{'b':{}}}", "{\"b\":{}}}" },
        { "{'spec':{'a':1},'spec':{'b':2}}", "{\"b\":2}}" },
        { "{'sp\\u0065c':{'c':3}}", "{\"c\":3}}" },
        { "{'spec':{'a':1},'spec':null}", NULL },
        { "{'x':{'spec':{}}}", NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_object(&r, cases[i].json);
        assert_scanned(&r, 1);
        const lw_scan_item *item = &r.items[0].item;
        if (cases[i].spec)
            assert_str_equal(lw_str_skip(item->json, item->spec_at), cases[i].spec);
        else
            assert_int_equal(item->spec_at, 0);
        scanned_done(&r);
    }
}

static void a_label_named_twice_is_reported_twice(void **state)
{
    (void)state;
    scanned r;
    scan_object(&r, "{'metadata':{'labels':{'a':'1','b':'2','\\u0061':'3'}}}");
    assert_scanned(&r, 1);
    assert_int_equal(r.items[0].item.label_count, 3);
    assert_label(&r, 0, 0, "a", "1");
    assert_label(&r, 0, 1, "b", "2");
    assert_label(&r, 0, 2, "a", "3");
    scanned_done(&r);
}

/* managedFields may be first, in the middle or last, with different commas. */
static void managed_fields_go_with_their_comma(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        const char *copy;
    } cases[] = {
        { "{'metadata':{'managedFields':[{'a':1}],'name':'n','uid':'u'}}",
          "{'metadata':{'name':'n','uid':'u'}}" },
        { "{'metadata':{'name':'n','managedFields':[{'a':1}],'uid':'u'}}",
          "{'metadata':{'name':'n','uid':'u'}}" },
        { "{'metadata':{'name':'n','uid':'u','managedFields':[{'a':1}]}}",
          "{'metadata':{'name':'n','uid':'u'}}" },
        { "{'metadata':{'managedFields':[{'a':1}]}}", "{'metadata':{}}" },
        { "{'metadata':{'managedFields':null,'managedFields':[],'managedFields':{}}}",
          "{'metadata':{}}" },
        { "{'metadata':{'managedFields':[],'name':'n','managedFields':7}}",
          "{'metadata':{'name':'n'}}" },
        { "{'metadata':{'managedFields':'a'},'spec':1}", "{'metadata':{},'spec':1}" },
        { "{'managedFields':1,'spec':{'managedFields':2}}",
          "{'managedFields':1,'spec':{'managedFields':2}}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scanned r;
        scan_object(&r, cases[i].object);
        assert_scanned(&r, 1);
        assert_item(&r, 0, cases[i].copy);
        scanned_done(&r);
    }
}

static void a_pretty_printed_object_stays_valid_without_its_managed_fields(void **state)
{
    (void)state;
    static const char *const places[] = {
        "{\n  'metadata' : {\n    'managedFields' : [ { } ] ,\n    'name' : 'n' ,\n    'uid' : "
        "'u'\n"
        "  }\n}\n",
        "{\n  'metadata' : {\n    'name' : 'n' ,\n    'managedFields' : [ { } ] ,\n    'uid' : "
        "'u'\n"
        "  }\n}\n",
        "{\n  'metadata' : {\n    'name' : 'n' ,\n    'uid' : 'u' ,\n    'managedFields' : [ { } "
        "]\n"
        "  }\n}\n",
        "{\r\n\t'metadata'\t:\r{\n'managedFields':\n\n[ ]\n} }",
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        scanned r;
        scan_object(&r, places[i]);
        assert_scanned(&r, 1);
        lw_str json = r.items[0].item.json;
        assert_int_equal(lw_json_validate(json, 0, NULL), LW_OK);
        assert_null(memmem(json.ptr, json.len, "managed", 7));
        if (i < 3) {
            assert_item_text(&r, 0, name, "n");
            assert_item_text(&r, 0, uid, "u");
        }
        scanned_done(&r);
    }
}

static void the_copy_keeps_every_byte_of_deep_values(void **state)
{
    (void)state;
    static const char object[] = "{'spec':{'a':[1, 2,\t{'x' : null}], 'b':'\\u00e9\xC3\xA9 ','c':"
                                 "-0.5E+3,'d':{ },'e':[\n]},'status':[true , false]}";
    scanned r;
    scan_object(&r, object);
    assert_scanned(&r, 1);
    assert_item(&r, 0, object);
    scanned_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_everything_that_identifies_an_object),
        TEST(metadata_may_come_last),
        TEST(says_where_the_inside_of_metadata_begins),
        TEST(an_object_without_metadata_has_none),
        TEST(escaped_keys_are_understood_and_kept_as_they_are),
        TEST(escaped_values_are_marked_and_decode),
        TEST(values_with_quotes_and_brackets_in_them_are_found),
        TEST(similar_keys_are_not_mistaken),
        TEST(null_is_absent),
        TEST(a_label_may_be_null),
        TEST(wrong_types_are_refused_at_the_value),
        TEST(of_members_named_twice_the_last_counts),
        TEST(a_second_metadata_replaces_the_first),
        TEST(tells_where_spec_begins),
        TEST(a_label_named_twice_is_reported_twice),
        TEST(managed_fields_go_with_their_comma),
        TEST(a_pretty_printed_object_stays_valid_without_its_managed_fields),
        TEST(the_copy_keeps_every_byte_of_deep_values),
    };
    return cmocka_run_group_tests_name("scan_metadata", tests, NULL, NULL);
}
