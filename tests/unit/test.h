/* SPDX-License-Identifier: Apache-2.0 */
/* test.h -- cmocka with the headers it needs, and a few assertions of our own. */
#ifndef LW_TESTS_UNIT_TEST_H
#define LW_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <listwatch/str.h>

/* A test named by its function, in the table that main() runs. */
#define TEST(function) cmocka_unit_test(function)

/* The view |s| holds exactly |text|; prints both when not. */
static inline void assert_str_equal_at(lw_str s, const char *text, const char *file, int line)
{
    if (lw_str_equal(s, lw_str_of(text)))
        return;
    print_error("\"%.*s\" != \"%s\"\n", (int)s.len, s.ptr ? s.ptr : "", text);
    _fail(file, line);
}
#define assert_str_equal(s, text) assert_str_equal_at((s), (text), __FILE__, __LINE__)

#endif
