/* SPDX-License-Identifier: Apache-2.0 */
/* file_batch_test.c -- small private files that are replaced together. */
#include "base/file/file_batch.h"

#include <sys/stat.h>

#include "base/str.h"
#include "unit/server/scratch_folder.h"

static void add(lw_file_batch *batch, scratch *s, const char *name, const char *text)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_file_batch_add(batch, scratch_path(s, name), lw_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
}

static void assert_file(scratch *s, const char *name, const char *wanted)
{
    char text[64] = "";
    assert_int_equal(scratch_read(s, name, text, sizeof(text)), strlen(wanted));
    assert_string_equal(text, wanted);
    assert_int_equal(scratch_mode(s, name), 0600);
}

static void nothing_is_seen_before_the_commit_and_all_after_it(void **state)
{
    (void)state;
    scratch s;
    lw_file_batch batch;
    scratch_begin(&s);
    lw_file_batch_init(&batch);
    scratch_write(&s, "a", "old");
    assert_int_equal(chmod(scratch_path(&s, "a"), 0644), 0);
    assert_int_equal(mkdir(scratch_path(&s, "sub"), 0700), 0);
    add(&batch, &s, "a", "new");
    add(&batch, &s, "sub/b", "another");
    add(&batch, &s, "c", "");
    char text[8] = "";
    assert_int_equal(scratch_read(&s, "a", text, sizeof(text)), 3);
    assert_string_equal(text, "old");
    assert_int_equal(scratch_mode(&s, "sub/b"), 0);
    assert_int_equal(lw_file_batch_commit(&batch, NULL), LW_OK);
    assert_file(&s, "a", "new");
    assert_file(&s, "sub/b", "another");
    assert_file(&s, "c", "");
    assert_int_equal(scratch_mode(&s, "a.new"), 0);
    assert_int_equal(scratch_mode(&s, "sub/b.new"), 0);
    lw_file_batch_done(&batch);
    scratch_end(&s);
}

static void what_is_not_committed_leaves_nothing(void **state)
{
    (void)state;
    scratch s;
    lw_file_batch batch;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    lw_file_batch_init(&batch);
    add(&batch, &s, "a", "one");
    assert_int_equal(lw_file_batch_add(&batch, scratch_path(&s, "none/b"), LW_STR("x"), &err),
                     LW_ERR_IO);
    assert_non_null(strstr(err.message, "none/b"));
    lw_file_batch_done(&batch);
    assert_int_equal(scratch_mode(&s, "a"), 0);
    assert_int_equal(scratch_mode(&s, "a.new"), 0);
    scratch_end(&s);
}

static void files_are_replaced_in_their_order_up_to_one_that_cannot_be(void **state)
{
    (void)state;
    scratch s;
    lw_file_batch batch;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    lw_file_batch_init(&batch);
    assert_int_equal(mkdir(scratch_path(&s, "b"), 0700), 0); /* no file takes its place */
    add(&batch, &s, "a", "one");
    add(&batch, &s, "b", "two");
    add(&batch, &s, "c", "three");
    assert_int_equal(lw_file_batch_commit(&batch, &err), LW_ERR_IO);
    assert_non_null(strstr(err.message, "/b"));
    assert_file(&s, "a", "one");
    assert_int_equal(scratch_mode(&s, "b.new"), 0);
    assert_int_equal(scratch_mode(&s, "c"), 0);
    assert_int_equal(scratch_mode(&s, "c.new"), 0);
    add(&batch, &s, "c", "again");
    assert_int_equal(lw_file_batch_commit(&batch, &err), LW_OK);
    assert_file(&s, "c", "again");
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_seen_before_the_commit_and_all_after_it),
        TEST(what_is_not_committed_leaves_nothing),
        TEST(files_are_replaced_in_their_order_up_to_one_that_cannot_be),
    };
    return cmocka_run_group_tests_name("file_batch", tests, NULL, NULL);
}
