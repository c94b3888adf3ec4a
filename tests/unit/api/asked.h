/* SPDX-License-Identifier: Apache-2.0 */
/* asked.h -- a world for each test, and questions whose answers are compared. */
#ifndef LW_TESTS_UNIT_API_ASKED_H
#define LW_TESTS_UNIT_API_ASKED_H

#include <stdio.h>
#include <stdlib.h>

#include "support/api_world.h"
#include "unit/test.h"

static inline int world_setup(void **state)
{
    api_world *world = calloc(1, sizeof(*world));
    lw_error err = LW_ERROR_INIT;
    if (!world || api_world_open(world, &err) < 0) {
        print_error("no world: %s\n", err.message);
        return -1;
    }
    *state = world;
    return 0;
}

static inline int world_teardown(void **state)
{
    api_world_close(*state);
    free(*state);
    return 0;
}

/* A test with a world of its own as *state. */
#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)

/* GET |target|, which must be answered with |status|. */
static inline fake_http *ask_as_at(api_world *world, const char *target, const char *accept,
                                   int status, const char *file, int line)
{
    fake_http *http = api_world_get(world, target, accept);
    if (!http || http->status != status) {
        print_error("%s: %d instead of %d: %.*s\n", target, http ? http->status : -1, status,
                    http ? (int)http->body.len : 0, http && http->body.data ? http->body.data : "");
        _fail(file, line);
    }
    return http;
}
#define ask_as(world, target, accept, status)                                                      \
    ask_as_at((world), (target), (accept), (status), __FILE__, __LINE__)
#define ask(world, target, status) ask_as_at((world), (target), NULL, (status), __FILE__, __LINE__)

/* The same, and the body is exactly |body|. */
static inline void assert_answer_at(api_world *world, const char *target, const char *accept,
                                    int status, const char *body, const char *file, int line)
{
    fake_http *http = ask_as_at(world, target, accept, status, file, line);
    assert_str_equal_at(lw_buf_view(&http->body), body, file, line);
    fake_http_free(http);
}
#define assert_answer(world, target, status, body)                                                 \
    assert_answer_at((world), (target), NULL, (status), (body), __FILE__, __LINE__)
#define assert_answer_as(world, target, accept, status, body)                                      \
    assert_answer_at((world), (target), (accept), (status), (body), __FILE__, __LINE__)

/* |text| occurs in what came of the body. */
static inline void assert_body_has_at(const fake_http *http, const char *text, const char *file,
                                      int line)
{
    if (http->body.len > 0 && memmem(http->body.data, http->body.len, text, strlen(text)))
        return;
    print_error("no %s in %.*s\n", text, (int)http->body.len,
                http->body.data ? http->body.data : "");
    _fail(file, line);
}
#define assert_body_has(http, text) assert_body_has_at((http), (text), __FILE__, __LINE__)

/* The body so far is |text|, and is forgotten. */
static inline void assert_came_at(fake_http *http, const char *text, const char *file, int line)
{
    assert_str_equal_at(lw_buf_view(&http->body), text, file, line);
    fake_http_forget_body(http);
}
#define assert_came(http, text) assert_came_at((http), (text), __FILE__, __LINE__)

static inline void assert_header_at(const fake_http *http, const char *name, const char *expected,
                                    const char *file, int line)
{
    lw_str value;
    if (!fake_http_header(http, name, 0, &value)) {
        print_error("no header %s\n", name);
        _fail(file, line);
    }
    assert_str_equal_at(value, expected, file, line);
}
#define assert_header(http, name, expected)                                                        \
    assert_header_at((http), (name), (expected), __FILE__, __LINE__)

#endif
