/* SPDX-License-Identifier: Apache-2.0 */
/* warm_restart_test.c -- an informer that starts from its saved cache: no list, and its handlers
 * and readers have the same in the end as without it. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/informer/house.h"

typedef struct home {
    house h;
    char folder[32];
    lw_factory_options options;
    char log[4096]; /* warnings */
} home;

static void on_log(lw_log_level level, const char *component, const char *line, void *arg)
{
    home *m = arg;
    (void)component;
    if (level <= LW_LOG_WARN)
        (void)snprintf(m->log, sizeof(m->log), "%s", line);
}

static lw_logger logger_of(home *m)
{
    return (lw_logger){ .level = LW_LOG_INFO, .fn = on_log, .arg = m };
}

static void home_open(home *m)
{
    *m = (home){ .options = house_options() };
    (void)snprintf(m->folder, sizeof(m->folder), "/tmp/lw-warm-XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    m->options.state_dir = m->folder;
    m->h.fake = fake_provider_new();
    assert_non_null(m->h.fake);
    assert_int_equal(lw_manual_clock_new(&m->h.clock, 0), LW_OK);
}

/* Starts a factory with an informer and |book|. */
static void start_with(home *m, const lw_informer_options *options, notebook *book)
{
    lw_logger logger = logger_of(m);
    lw_factory_options all = m->options;
    lw_error err = LW_ERROR_INIT;
    all.provider = fake_provider_as_provider(m->h.fake);
    all.clock = lw_manual_clock_as_clock(m->h.clock);
    all.logger = &logger;
    m->log[0] = '\0';
    if (lw_factory_new(&m->h.factory, &all, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_factory_informer_with(m->h.factory, "pods", options, &m->h.pods, NULL),
                     LW_OK);
    const lw_handler handler = notebook_handler(book);
    (void)house_add(&m->h, &handler);
}

static void start(home *m, notebook *book)
{
    start_with(m, NULL, book);
    house_run_until_idle(&m->h);
    house_advance(&m->h, 200 * LW_NS_PER_MS); /* an open watch counts as accepted */
}

static void stop(home *m)
{
    lw_factory_free(m->h.factory);
    m->h.factory = NULL;
}

static unsigned lists_of(home *m)
{
    fake_provider_counts counts = fake_provider_look(m->h.fake);
    return counts.lists + counts.streams;
}

/* Calls |act| with the path of each file except the lock. */
static unsigned each_file(home *m, void (*act)(const char *path))
{
    unsigned count = 0;
    DIR *dir = opendir(m->folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "lock") == 0)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", m->folder, entry->d_name);
        count++;
        if (act)
            act(path);
    }
    (void)closedir(dir);
    return count;
}

static void delete_file(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void damage_file(const char *path)
{
    assert_int_equal(truncate(path, 100), 0);
}

static void home_close(home *m)
{
    char path[64];
    stop(m);
    (void)each_file(m, delete_file);
    (void)snprintf(path, sizeof(path), "%s/lock", m->folder);
    (void)unlink(path);
    assert_int_equal(rmdir(m->folder), 0);
    fake_provider_free(m->h.fake);
    lw_manual_clock_free(m->h.clock);
}

/* A home that has stopped with the pods a/x and a/y of |cluster|. */
static void home_open_saved_of(home *m, const char *cluster)
{
    notebook book = { .len = 0 };
    home_open(m);
    fake_provider_set_cluster(m->h.fake, cluster);
    (void)house_put(&m->h, "a/x");
    (void)house_put(&m->h, "a/y");
    start(m, &book);
    assert_told(&book, "+a/x.i +a/y.i");
    assert_int_equal(lists_of(m), 1);
    stop(m);
    assert_int_equal(each_file(m, NULL), 1);
}

static void home_open_saved(home *m)
{
    home_open_saved_of(m, "");
}

static void change_while_away(home *m)
{
    (void)house_put(&m->h, "a/x");
    house_delete(&m->h, "a/y");
    (void)house_put(&m->h, "a/z");
}

static void a_restarted_informer_lists_nothing_and_gets_what_it_missed(void **state)
{
    (void)state;
    home m;
    notebook book = { .len = 0 };
    home_open_saved(&m);
    change_while_away(&m);
    start(&m, &book);
    assert_told(&book, "+a/x.i +a/y.i ~a/x.w -a/y.w +a/z.w");
    assert_int_equal(lists_of(&m), 1); /* the one of the first start */
    assert_true(lw_informer_is_synced(m.h.pods));
    assert_int_equal(lw_lister_count(lw_informer_lister(m.h.pods)), 2);
    assert_string_equal(m.log, "");
    home_close(&m);
}

static void handlers_can_be_told_only_of_what_changed(void **state)
{
    (void)state;
    home m;
    notebook book = { .len = 0 };
    home_open_saved(&m);
    m.options.tells_only_changes = true;
    change_while_away(&m);
    start(&m, &book);
    assert_told(&book, "~a/x.w -a/y.w +a/z.w");
    notebook late = { .len = 0 };
    const lw_handler handler = notebook_handler(&late);
    (void)house_add(&m.h, &handler);
    house_run_until_idle(&m.h);
    assert_int_equal(late.count, 2); /* a handler that is added later gets all objects */
    stop(&m);
    start(&m, &book);
    assert_told(&book, "");
    assert_true(lw_informer_is_synced(m.h.pods));
    assert_int_equal(lists_of(&m), 1);
    home_close(&m);
}

/* At the same address, with the same CA, and with a revision that it accepts. */
static void a_cache_of_another_cluster_is_not_used(void **state)
{
    (void)state;
    for (int is_at_once = 0; is_at_once < 2; is_at_once++) {
        home m;
        notebook book = { .len = 0 };
        home_open_saved_of(&m, "one");
        m.options.is_synced_from_state = is_at_once;
        change_while_away(&m);
        fake_provider_set_cluster(m.h.fake, "two");
        start(&m, &book);
        house_advance(&m.h, 2 * LW_NS_PER_S);
        assert_told(&book, is_at_once ? "+a/x.i +a/y.i -a/y.r? ~a/x.r +a/z.r" : "+a/x.i +a/z.i");
        assert_int_equal(lists_of(&m), 2);
        assert_non_null(strstr(m.log, "another cluster"));
        stop(&m);
        start(&m, &book); /* what was saved since is of this one */
        assert_int_equal(lists_of(&m), 2);
        home_close(&m);
    }
}

static void a_cache_is_used_if_the_cluster_is_the_same_or_not_known(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "one", "one" }, { "one", "" }, { "", "two" } };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        home m;
        notebook book = { .len = 0 };
        home_open_saved_of(&m, pairs[i][0]);
        fake_provider_set_cluster(m.h.fake, pairs[i][1]);
        start(&m, &book);
        assert_int_equal(lists_of(&m), 1);
        assert_told(&book, "+a/x.i +a/y.i");
        home_close(&m);
    }
}

static void a_server_that_has_forgotten_is_listed(void **state)
{
    (void)state;
    for (int tells_changes = 0; tells_changes < 2; tells_changes++) {
        home m;
        notebook book = { .len = 0 };
        home_open_saved(&m);
        m.options.tells_only_changes = tells_changes;
        change_while_away(&m);
        fake_provider_compact(m.h.fake);
        start(&m, &book);
        assert_told(&book, tells_changes ? "-a/y.r? ~a/x.r +a/z.r" : "+a/x.i +a/z.i");
        assert_int_equal(lists_of(&m), 2);
        assert_int_equal(lw_lister_count(lw_informer_lister(m.h.pods)), 2);
        home_close(&m);
    }
}

static void readers_have_the_objects_at_once_but_synced_is_when_the_server_agrees(void **state)
{
    (void)state;
    for (int is_at_once = 0; is_at_once < 2; is_at_once++) {
        home m;
        notebook book = { .len = 0 };
        home_open_saved(&m);
        m.options.is_synced_from_state = is_at_once;
        fake_provider_hold(m.h.fake, true);
        start(&m, &book);
        assert_int_equal(lw_lister_count(lw_informer_lister(m.h.pods)), 2);
        assert_int_equal(lw_informer_is_synced(m.h.pods), is_at_once);
        assert_told(&book, is_at_once ? "+a/x.i +a/y.i" : "");
        fake_provider_hold(m.h.fake, false);
        house_run_until_idle(&m.h);
        house_advance(&m.h, 200 * LW_NS_PER_MS);
        assert_true(lw_informer_is_synced(m.h.pods));
        assert_told(&book, is_at_once ? "" : "+a/x.i +a/y.i");
        assert_int_equal(lists_of(&m), 1);
        home_close(&m);
    }
}

static void a_file_that_cannot_be_used_is_ignored_with_a_reason(void **state)
{
    (void)state;
    static const char *const reasons[] = { "checksum", "too old", "" };
    for (int i = 0; i < 3; i++) {
        home m;
        notebook book = { .len = 0 };
        home_open_saved(&m);
        if (i == 0)
            (void)each_file(&m, damage_file);
        if (i == 1)
            lw_manual_clock_advance(m.h.clock, 25 * 3600 * LW_NS_PER_S);
        if (i == 2)
            m.options.state_version = "2"; /* another file */
        start(&m, &book);
        assert_told(&book, "+a/x.i +a/y.i");
        assert_int_equal(lists_of(&m), 2);
        if (i < 2 ? !strstr(m.log, reasons[i]) : m.log[0] != '\0')
            fail_msg("case %d: %s", i, m.log);
        home_close(&m);
    }
}

static lw_object *keep_all(const lw_object *obj, void *arg)
{
    (void)arg;
    return lw_object_ref(obj);
}

static void an_informer_with_a_transform_is_saved_only_with_a_version(void **state)
{
    (void)state;
    for (int has_version = 0; has_version < 2; has_version++) {
        home m;
        notebook book = { .len = 0 };
        lw_informer_options options = LW_INFORMER_OPTIONS_INIT;
        options.transform = keep_all;
        home_open(&m);
        m.options.state_version = has_version ? "1" : NULL;
        start_with(&m, &options, &book);
        house_run_until_idle(&m.h);
        stop(&m);
        assert_int_equal(each_file(&m, NULL), has_version ? 1 : 0);
        assert_int_equal(m.log[0] == '\0', has_version);
        home_close(&m);
    }
}

/* A program that is killed has what was saved before. */
static void a_cache_is_saved_while_it_changes(void **state)
{
    (void)state;
    home m;
    notebook book = { .len = 0 };
    home_open(&m);
    (void)house_put(&m.h, "a/x");
    start(&m, &book);
    /* The thread writes; the clock of the test does not. */
    for (int i = 0; each_file(&m, NULL) == 0 && i < 1000; i++)
        (void)poll(NULL, 0, 10);
    assert_int_equal(each_file(&m, NULL), 1);
    (void)each_file(&m, delete_file);
    house_run_until_idle(&m.h);
    assert_int_equal(each_file(&m, NULL), 0);
    (void)house_put(&m.h, "a/y");
    house_advance(&m.h, LW_NS_PER_S);
    assert_int_equal(each_file(&m, NULL), 0); /* not before the interval is over */
    for (int i = 0; each_file(&m, NULL) == 0 && i < 1000; i++) {
        house_advance(&m.h, 60 * LW_NS_PER_S);
        (void)poll(NULL, 0, 10);
    }
    assert_int_equal(each_file(&m, NULL), 1);
    home_close(&m);
}

static void two_factories_cannot_share_a_directory(void **state)
{
    (void)state;
    home m;
    notebook book = { .len = 0 };
    lw_factory *second = NULL;
    lw_error err = LW_ERROR_INIT;
    home_open(&m);
    start(&m, &book);
    fake_provider *other = fake_provider_new();
    lw_factory_options options = m.options;
    options.provider = fake_provider_as_provider(other);
    assert_int_equal(lw_factory_new(&second, &options, &err), LW_ERR_EXISTS);
    assert_non_null(strstr(err.message, "in use"));
    fake_provider_free(other);
    home_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_restarted_informer_lists_nothing_and_gets_what_it_missed),
        TEST(handlers_can_be_told_only_of_what_changed),
        TEST(a_cache_of_another_cluster_is_not_used),
        TEST(a_cache_is_used_if_the_cluster_is_the_same_or_not_known),
        TEST(a_server_that_has_forgotten_is_listed),
        TEST(readers_have_the_objects_at_once_but_synced_is_when_the_server_agrees),
        TEST(a_file_that_cannot_be_used_is_ignored_with_a_reason),
        TEST(an_informer_with_a_transform_is_saved_only_with_a_version),
        TEST(a_cache_is_saved_while_it_changes),
        TEST(two_factories_cannot_share_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
