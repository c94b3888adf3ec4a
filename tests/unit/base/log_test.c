/* SPDX-License-Identifier: Apache-2.0 */
/* log_test.c -- lines to the program's function. */
#include "base/log.h"

#include <stdio.h>

#include "unit/test.h"

typedef struct heard {
    int lines;
    lw_log_level level;
    char component[32];
    char line[LW_LOG_LINE_SIZE + 1];
} heard;

static void hear(lw_log_level level, const char *component, const char *line, void *arg)
{
    heard *h = arg;
    h->lines++;
    h->level = level;
    (void)snprintf(h->component, sizeof(h->component), "%s", component);
    (void)snprintf(h->line, sizeof(h->line), "%s", line);
}

static void hands_over_level_component_and_line(void **state)
{
    (void)state;
    heard h = { 0 };
    lw_logger logger = { LW_LOG_INFO, hear, &h };
    lw_log(&logger, LW_LOG_WARN, "reflector", "relist after %d", 410);
    assert_int_equal(h.lines, 1);
    assert_int_equal(h.level, LW_LOG_WARN);
    assert_string_equal(h.component, "reflector");
    assert_string_equal(h.line, "relist after 410");
}

static void a_logger_takes_its_level_and_worse(void **state)
{
    (void)state;
    for (int own = LW_LOG_OFF; own <= LW_LOG_DEBUG; own++) {
        for (int level = LW_LOG_ERROR; level <= LW_LOG_DEBUG; level++) {
            heard h = { 0 };
            lw_logger logger = { (lw_log_level)own, hear, &h };
            lw_log(&logger, (lw_log_level)level, "x", "y");
            assert_int_equal(h.lines, level <= own);
            assert_int_equal(lw_log_is_enabled(&logger, (lw_log_level)level), level <= own);
        }
    }
}

static void nothing_is_ever_said_at_level_off(void **state)
{
    (void)state;
    heard h = { 0 };
    lw_logger logger = { LW_LOG_DEBUG, hear, &h };
    lw_log(&logger, LW_LOG_OFF, "x", "y");
    assert_int_equal(h.lines, 0);
}

static void no_logger_and_a_zeroed_one_are_silent(void **state)
{
    (void)state;
    lw_logger zeroed = { 0 };
    lw_logger no_function = { LW_LOG_DEBUG, NULL, NULL };
    lw_log(NULL, LW_LOG_ERROR, "x", "y");
    lw_log(&zeroed, LW_LOG_ERROR, "x", "y");
    lw_log(&no_function, LW_LOG_ERROR, "x", "y");
    assert_false(lw_log_is_enabled(NULL, LW_LOG_ERROR));
    assert_false(lw_log_is_enabled(&zeroed, LW_LOG_ERROR));
    assert_false(lw_log_is_enabled(&no_function, LW_LOG_ERROR));
}

/* Formatting would read from an address that cannot be read. */
static void a_disabled_line_is_not_formatted(void **state)
{
    (void)state;
    heard h = { 0 };
    lw_logger logger = { LW_LOG_ERROR, hear, &h };
    const char *poison = (const char *)(uintptr_t)1;
    lw_log(&logger, LW_LOG_DEBUG, "x", "%s", poison);
    assert_int_equal(h.lines, 0);
}

static void a_long_line_is_cut_and_marked(void **state)
{
    (void)state;
    heard h = { 0 };
    lw_logger logger = { LW_LOG_DEBUG, hear, &h };
    lw_log(&logger, LW_LOG_DEBUG, "x", "%2000d", 7);
    assert_int_equal(strlen(h.line), LW_LOG_LINE_SIZE - 1);
    assert_string_equal(h.line + LW_LOG_LINE_SIZE - 4, "...");
    lw_log(&logger, LW_LOG_DEBUG, "x", "%1023d", 7);
    assert_int_equal(strlen(h.line), LW_LOG_LINE_SIZE - 1);
    assert_string_equal(h.line + LW_LOG_LINE_SIZE - 3, " 7");
}

static void text_from_a_server_cannot_forge_a_line(void **state)
{
    (void)state;
    heard h = { 0 };
    lw_logger logger = { LW_LOG_INFO, hear, &h };
    lw_log(&logger, LW_LOG_INFO, "client", "server says: %s", "no\nERROR all is lost");
    assert_string_equal(h.line, "server says: no ERROR all is lost");
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_string_equal(lw_log_level_name(LW_LOG_OFF), "off");
    assert_string_equal(lw_log_level_name(LW_LOG_ERROR), "error");
    assert_string_equal(lw_log_level_name(LW_LOG_WARN), "warn");
    assert_string_equal(lw_log_level_name(LW_LOG_INFO), "info");
    assert_string_equal(lw_log_level_name(LW_LOG_DEBUG), "debug");
    assert_string_equal(lw_log_level_name((lw_log_level)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hands_over_level_component_and_line),    TEST(a_logger_takes_its_level_and_worse),
        TEST(nothing_is_ever_said_at_level_off),      TEST(no_logger_and_a_zeroed_one_are_silent),
        TEST(a_disabled_line_is_not_formatted),       TEST(a_long_line_is_cut_and_marked),
        TEST(text_from_a_server_cannot_forge_a_line), TEST(levels_have_names),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
