/* SPDX-License-Identifier: Apache-2.0 */
/* health_test.c -- /healthz, /livez and /readyz, in the words of kube-apiserver. */
#include "server/endpoints/health.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

static const lw_health_facts well = { .is_good = { true, true, true, true, true, true, true } };

/* The answer to |path| and |raw| (the query) is |status| and |text|. */
static void assert_answer(const lw_health_facts *facts, const char *path, const char *raw,
                          int status, const char *text)
{
    lw_query query;
    lw_buf out;
    lw_buf_init(&out, LW_HEALTH_TEXT_MAX);
    assert_int_equal(lw_query_parse(&query, lw_str_of(raw)), LW_OK);
    assert_true(lw_health_is_path(lw_str_of(path)));
    assert_int_equal(lw_health_write(lw_str_of(path), &query, facts, &out), status);
    assert_str_equal(lw_buf_view(&out), text);
    lw_query_done(&query);
    lw_buf_done(&out);
}

static void a_server_that_is_well_says_ok(void **state)
{
    (void)state;
    assert_answer(&well, "/healthz", "", 200, "ok");
    assert_answer(&well, "/livez", "", 200, "ok");
    assert_answer(&well, "/readyz", "", 200, "ok");
    assert_answer(&well, "/livez/ping", "", 200, "ok");
    assert_answer(&well, "/readyz/shutdown", "", 200, "ok");
}

static void verbose_lists_the_checks(void **state)
{
    (void)state;
    assert_answer(&well, "/livez", "verbose", 200, "[+]ping ok\n[+]store ok\nlivez check passed\n");
    assert_answer(&well, "/readyz", "verbose=true", 200,
                  "[+]ping ok\n[+]store ok\n[+]store-writes ok\n[+]store-data ok\n"
                  "[+]store-space ok\n[+]cache ok\n[+]shutdown ok\nreadyz check passed\n");
    assert_answer(&well, "/healthz", "verbose", 200,
                  "[+]ping ok\n[+]store ok\n[+]cache ok\nhealthz check passed\n");
}

static void a_failed_check_is_listed_and_500(void **state)
{
    (void)state;
    const lw_health_facts ill = { .is_good = { true, false, true, true, true, true, true } };
    assert_answer(&ill, "/livez", "", 500,
                  "[+]ping ok\n[-]store failed: reason withheld\nlivez check failed\n");
    assert_answer(&ill, "/healthz", "", 500,
                  "[+]ping ok\n[-]store failed: reason withheld\n[+]cache ok\n"
                  "healthz check failed\n");
    assert_answer(&ill, "/livez/store", "", 500, "internal server error: failed\n");
    assert_answer(&ill, "/livez/ping", "", 200, "ok");
}

static void a_server_that_is_stopping_is_alive_and_not_ready(void **state)
{
    (void)state;
    const lw_health_facts stopping = { .is_good = { true, true, true, true, true, true, false } };
    assert_answer(&stopping, "/livez", "", 200, "ok");
    assert_answer(&stopping, "/healthz", "", 200, "ok");
    assert_answer(&stopping, "/readyz", "", 500,
                  "[+]ping ok\n[+]store ok\n[+]store-writes ok\n[+]store-data ok\n"
                  "[+]store-space ok\n[+]cache ok\n[-]shutdown failed: reason withheld\n"
                  "readyz check failed\n");
}

static void a_full_or_failing_store_is_alive_and_not_ready(void **state)
{
    (void)state;
    static const char *const names[] = { "store-writes", "store-data", "store-space" };
    for (size_t i = 0; i < 3; i++) {
        char path[32];
        lw_health_facts ill = well;
        ill.is_good[LW_HEALTH_WRITES + i] = false;
        (void)snprintf(path, sizeof(path), "/readyz/%s", names[i]);
        assert_answer(&ill, path, "", 500, "internal server error: failed\n");
        assert_answer(&ill, "/livez", "", 200, "ok");
        assert_answer(&ill, "/healthz", "", 200, "ok");
    }
}

static void excluded_checks_do_not_count(void **state)
{
    (void)state;
    const lw_health_facts ill = { .is_good = { true, false, true, true, true, false, true } };
    assert_answer(&ill, "/healthz", "exclude=store&exclude=cache", 200, "ok");
    assert_answer(&ill, "/livez", "verbose&exclude=store", 200,
                  "[+]ping ok\n[+]store excluded: ok\nlivez check passed\n");
    assert_answer(&ill, "/healthz", "exclude=store", 500,
                  "[+]ping ok\n[+]store excluded: ok\n[-]cache failed: reason withheld\n"
                  "healthz check failed\n");
}

static void an_unknown_exclusion_is_a_warning(void **state)
{
    (void)state;
    assert_answer(&well, "/livez", "verbose&exclude=etcd&exclude=x", 200,
                  "[+]ping ok\n[+]store ok\n"
                  "warn: some health checks cannot be excluded: no matches for \"etcd\",\"x\"\n"
                  "livez check passed\n");
    assert_answer(&well, "/livez", "exclude=etcd", 200, "ok");
}

static void an_unknown_check_is_not_found(void **state)
{
    (void)state;
    assert_answer(&well, "/livez/nothing", "", 404, "404 page not found\n");
    assert_answer(&well, "/livez/shutdown", "", 404, "404 page not found\n");
    assert_answer(&well, "/livez/ping/x", "", 404, "404 page not found\n");
}

static void a_cache_fails_when_it_stands_still_behind_the_store(void **state)
{
    (void)state;
    lw_server_parts parts;
    memset(&parts, 0, sizeof(parts));
    const int64_t s = LW_NS_PER_S, lag = LW_HEALTH_LAG_S * LW_NS_PER_S;
    assert_true(lw_health_cache_follows(&parts, 7, 7, s));
    assert_true(lw_health_cache_follows(&parts, 8, 7, s));           /* a commit under way */
    assert_true(lw_health_cache_follows(&parts, 9, 7, s + lag - 1)); /* or a long one */
    assert_false(lw_health_cache_follows(&parts, 9, 7, s + lag));
    assert_true(lw_health_cache_follows(&parts, 9, 8, s + lag)); /* it moves again */
    assert_true(lw_health_cache_follows(&parts, 10, 8, s + 2 * lag - 1));
    assert_true(lw_health_cache_follows(&parts, 10, 10, s + 2 * lag)); /* and has caught up */
    assert_true(lw_health_cache_follows(&parts, 11, 10, s + 9 * lag));
}

static void other_paths_are_others(void **state)
{
    (void)state;
    assert_false(lw_health_is_path(LW_STR("")));
    assert_false(lw_health_is_path(LW_STR("/")));
    assert_false(lw_health_is_path(LW_STR("/livezz")));
    assert_false(lw_health_is_path(LW_STR("/api/livez")));
    assert_false(lw_health_is_path(LW_STR("livez")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_that_is_well_says_ok),
        TEST(verbose_lists_the_checks),
        TEST(a_failed_check_is_listed_and_500),
        TEST(a_server_that_is_stopping_is_alive_and_not_ready),
        TEST(a_full_or_failing_store_is_alive_and_not_ready),
        TEST(excluded_checks_do_not_count),
        TEST(an_unknown_exclusion_is_a_warning),
        TEST(an_unknown_check_is_not_found),
        TEST(a_cache_fails_when_it_stands_still_behind_the_store),
        TEST(other_paths_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
