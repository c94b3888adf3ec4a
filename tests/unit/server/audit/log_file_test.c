/* SPDX-License-Identifier: Apache-2.0 */
/* log_file_test.c -- the audit log is rotated by size; old files go by number and age. */
#include "server/audit/log_file.h"

#include <dirent.h>

#include "api/media/gzip.h"
#include "base/clock.h"
#include "base/file/files.h"
#include "base/str.h"
#include "unit/server/scratch_folder.h"

#define START_NS INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */

typedef struct site {
    scratch s;
    lw_manual_clock *clock;
    lw_audit_log log;
} site;

static void site_begin(site *t, const lw_audit_log_options *options)
{
    lw_error err = LW_ERROR_INIT;
    char path[192];
    scratch_begin(&t->s);
    assert_int_equal(lw_manual_clock_new(&t->clock, START_NS), LW_OK);
    (void)snprintf(path, sizeof(path), "%s/logs/audit.log", t->s.folder);
    lw_audit_log_options o = *options;
    o.path = path;
    o.clock = lw_manual_clock_as_clock(t->clock);
    if (lw_audit_log_open(&t->log, &o, &err) < 0)
        fail_msg("%s", err.message);
}

static void site_end(site *t)
{
    lw_audit_log_close(&t->log);
    lw_manual_clock_free(t->clock);
    scratch_end(&t->s);
}

/* Writes |line|; true: the file was rotated before. */
static bool write_line(site *t, const char *line)
{
    bool has_rotated = false;
    lw_error err = LW_ERROR_INIT;
    if (lw_audit_log_write(&t->log, lw_str_of(line), &has_rotated, &err) < 0)
        fail_msg("%s", err.message);
    lw_manual_clock_advance(t->clock, LW_NS_PER_S);
    return has_rotated;
}

static void tidy(site *t)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_audit_log_tidy(&t->log, NULL, &err) < 0)
        fail_msg("%s", err.message);
}

static void assert_text(site *t, const char *name, const char *text)
{
    char found[256] = "";
    if (scratch_read(&t->s, name, found, sizeof(found)) < 0)
        fail_msg("%s is missing", name);
    assert_string_equal(found, text);
}

static int count_files(site *t)
{
    int count = 0;
    DIR *dir = opendir(scratch_path(&t->s, "logs"));
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

static void lines_are_appended_to_a_private_file(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 1000 });
    assert_false(write_line(&t, "one\n"));
    assert_false(write_line(&t, "two\n"));
    assert_text(&t, "logs/audit.log", "one\ntwo\n");
    assert_int_equal(scratch_mode(&t.s, "logs/audit.log"), 0600);
    site_end(&t);
}

static void a_full_file_is_set_aside_with_its_time(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 8 });
    assert_false(write_line(&t, "one\n"));
    assert_false(write_line(&t, "two\n")); /* just fits */
    assert_true(write_line(&t, "three\n"));
    assert_text(&t, "logs/audit-2026-11-15T01-49-26.000.log", "one\ntwo\n");
    assert_text(&t, "logs/audit.log", "three\n");
    site_end(&t);
}

static void files_of_the_same_millisecond_are_all_kept(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4 });
    (void)write_line(&t, "one\n");
    (void)write_line(&t, "two\n");
    lw_manual_clock_set_wall(t.clock, START_NS + LW_NS_PER_S);
    (void)write_line(&t, "three\n");
    assert_text(&t, "logs/audit-2026-11-15T01-49-25.000.log", "one\n");
    assert_text(&t, "logs/audit-2026-11-15T01-49-25.001.log", "two\n");
    site_end(&t);
}

static void a_line_larger_than_the_limit_is_written(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4 });
    assert_false(write_line(&t, "long line\n"));
    assert_text(&t, "logs/audit.log", "long line\n");
    site_end(&t);
}

static void without_a_limit_nothing_is_rotated(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 0 });
    for (int i = 0; i < 100; i++)
        assert_false(write_line(&t, "line\n"));
    assert_int_equal(count_files(&t), 1);
    site_end(&t);
}

static void only_the_newest_backups_are_kept(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4, .max_backups = 2 });
    scratch_write(&t.s, "logs/audit-mine.log", "not a backup");
    for (int i = 0; i < 5; i++)
        (void)write_line(&t, "line\n");
    assert_int_equal(count_files(&t), 6);
    tidy(&t);
    assert_int_equal(count_files(&t), 4);
    assert_text(&t, "logs/audit-2026-11-15T01-49-28.000.log", "line\n");
    assert_text(&t, "logs/audit-2026-11-15T01-49-27.000.log", "line\n");
    assert_text(&t, "logs/audit-mine.log", "not a backup");
    site_end(&t);
}

static void old_backups_are_removed(void **state)
{
    (void)state;
    site t;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4, .max_age_days = 2 });
    (void)write_line(&t, "one\n");
    (void)write_line(&t, "two\n");
    lw_manual_clock_advance(t.clock, 2 * INT64_C(86400) * LW_NS_PER_S - 10 * LW_NS_PER_S);
    tidy(&t);
    assert_int_equal(count_files(&t), 2);
    lw_manual_clock_advance(t.clock, 20 * LW_NS_PER_S);
    tidy(&t);
    assert_int_equal(count_files(&t), 1);
    site_end(&t);
}

static void backups_are_compressed(void **state)
{
    (void)state;
    site t;
    lw_buf packed, text;
    lw_error err = LW_ERROR_INIT;
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4, .compresses = true });
    (void)write_line(&t, "one\n");
    (void)write_line(&t, "two\n");
    tidy(&t);
    tidy(&t); /* it is not compressed again */
    assert_int_equal(count_files(&t), 2);
    lw_buf_init(&packed, 4096);
    lw_buf_init(&text, 4096);
    const char *path = scratch_path(&t.s, "logs/audit-2026-11-15T01-49-25.000.log.gz");
    assert_int_equal(lw_file_read(path, &packed, &err), LW_OK);
    assert_int_equal(lw_gzip_expand(lw_buf_view(&packed), &text), LW_OK);
    assert_true(lw_str_equal(lw_buf_view(&text), LW_STR("one\n")));
    lw_buf_done(&packed);
    lw_buf_done(&text);
    site_end(&t);
}

static void compressing_ends_when_the_server_stops(void **state)
{
    (void)state;
    site t;
    atomic_bool is_stopping;
    lw_error err = LW_ERROR_INIT;
    atomic_init(&is_stopping, true);
    site_begin(&t, &(lw_audit_log_options){ .max_bytes = 4, .compresses = true });
    (void)write_line(&t, "one\n");
    (void)write_line(&t, "two\n");
    assert_int_equal(lw_audit_log_tidy(&t.log, &is_stopping, &err), LW_ERR_STOPPED);
    assert_text(&t, "logs/audit-2026-11-15T01-49-25.000.log", "one\n");
    assert_int_equal(count_files(&t), 2);
    site_end(&t);
}

static void a_log_that_cannot_be_opened_is_named(void **state)
{
    (void)state;
    scratch s;
    lw_audit_log log;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    const lw_audit_log_options options = { .path = s.folder, .clock = lw_clock_system() };
    assert_int_equal(lw_audit_log_open(&log, &options, &err), LW_ERR_IO);
    assert_non_null(strstr(err.message, s.folder));
    lw_audit_log_close(&log);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_are_appended_to_a_private_file),
        TEST(a_full_file_is_set_aside_with_its_time),
        TEST(files_of_the_same_millisecond_are_all_kept),
        TEST(a_line_larger_than_the_limit_is_written),
        TEST(without_a_limit_nothing_is_rotated),
        TEST(only_the_newest_backups_are_kept),
        TEST(old_backups_are_removed),
        TEST(backups_are_compressed),
        TEST(compressing_ends_when_the_server_stops),
        TEST(a_log_that_cannot_be_opened_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
