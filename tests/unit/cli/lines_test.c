/* SPDX-License-Identifier: Apache-2.0 */
/* lines_test.c -- differences in the unified format, as diff(1) writes them. */
#include "cli/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

/* Compares what is printed to standard output. */
static void check(const char *before, const char *after, const char *expected)
{
    char printed[4096] = "";
    bool is_same = false;
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    lw_status st = lines_print_difference("x", before, after, &is_same);
    (void)fflush(stdout);
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
    rewind(file);
    printed[fread(printed, 1, sizeof(printed) - 1, file)] = '\0';
    (void)fclose(file);
    assert_int_equal(st, LW_OK);
    assert_string_equal(printed, expected);
    assert_int_equal(is_same, strcmp(before, after) == 0);
}

static void equal_texts_print_nothing(void **state)
{
    (void)state;
    check("a\nb\n", "a\nb\n", "");
}

static void shows_changed_lines_in_their_context(void **state)
{
    (void)state;
    check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
          "--- live/x\n+++ applied/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

static void shows_new_and_removed_texts(void **state)
{
    (void)state;
    check("", "a\nb\n", "--- live/x\n+++ applied/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    check("a\n", "", "--- live/x\n+++ applied/x\n@@ -1,1 +0,0 @@\n-a\n");
}

static void distant_changes_are_separate(void **state)
{
    (void)state;
    check("a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\n8\nB\n",
          "--- live/x\n+++ applied/x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
          "@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-b\n+B\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_print_nothing),
        cmocka_unit_test(shows_changed_lines_in_their_context),
        cmocka_unit_test(shows_new_and_removed_texts),
        cmocka_unit_test(distant_changes_are_separate),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
