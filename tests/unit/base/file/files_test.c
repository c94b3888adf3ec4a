/* SPDX-License-Identifier: Apache-2.0 */
/* files_test.c -- small private files. */
#include "base/file/files.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/server/scratch_folder.h"

static void a_file_is_replaced_and_private(void **state)
{
    (void)state;
    scratch s;
    char text[64];
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    assert_int_equal(lw_file_replace(scratch_path(&s, "a"), LW_STR("one"), &err), LW_OK);
    assert_int_equal(lw_file_replace(scratch_path(&s, "a"), LW_STR("two"), &err), LW_OK);
    assert_int_equal(scratch_read(&s, "a", text, sizeof(text)), 3);
    assert_string_equal(text, "two");
    assert_int_equal(scratch_mode(&s, "a"), 0600);
    assert_int_equal(scratch_mode(&s, "a.new"), 0);
    scratch_end(&s);
}

static void what_a_crash_left_beside_it_is_no_obstacle_and_gives_no_mode(void **state)
{
    (void)state;
    scratch s;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    scratch_write(&s, "a.new", "half of it, and longer than what comes");
    assert_int_equal(chmod(scratch_path(&s, "a.new"), 0644), 0);
    assert_int_equal(lw_file_replace(scratch_path(&s, "a"), LW_STR("whole"), &err), LW_OK);
    assert_int_equal(scratch_mode(&s, "a"), 0600);
    lw_buf out;
    lw_buf_init(&out, 100);
    assert_int_equal(lw_file_read(scratch_path(&s, "a"), &out, &err), LW_OK);
    assert_str_equal(lw_buf_view(&out), "whole");
    lw_buf_done(&out);
    scratch_end(&s);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    scratch s;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    assert_int_equal(lw_file_replace(scratch_path(&s, "none/a"), LW_STR("x"), &err), LW_ERR_IO);
    assert_non_null(strstr(err.message, "none/a"));
    scratch_end(&s);
}

static void reading_says_what_is_wrong(void **state)
{
    (void)state;
    scratch s;
    lw_error err = LW_ERROR_INIT;
    lw_buf out;
    lw_buf_init(&out, 4);
    scratch_begin(&s);
    assert_int_equal(lw_file_read(scratch_path(&s, "a"), &out, &err), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "/a"));
    scratch_write(&s, "a", "12345");
    assert_int_equal(lw_file_read(scratch_path(&s, "a"), &out, &err), LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "4 bytes"));
    lw_buf_reset(&out);
    scratch_write(&s, "a", "1234");
    assert_int_equal(lw_file_read(scratch_path(&s, "a"), &out, &err), LW_OK);
    assert_int_equal(lw_file_read(s.folder, &out, &err), LW_ERR_IO);
    lw_buf_done(&out);
    scratch_end(&s);
}

static void folders_are_made_with_those_above_them(void **state)
{
    (void)state;
    scratch s;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    assert_int_equal(lw_folder_make(scratch_path(&s, "a/b/c"), &err), LW_OK);
    assert_int_equal(lw_folder_make(scratch_path(&s, "a/b/c"), &err), LW_OK);
    assert_int_equal(lw_folder_make(scratch_path(&s, "a/b/c/d/"), &err), LW_OK);
    assert_int_equal(scratch_mode(&s, "a/b/c"), 0700);
    scratch_write(&s, "file", "");
    assert_int_equal(lw_folder_make(scratch_path(&s, "file"), &err), LW_ERR_IO);
    assert_int_equal(lw_folder_make(scratch_path(&s, "file/a"), &err), LW_ERR_IO);
    scratch_end(&s);
}

static void a_path_is_folder_and_name(void **state)
{
    (void)state;
    char *path = lw_file_path("/var/lib", "x");
    assert_string_equal(path, "/var/lib/x");
    lw_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_replaced_and_private),
        TEST(what_a_crash_left_beside_it_is_no_obstacle_and_gives_no_mode),
        TEST(a_file_that_cannot_be_written_is_named),
        TEST(reading_says_what_is_wrong),
        TEST(folders_are_made_with_those_above_them),
        TEST(a_path_is_folder_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
