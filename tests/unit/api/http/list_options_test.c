/* SPDX-License-Identifier: Apache-2.0 */
/* list_options_test.c -- the options of lists and watches: which make sense together, what is said
 * about those that do not, and what plan comes of the others. */
#include "api/http/list_options.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/kinds/registry.h"
#include "unit/test.h"

#define LIST_INVALID "ListOptions.meta.k8s.io \"\" is invalid: "
#define MATCH        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden "

static lw_registry *registry;

static int make_registry(void **state)
{
    (void)state;
    return lw_registry_new(&registry) == LW_OK ? 0 : -1;
}

static int free_registry(void **state)
{
    (void)state;
    lw_registry_unref(registry);
    return 0;
}

static const lw_kind *kind_of(const char *plural)
{
    return lw_registry_find(registry, LW_STR(""), LW_STR("v1"), lw_str_of(plural));
}

/* Reads |raw|; what is wrong with it must be |code| and |message| (0: nothing). */
static void check_at(const char *raw, const char *plural, bool is_watch, int code,
                     const char *message, int line)
{
    lw_query query;
    lw_api_list_options options;
    lw_list_plan plan = { .limit = 0 };
    lw_api_status status;
    assert_int_equal(lw_query_parse(&query, lw_str_of(raw)), LW_OK);
    lw_buf_init(&plan.token.start, LW_PAGE_TOKEN_MAX);
    bool is_good =
        lw_api_list_options_read(&options, &query, kind_of(plural), is_watch, false, &status);
    if (is_good && !is_watch)
        is_good = lw_list_plan_make(&plan, &options, &status);
    if (is_good != (code == 0)) {
        print_error("%s: %s\n", raw, is_good ? "taken" : "refused");
        _fail(__FILE__, line);
    }
    if (!is_good) {
        _assert_int_equal((LargestIntegralType)status.code, (LargestIntegralType)code, __FILE__,
                          line);
        assert_str_equal_at(lw_api_status_str(&status, status.message), message, __FILE__, line);
        lw_api_status_done(&status);
    }
    lw_list_plan_done(&plan);
    lw_api_list_options_done(&options);
    lw_query_done(&query);
}
#define refuses(raw, code, message)       check_at((raw), "pods", false, (code), (message), __LINE__)
#define takes(raw)                        check_at((raw), "pods", false, 0, "", __LINE__)
#define watch_refuses(raw, code, message) check_at((raw), "pods", true, (code), (message), __LINE__)
#define watch_takes(raw)                  check_at((raw), "pods", true, 0, "", __LINE__)

static void a_match_needs_a_revision(void **state)
{
    (void)state;
    refuses("resourceVersionMatch=Exact", 422,
            LIST_INVALID MATCH "unless resourceVersion is provided");
    refuses("resourceVersionMatch=NotOlderThan", 422,
            LIST_INVALID MATCH "unless resourceVersion is provided");
    takes("resourceVersionMatch=NotOlderThan&resourceVersion=0");
    takes("resourceVersionMatch=Exact&resourceVersion=5");
}

static void a_match_and_a_token_exclude_one_another(void **state)
{
    (void)state;
    refuses("resourceVersionMatch=Exact&resourceVersion=5&continue=x", 422,
            LIST_INVALID MATCH "when continue is provided");
    refuses("resourceVersionMatch=Exact&continue=x", 422,
            LIST_INVALID "[" MATCH "unless resourceVersion is provided, " MATCH
                         "when continue is provided]");
}

static void exact_and_zero_exclude_one_another(void **state)
{
    (void)state;
    refuses("resourceVersionMatch=Exact&resourceVersion=0", 422,
            LIST_INVALID "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is "
                         "forbidden for resourceVersion \"0\"");
}

static void an_unknown_match_is_refused_with_the_known_ones(void **state)
{
    (void)state;
    refuses("resourceVersionMatch=Foo&resourceVersion=5", 422,
            LIST_INVALID "resourceVersionMatch: Unsupported value: \"Foo\": supported values: "
                         "\"Exact\", \"NotOlderThan\", \"\"");
}

static void initial_events_are_for_watches(void **state)
{
    (void)state;
    refuses("sendInitialEvents=true", 422,
            LIST_INVALID "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
    refuses("sendInitialEvents=false", 422,
            LIST_INVALID "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
}

static void a_token_and_a_revision_exclude_one_another(void **state)
{
    (void)state;
    static const char token[] = "continue="
                                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTA0LCJzdGFydCI6InAxXHUwMDAwI"
                                "n0";
    char raw[200];
    takes(token);
    (void)snprintf(raw, sizeof(raw), "%s&resourceVersion=0", token);
    takes(raw);
    (void)snprintf(raw, sizeof(raw), "%s&resourceVersion=7", token);
    refuses(raw, 400, "specifying resource version is not allowed when using continue");
}

static void revisions_and_numbers_must_be_numbers(void **state)
{
    (void)state;
    refuses("resourceVersion=abc", 400,
            "invalid resource version: resourceVersion: Invalid value: \"abc\": "
            "strconv.ParseUint: parsing \"abc\": invalid syntax");
    refuses("resourceVersion=-1", 400,
            "invalid resource version: resourceVersion: Invalid value: \"-1\": "
            "strconv.ParseUint: parsing \"-1\": invalid syntax");
    refuses("resourceVersion=99999999999999999999", 400,
            "invalid resource version: resourceVersion: Invalid value: "
            "\"99999999999999999999\": strconv.ParseUint: parsing \"99999999999999999999\": value "
            "out of range");
    refuses("limit=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax");
    refuses("limit=99999999999999999999", 400,
            "strconv.ParseInt: parsing \"99999999999999999999\": value out of range");
    refuses("timeoutSeconds=1.5", 400, "strconv.ParseInt: parsing \"1.5\": invalid syntax");
    refuses("limit=", 400, "strconv.ParseInt: parsing \"\": invalid syntax");
    takes("limit=-5");
}

static void bad_tokens_are_refused(void **state)
{
    (void)state;
    refuses("continue=%21", 400,
            "invalid continue token: continue key is not valid: illegal base64 data");
}

static void bad_selectors_are_refused_in_kubernetes_words(void **state)
{
    (void)state;
    refuses("labelSelector=a+in", 400, "unable to parse requirement: found '' expected: '('");
    refuses("fieldSelector=abc", 400, "invalid selector: 'abc'; can't understand 'abc'");
}

static void fields_are_those_of_the_kind(void **state)
{
    (void)state;
    takes("fieldSelector=spec.nodeName%3Dn1,status.phase!%3DRunning,metadata.namespace%3Da");
    refuses("fieldSelector=spec.foo%3Dbar", 400, "field label not supported: spec.foo");
    check_at("fieldSelector=foo%3Dbar", "configmaps", false, 400,
             "\"foo\" is not a known field selector: only \"metadata.name\", "
             "\"metadata.namespace\"",
             __LINE__);
    check_at("fieldSelector=metadata.name%3Dbar,metadata.namespace%3Da", "configmaps", false, 0, "",
             __LINE__);
}

static void watches_have_rules_of_their_own(void **state)
{
    (void)state;
    watch_takes("");
    watch_takes("resourceVersion=5&limit=3&continue=ignored");
    watch_takes("sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    watch_takes("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=7");
    watch_refuses("sendInitialEvents=true", 422,
                  LIST_INVALID
                  "resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                  "resourceVersionMatch to NotOlderThan");
    watch_refuses("resourceVersionMatch=NotOlderThan", 422,
                  LIST_INVALID MATCH "for watch unless sendInitialEvents is provided");
    watch_refuses("sendInitialEvents=true&resourceVersionMatch=Exact", 422,
                  LIST_INVALID
                  "[resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                  "resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported "
                  "value: \"Exact\": supported values: \"NotOlderThan\"]");
    watch_refuses("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", 422,
                  LIST_INVALID MATCH "when continue is provided");
}

/* What state each row of the matrix means. */
static void the_plan_is_that_of_the_matrix(void **state)
{
    (void)state;
    static const struct {
        const char *raw;
        bool is_exact;
        uint64_t revision;
        size_t limit;
    } rows[] = {
        { "", false, 0, 0 },
        { "limit=5", false, 0, 5 },
        { "resourceVersion=0", false, 0, 0 },
        { "resourceVersion=0&limit=5", false, 0, 0 },
        { "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=5", false, 0, 0 },
        { "resourceVersion=7", false, 7, 0 },
        { "resourceVersion=7&limit=5", true, 7, 5 },
        { "resourceVersion=7&resourceVersionMatch=NotOlderThan", false, 7, 0 },
        { "resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=5", false, 7, 5 },
        { "resourceVersion=7&resourceVersionMatch=Exact", true, 7, 0 },
        { "resourceVersion=7&resourceVersionMatch=Exact&limit=5", true, 7, 5 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_query query;
        lw_api_list_options options;
        lw_list_plan plan;
        lw_api_status status;
        assert_int_equal(lw_query_parse(&query, lw_str_of(rows[i].raw)), LW_OK);
        assert_true(
            lw_api_list_options_read(&options, &query, kind_of("pods"), false, false, &status));
        assert_true(lw_list_plan_make(&plan, &options, &status));
        if (plan.is_exact != rows[i].is_exact || plan.revision != rows[i].revision ||
            plan.limit != rows[i].limit || plan.is_page)
            fail_msg("%s: exact %d, revision %llu, limit %zu", rows[i].raw, plan.is_exact,
                     (unsigned long long)plan.revision, plan.limit);
        lw_list_plan_done(&plan);
        lw_api_list_options_done(&options);
        lw_query_done(&query);
    }
}

static void a_name_in_the_field_selector_is_looked_up(void **state)
{
    (void)state;
    lw_query query;
    lw_api_list_options options;
    lw_cache_filter filter;
    lw_api_status status;
    assert_int_equal(
        lw_query_parse(&query, LW_STR("fieldSelector=metadata.name%3Da,metadata.namespace%3Dn")),
        LW_OK);
    assert_true(lw_api_list_options_read(&options, &query, kind_of("pods"), false, false, &status));
    assert_true(lw_api_list_options_filter(&options, kind_of("pods"), LW_STR(""), LW_STR(""),
                                           &filter, &status));
    assert_str_equal(filter.name, "a");
    assert_str_equal(filter.ns, "n");
    assert_non_null(filter.fields);
    assert_null(filter.labels);
    assert_false(lw_api_list_options_filter(&options, kind_of("pods"), LW_STR("n"), LW_STR("b"),
                                            &filter, &status));
    assert_str_equal(lw_api_status_str(&status, status.message),
                     "fieldSelector metadata.name doesn't match requested name");
    lw_api_status_done(&status);
    lw_api_list_options_done(&options);
    lw_query_done(&query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_match_needs_a_revision),
        TEST(a_match_and_a_token_exclude_one_another),
        TEST(exact_and_zero_exclude_one_another),
        TEST(an_unknown_match_is_refused_with_the_known_ones),
        TEST(initial_events_are_for_watches),
        TEST(a_token_and_a_revision_exclude_one_another),
        TEST(revisions_and_numbers_must_be_numbers),
        TEST(bad_tokens_are_refused),
        TEST(bad_selectors_are_refused_in_kubernetes_words),
        TEST(fields_are_those_of_the_kind),
        TEST(watches_have_rules_of_their_own),
        TEST(the_plan_is_that_of_the_matrix),
        TEST(a_name_in_the_field_selector_is_looked_up),
    };
    return cmocka_run_group_tests(tests, make_registry, free_registry);
}
