/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath_test.c -- JSONPath templates give what kubectl gives. */
#include "cli/jsonpath.h"

#include <string.h>

#include "unit/test.h"

static const char document[] =
    "{\"kind\":\"List\",\"items\":["
    "{\"metadata\":{\"name\":\"a\",\"labels\":{\"app.kubernetes.io/name\":\"web\"}},"
    "\"status\":{\"ready\":3,\"phase\":\"Running\",\"ok\":true,"
    "\"addresses\":[{\"type\":\"IP\",\"address\":\"1.2.3.4\"},"
    "{\"type\":\"Name\",\"address\":\"x\"}]}},"
    "{\"metadata\":{\"name\":\"b\"},\"status\":{\"ready\":10,\"phase\":\"Pending\",\"none\":null}},"
    "{\"metadata\":{\"name\":\"c\"}}]}";

typedef struct result {
    char text[4096];
    size_t len;
} result;

static lw_status collect(const char *bytes, size_t len, void *arg)
{
    result *r = arg;
    assert_true(r->len + len < sizeof(r->text));
    memcpy(r->text + r->len, bytes, len);
    r->len += len;
    r->text[r->len] = '\0';
    return LW_OK;
}

static void check(const char *template, const char *expected)
{
    jsonpath *path = NULL;
    lw_document *doc = NULL;
    lw_error err = LW_ERROR_INIT;
    result r = { "", 0 };
    assert_int_equal(lw_document_from_json(&doc, document, sizeof(document) - 1, NULL), LW_OK);
    assert_int_equal(jsonpath_parse(&path, template, &err), LW_OK);
    assert_int_equal(jsonpath_write(path, doc, collect, &r, &err), LW_OK);
    assert_string_equal(r.text, expected);
    jsonpath_free(path);
    lw_document_free(doc);
}

static void finds_fields_and_elements(void **state)
{
    (void)state;
    check("{.kind}", "List");
    check("{$.kind}", "List");
    check("{.items[0].metadata.name}", "a");
    check("{.items[-1].metadata.name}", "c");
    check("{.items[9].metadata.name}", "");
    check("{.items[*].metadata.name}", "a b c");
    check("{.items[*].status.ready}", "3 10");
    check("{['items'][1]['metadata']['name']}", "b");
    check("{.items[1]['metadata.name']}", "b");
    check("{.items[0].metadata.labels.app\\.kubernetes\\.io/name}", "web");
    check("{.items[0].metadata.labels['app\\.kubernetes\\.io/name']}", "web");
    check("{.nothing.here}", "");
}

static void finds_slices_and_unions(void **state)
{
    (void)state;
    check("{.items[0:2].metadata.name}", "a b");
    check("{.items[1:].metadata.name}", "b c");
    check("{.items[:-1].metadata.name}", "a b");
    check("{.items[::2].metadata.name}", "a c");
    check("{.items[0,2].metadata.name}", "a c");
    check("{.items[0]['metadata.name', 'status.phase']}", "a Running");
}

static void finds_at_any_depth(void **state)
{
    (void)state;
    check("{..address}", "1.2.3.4 x");
    check("{.items[0]..name}", "a");
    check("{.items[0].status.addresses[*].*}", "IP 1.2.3.4 Name x");
}

static void filters(void **state)
{
    (void)state;
    check("{.items[?(@.status.phase==\"Running\")].metadata.name}", "a");
    check("{.items[?(@.status.phase!='Running')].metadata.name}", "b");
    check("{.items[?(@.status.ready>5)].metadata.name}", "b");
    check("{.items[?( @.status.ready <= 3 )].metadata.name}", "a");
    check("{.items[?(@.status)].metadata.name}", "a b");
    check("{.items[?(@.status.ok==true)].metadata.name}", "a");
    check("{.items[*].status.addresses[?(@.type==\"IP\")].address}", "1.2.3.4");
}

static void writes_text_and_repeats(void **state)
{
    (void)state;
    check("plain", "plain");
    check("", "");
    check("name: {.items[0].metadata.name};", "name: a;");
    check("{range .items[*]}{.metadata.name}{\"\\t\"}{.status.phase}{\"\\n\"}{end}",
          "a\tRunning\nb\tPending\nc\t\n");
    check("{range .items[0].status.addresses[*]}[{.type}]{end}", "[IP][Name]");
}

static void writes_objects_as_json(void **state)
{
    (void)state;
    check("{.items[1].status}", "{\"ready\":10,\"phase\":\"Pending\",\"none\":null}");
    check("{.items[1].status.none}", "");
    check("{.items[0].status.ok}", "true");
}

static void takes_paths_without_braces(void **state)
{
    (void)state;
    static const char *const same[] = { "metadata.name", ".metadata.name", "{.metadata.name}" };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        jsonpath *path = NULL;
        assert_int_equal(jsonpath_parse_relaxed(&path, same[i], NULL), LW_OK);
        jsonpath_free(path);
    }
}

static void names_the_position_of_a_mistake(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{.a", "\"}\" is missing at position 4" },
        { "{.a[}", "an index, a name in quotes, * or ?( is missing at position 5" },
        { "{.a['b}", "the quote is not closed at position 6" },
        { "{range .a[*]}x", "{end} is missing at position 15" },
        { "{.a[0:1:0]}", "the step must be more than 0 at position 10" },
        { "{.a[?(@.b==)]}", "@, a text in quotes or a number is missing at position 12" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        jsonpath *path = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(jsonpath_parse(&path, cases[i].text, &err), LW_ERR_SYNTAX);
        assert_non_null(strstr(err.message, cases[i].message));
    }
}

static void refuses_what_is_nested_too_deeply(void **state)
{
    (void)state;
    char text[256];
    jsonpath *path = NULL;
    int len = snprintf(text, sizeof(text), "{.a");
    for (int i = 0; i < 40; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len, "[?(@");
    assert_int_equal(jsonpath_parse(&path, text, NULL), LW_ERR_LIMIT);
}

static void ends_a_search_that_finds_too_much(void **state)
{
    (void)state;
    jsonpath *path = NULL;
    lw_document *doc = NULL;
    lw_error err = LW_ERROR_INIT;
    result r = { "", 0 };
    assert_int_equal(lw_document_from_json(&doc, document, sizeof(document) - 1, NULL), LW_OK);
    assert_int_equal(jsonpath_parse(&path,
                                    "{..[*]..[*]..[*]..[*]..[*]..[*]..[*]..[*]}{..[0,0,0,0]"
                                    "..[0,0,0]}{$..['a','a','a','a']..*..*..*..*..*}",
                                    &err),
                     LW_OK);
    lw_status st = jsonpath_write(path, doc, collect, &r, &err);
    assert_true(st == LW_OK || st == LW_ERR_LIMIT);
    jsonpath_free(path);
    lw_document_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_fields_and_elements),
        cmocka_unit_test(finds_slices_and_unions),
        cmocka_unit_test(finds_at_any_depth),
        cmocka_unit_test(filters),
        cmocka_unit_test(writes_text_and_repeats),
        cmocka_unit_test(writes_objects_as_json),
        cmocka_unit_test(takes_paths_without_braces),
        cmocka_unit_test(names_the_position_of_a_mistake),
        cmocka_unit_test(refuses_what_is_nested_too_deeply),
        cmocka_unit_test(ends_a_search_that_finds_too_much),
    };
    return cmocka_run_group_tests_name("jsonpath", tests, NULL, NULL);
}
