/* SPDX-License-Identifier: Apache-2.0 */
/* document_test.c -- documents that are built, read and changed by pointer. */
#include <listwatch/document.h>
#include <listwatch/object_list.h>

#include "unit/test.h"

static lw_document *parsed(const char *json)
{
    lw_document *doc = NULL;
    assert_int_equal(lw_document_from_json(&doc, json, strlen(json), NULL), LW_OK);
    return doc;
}

/* The document as text is |wanted|; frees it. */
static void is_written_as(lw_document *doc, const char *wanted)
{
    lw_str text = { NULL, 0 };
    lw_error err = LW_ERROR_INIT;
    if (lw_document_json(doc, NULL, &text, &err) < 0)
        fail_msg("%s", err.message);
    assert_str_equal(text, wanted);
    lw_document_free(doc);
}

static void builds_an_object_from_nothing(void **state)
{
    (void)state;
    lw_document *doc = NULL;
    lw_object *obj = NULL;
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    lw_document_set_string(doc, NULL, "/metadata/name", "web");
    lw_document_set_int(doc, NULL, "/spec/replicas", 3);
    lw_value *container = lw_document_set_object(doc, NULL, "/spec/containers/-");
    lw_document_set_string(doc, container, "/name", "c");
    lw_document_set_bool(doc, container, "/tty", true);
    lw_document_set_null(doc, container, "/none");
    lw_document_set_array(doc, container, "/ports");
    assert_int_equal(lw_document_to_object(doc, &obj, NULL), LW_OK);
    assert_string_equal(lw_object_name(obj), "web");
    assert_int_equal(lw_object_int(obj, "/spec/replicas", 0), 3);
    lw_object_unref(obj);
    is_written_as(doc, "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":3,\"containers\":["
                       "{\"name\":\"c\",\"tty\":true,\"none\":null,\"ports\":[]}]}}");
}

static void reads_by_pointer_and_type(void **state)
{
    (void)state;
    lw_document *doc = parsed("{\"a\":{\"b/c\":[1,\"two\",true]},\"n\":null}");
    assert_int_equal(lw_document_int(doc, NULL, "/a/b~1c/0", 9), 1);
    assert_string_equal(lw_document_string(doc, NULL, "/a/b~1c/1", ""), "two");
    assert_true(lw_document_bool(doc, NULL, "/a/b~1c/2", false));
    assert_int_equal(lw_document_int(doc, NULL, "/a/b~1c/1", 9), 9);
    assert_string_equal(lw_document_string(doc, NULL, "/a/b~1c/0", "fallback"), "fallback");
    assert_null(lw_document_find(doc, NULL, "/a/b"));
    assert_null(lw_document_find(doc, NULL, "not a pointer"));
    lw_value *inner = lw_document_find(doc, NULL, "/a");
    assert_int_equal(lw_document_int(doc, inner, "/b~1c/0", 9), 1);
    assert_int_equal(lw_document_status(doc), LW_OK);
    lw_document_free(doc);
}

static void walks_elements_and_members(void **state)
{
    (void)state;
    lw_document *doc = parsed("{\"x\":1,\"y\":[2,3]}");
    lw_value *root = lw_document_find(doc, NULL, "");
    assert_int_equal(lw_document_count(root), 2);
    assert_str_equal(lw_document_key(root, 1), "y");
    assert_int_equal(lw_document_int(doc, lw_document_item(root, 1), "/1", 0), 3);
    assert_null(lw_document_item(root, 2));
    assert_str_equal(lw_document_key(root, 2), "");
    assert_str_equal(lw_document_key(lw_document_item(root, 1), 0), "");
    assert_int_equal(lw_document_count(NULL), 0);
    lw_document_free(doc);
}

static void replaces_what_is_there(void **state)
{
    (void)state;
    lw_document *doc = parsed("{\"a\":[1,2],\"b\":null}");
    lw_document_set_string(doc, NULL, "/a/0", "one");
    lw_document_set_int(doc, NULL, "/a/2", 3); /* the place after the last */
    lw_document_set_int(doc, NULL, "/b/made", 1);
    is_written_as(doc, "{\"a\":[\"one\",2,3],\"b\":{\"made\":1}}");
}

static void removes_members_and_elements(void **state)
{
    (void)state;
    lw_document *doc = parsed("{\"a\":[1,2,3],\"b~c\":{},\"d\":4}");
    assert_true(lw_document_remove(doc, NULL, "/a/1"));
    assert_true(lw_document_remove(doc, NULL, "/b~0c"));
    assert_false(lw_document_remove(doc, NULL, "/a/7"));
    assert_false(lw_document_remove(doc, NULL, "/nothing/here"));
    is_written_as(doc, "{\"a\":[1,3],\"d\":4}");
}

static void copies_between_documents(void **state)
{
    (void)state;
    lw_document *from = parsed("{\"labels\":{\"a.b/c\":\"1\"}}"), *to = parsed("{}");
    const lw_value *labels = lw_document_find(from, NULL, "/labels");
    lw_document_set_copy(to, NULL, "/metadata/labels", labels);
    lw_value *copy = lw_document_find(to, NULL, "/metadata/labels");
    assert_true(lw_document_equal(labels, copy));
    lw_document_put(to, copy, lw_str_of("d/e"), lw_document_item(labels, 0));
    assert_false(lw_document_equal(labels, copy));
    lw_document_set_json(to, NULL, "/spec", lw_str_of(" [ 1 ] "));
    assert_null(lw_document_set_copy(to, NULL, "/nothing", NULL));
    lw_document_free(from);
    is_written_as(to, "{\"metadata\":{\"labels\":{\"a.b/c\":\"1\",\"d/e\":\"1\"}},\"spec\":[1]}");
}

static void fills_in_the_kind_that_an_item_reports(void **state)
{
    (void)state;
    static const char json[] = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},"
                               "\"items\":[{\"metadata\":{\"name\":\"a\"}}]}";
    lw_object_list *list = NULL;
    lw_document *doc = NULL;
    assert_int_equal(lw_object_list_from_json(&list, json, strlen(json), NULL, NULL), LW_OK);
    assert_int_equal(lw_document_from_object(&doc, lw_object_list_at(list, 0), NULL), LW_OK);
    assert_string_equal(lw_document_string(doc, NULL, "/kind", ""), "Pod");
    assert_string_equal(lw_document_string(doc, NULL, "/apiVersion", ""), "v1");
    lw_document_free(doc);
    lw_object_list_free(list);
}

static void remembers_the_first_failure(void **state)
{
    (void)state;
    static const struct {
        const char *pointer;
        lw_status wanted;
    } cases[] = {
        { "malformed", LW_ERR_INVALID },
        { "/number/below", LW_ERR_INVALID },
        { "/list/5", LW_ERR_INVALID },
        { "/list/word", LW_ERR_INVALID },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_document *doc = parsed("{\"number\":1,\"list\":[]}");
        lw_error err = LW_ERROR_INIT;
        lw_str text;
        assert_null(lw_document_set_int(doc, NULL, cases[i].pointer, 1));
        assert_null(lw_document_set_int(doc, NULL, "/fine", 1));
        assert_int_equal(lw_document_status(doc), cases[i].wanted);
        assert_int_equal(lw_document_json(doc, NULL, &text, &err), cases[i].wanted);
        assert_non_null(strstr(err.message, cases[i].pointer));
        lw_document_free(doc);
    }
    lw_document *doc = parsed("{}");
    assert_null(lw_document_set_json(doc, NULL, "/a", lw_str_of("{")));
    assert_int_equal(lw_document_status(doc), LW_ERR_SYNTAX);
    lw_str text;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_document_json(doc, NULL, &text, &err), LW_ERR_SYNTAX);
    assert_string_equal(err.message, "the JSON text that was set at \"/a\" is malformed");
    lw_document_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(builds_an_object_from_nothing),
        TEST(reads_by_pointer_and_type),
        TEST(walks_elements_and_members),
        TEST(replaces_what_is_there),
        TEST(removes_members_and_elements),
        TEST(copies_between_documents),
        TEST(fills_in_the_kind_that_an_item_reports),
        TEST(remembers_the_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
