/* SPDX-License-Identifier: Apache-2.0 */
/* page_test.c -- the page is whole, and for browsers. */
#include "server/endpoints/page.h"

#include <stdio.h>

#include "support/fake_http.h"
#include "unit/test.h"

static bool is_for(const char *target, const char *accept)
{
    fake_http_request request = { .method = "GET",
                                  .target = target,
                                  .headers = { "accept", accept } };
    fake_http *http = fake_http_new(NULL, &request);
    bool answer = lw_page_is_for(&http->stream.request);
    fake_http_free(http);
    return answer;
}

static void browsers_get_it_and_programs_do_not(void **state)
{
    (void)state;
    assert_true(is_for("/", "text/html,application/xhtml+xml,*/*;q=0.8"));
    assert_true(is_for("/", "application/json;q=0.5, Text/HTML"));
    assert_false(is_for("/", "*/*"));
    assert_false(is_for("/", "application/json"));
    assert_false(is_for("/", "text/plain"));
    assert_false(is_for("/", "text/html;q=0"));
    assert_true(is_for("/ui/app.js", "*/*"));
    assert_false(is_for("/ui", "text/html"));
    assert_false(is_for("/api", "text/html"));
}

static bool has_file(lw_str path)
{
    for (size_t i = 0; i < lw_page_file_count; i++) {
        if (lw_str_equal(lw_page_files[i].path, path))
            return true;
    }
    return false;
}

/* Looks for |opening| in |text|; what follows it up to the next quote is the name of a file. */
static int count_named(lw_str text, lw_str opening, const char *folder)
{
    int count = 0;
    for (size_t at = 0; at + opening.len < text.len; at++) {
        char path[128];
        lw_str name, rest = lw_str_skip(text, at);
        if (!lw_str_starts_with(rest, opening))
            continue;
        (void)lw_str_cut(lw_str_skip(rest, opening.len), '"', &name, &rest);
        (void)snprintf(path, sizeof(path), "%s%.*s", folder, LW_STR_ARG(name));
        if (!has_file(lw_str_of(path)))
            fail_msg("%s is named, and not there", path);
        count++;
    }
    return count;
}

static void every_file_that_is_named_is_there(void **state)
{
    (void)state;
    int count = 0;
    for (size_t i = 0; i < lw_page_file_count; i++) {
        lw_str text = lw_page_files[i].plain;
        count += count_named(text, LW_STR("from \"./"), "/ui/");
        count += count_named(text, LW_STR("=\"/ui/"), "/ui/");
    }
    assert_true(count > 20);
}

static void nothing_is_asked_of_others(void **state)
{
    (void)state;
    static const char *const openings[] = { "src=\"http", "href=\"http", "url(http", "fetch(\"http",
                                            "@import" };
    for (size_t i = 0; i < lw_page_file_count; i++) {
        lw_str text = lw_page_files[i].plain;
        for (size_t o = 0; o < sizeof(openings) / sizeof(openings[0]); o++) {
            if (memmem(text.ptr, text.len, openings[o], strlen(openings[o])))
                fail_msg("%.*s has %s", LW_STR_ARG(lw_page_files[i].path), openings[o]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(browsers_get_it_and_programs_do_not),
        TEST(every_file_that_is_named_is_there),
        TEST(nothing_is_asked_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
