/* SPDX-License-Identifier: Apache-2.0 */
/* informer_log_test.c -- what an informer logs. */
#include <listwatch/informer.h>

#include "house.h"
#include "informer/informer_log.h"

typedef struct lines {
    char text[4096];
    size_t len;
} lines;

static void note(lw_log_level level, const char *component, const char *line, void *arg)
{
    lines *l = arg;
    if (level > LW_LOG_INFO)
        return;
    l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s %s: %s\n",
                               lw_log_level_name(level), component, line);
    assert_true(l->len < sizeof(l->text));
}

static void open_logged(house *h, lines *l)
{
    const lw_logger logger = { LW_LOG_DEBUG, note, l };
    lw_factory_options options = house_options();
    options.logger = &logger;
    l->len = 0;
    l->text[0] = '\0';
    house_open_with(h, &options);
    house_put(h, "a/x");
    house_run_until_idle(h);
}

static void assert_lines(lines *l, const char *expected)
{
    assert_string_equal(l->text, expected);
    l->len = 0;
    l->text[0] = '\0';
}

static void says_that_it_started_and_synced(void **state)
{
    (void)state;
    house h;
    lines l;
    open_logged(&h, &l);
    assert_lines(&l, "info informer: pods: started\n"
                     "info informer: pods: synced: 1 objects in 0.000 s\n");
    house_close(&h);
}

static void says_why_it_relisted(void **state)
{
    (void)state;
    house h;
    lines l;
    open_logged(&h, &l);
    l.len = 0;
    const lw_error expired = fake_error(LW_ERR_EXPIRED, 410, "too old resource version");
    fake_provider_end_watches(h.fake, &expired);
    house_run_until_idle(&h);
    house_advance(&h, 60 * LW_NS_PER_S);
    assert_lines(&l, "warn informer: pods: too old resource version\n"
                     "info informer: pods: recovered after 0.000 s: relisted (expired)\n");
    house_close(&h);
}

static void says_once_that_the_connection_is_lost_and_is_back(void **state)
{
    (void)state;
    house h;
    lines l;
    open_logged(&h, &l);
    l.len = 0;
    const lw_error lost = fake_error(LW_ERR_UNAVAILABLE, 0, "connection refused");
    fake_provider_end_watches(h.fake, &lost);
    house_run_until_idle(&h);
    house_advance(&h, 60 * LW_NS_PER_S);
    assert_non_null(strstr(l.text, "warn informer: pods: connection refused\n"));
    assert_non_null(strstr(l.text, ": reconnected\n"));
    assert_null(strstr(strstr(l.text, "refused") + 1, "refused"));
    house_close(&h);
}

static void a_repeated_error_is_logged_once(void **state)
{
    (void)state;
    lines l = { "", 0 };
    const lw_logger logger = { LW_LOG_DEBUG, note, &l };
    lw_informer_log log = { .logger = &logger, .resource = "pods" };
    lw_error err = fake_error(LW_ERR_UNAVAILABLE, 0, "connection refused");
    const lw_informer_statistics stats = { .relists = 0, .sync_ns = 0 };
    lw_informer_log_synced(&log, &stats, 0);
    l.len = 0;
    lw_informer_log_error(&log, &err, 1 * LW_NS_PER_S);
    lw_informer_log_error(&log, &err, 2 * LW_NS_PER_S);
    lw_informer_log_turn(&log, &stats, LW_ERR_UNAVAILABLE, 2 * LW_NS_PER_S);
    lw_informer_log_turn(&log, &stats, LW_OK, 4 * LW_NS_PER_S);
    lw_informer_log_turn(&log, &stats, LW_OK, 5 * LW_NS_PER_S);
    assert_lines(&l, "warn informer: pods: connection refused\n"
                     "info informer: pods: recovered after 3.000 s: reconnected\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_it_started_and_synced),
        cmocka_unit_test(says_why_it_relisted),
        cmocka_unit_test(says_once_that_the_connection_is_lost_and_is_back),
        cmocka_unit_test(a_repeated_error_is_logged_once),
    };
    return cmocka_run_group_tests_name("informer_log", tests, NULL, NULL);
}
