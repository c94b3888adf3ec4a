/* SPDX-License-Identifier: Apache-2.0 */
/* sent.h -- writes sent to a world, and their answers compared.
 * Uids are as good as random: in compared texts each is U.  Who manages which fields is in every
 * object and a matter of its own tests: compared texts are without it. */
#ifndef LW_TESTS_UNIT_API_SENT_H
#define LW_TESTS_UNIT_API_SENT_H

#include "base/clock.h"
#include "unit/api/asked.h"

enum {
    SENT_PATIENCE_MS = 20000, /* longer than any answer takes */
    SENT_GLANCE_MS = 100,     /* how often that is looked at when nothing happens */
};

#define JSON_PATCH  "application/json-patch+json"
#define MERGE_PATCH "application/merge-patch+json"
#define DEFAULT     "/api/v1/namespaces/default/"

/* Sends without waiting for the answer. */
static inline fake_http *send_off(api_world *world, const char *method, const char *target,
                                  const char *type, const char *body)
{
    fake_http_request request = { .method = method, .target = target, .body = lw_str_of(body) };
    if (type) {
        request.headers[0] = "content-type";
        request.headers[1] = type;
    }
    return api_world_ask(world, &request);
}

static inline int64_t patience_end(void)
{
    return lw_clock_now(lw_clock_system()) + SENT_PATIENCE_MS * LW_NS_PER_MS;
}

/* One turn of the loop; a test that has waited beyond |deadline| fails. */
static inline void turn_until(api_world *world, int64_t deadline)
{
    assert_int_equal(lw_loop_turn(world->loop, SENT_GLANCE_MS, NULL), LW_OK);
    assert_true(lw_clock_now(lw_clock_system()) < deadline);
}

/* Runs the loop until the answer is there. */
static inline void await(api_world *world, const fake_http *http)
{
    int64_t deadline = patience_end();
    while (!http->is_ended)
        turn_until(world, deadline);
}

/* Sends and waits; the answer must have |status|. */
static inline fake_http *send_as_at(api_world *world, const char *method, const char *target,
                                    const char *type, const char *body, int status,
                                    const char *file, int line)
{
    fake_http *http = send_off(world, method, target, type, body);
    if (http)
        await(world, http);
    if (!http || http->status != status) {
        print_error("%s %s: %d instead of %d: %.*s\n", method, target, http ? http->status : -1,
                    status, http ? (int)http->body.len : 0,
                    http && http->body.data ? http->body.data : "");
        _fail(file, line);
    }
    return http;
}
#define send_as(world, method, target, type, body, status)                                         \
    send_as_at((world), (method), (target), (type), (body), (status), __FILE__, __LINE__)
#define send(world, method, target, body, status)                                                  \
    send_as_at((world), (method), (target), NULL, (body), (status), __FILE__, __LINE__)

/* The body with each uid as U. */
static inline void mask_uids(fake_http *http)
{
    static const char mark[] = "\"uid\":\"";
    lw_buf *body = &http->body;
    for (size_t at = 0; at + sizeof(mark) + 36 < body->len; at++) {
        char *text = body->data + at;
        if (memcmp(text, mark, sizeof(mark) - 1) != 0 || text[sizeof(mark) - 1 + 36] != '"')
            continue;
        char *uid = text + sizeof(mark) - 1;
        uid[0] = 'U';
        memmove(uid + 1, uid + 36, body->len - (size_t)(uid + 36 - body->data));
        body->len -= 35;
    }
}

/* The length of the array that |text| begins with. */
static inline size_t array_length(const char *text, size_t len)
{
    size_t depth = 0;
    bool is_string = false;
    for (size_t i = 0; i < len; i++) {
        if (is_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            is_string = !is_string;
        else if (!is_string && text[i] == '[')
            depth++;
        else if (!is_string && text[i] == ']' && --depth == 0)
            return i + 1;
    }
    return len;
}

/* The body without managedFields. */
static inline void drop_managed_fields(fake_http *http)
{
    static const char mark[] = ",\"managedFields\":";
    lw_buf *body = &http->body;
    for (size_t at = 0; at + sizeof(mark) < body->len; at++) {
        char *text = body->data + at;
        if (memcmp(text, mark, sizeof(mark) - 1) != 0)
            continue;
        size_t left = body->len - at;
        size_t len =
            sizeof(mark) - 1 + array_length(text + sizeof(mark) - 1, left - sizeof(mark) + 1);
        memmove(text, text + len, left - len);
        body->len -= len;
    }
}

/* What is compared of an answer. */
static inline void mask(fake_http *http)
{
    mask_uids(http);
    drop_managed_fields(http);
}

/* Sends; the answer is exactly this. */
static inline void assert_sent_at(api_world *world, const char *method, const char *target,
                                  const char *type, const char *body, int status,
                                  const char *expected, const char *file, int line)
{
    fake_http *http = send_as_at(world, method, target, type, body, status, file, line);
    mask(http);
    assert_str_equal_at(lw_buf_view(&http->body), expected, file, line);
    fake_http_free(http);
}
#define assert_sent_as(world, method, target, type, body, status, expected)                        \
    assert_sent_at((world), (method), (target), (type), (body), (status), (expected), __FILE__,    \
                   __LINE__)
#define assert_sent(world, method, target, body, status, expected)                                 \
    assert_sent_at((world), (method), (target), NULL, (body), (status), (expected), __FILE__,      \
                   __LINE__)

/* Sends; the answer has this in it. */
static inline void assert_sent_has_at(api_world *world, const char *method, const char *target,
                                      const char *type, const char *body, int status,
                                      const char *part, const char *file, int line)
{
    fake_http *http = send_as_at(world, method, target, type, body, status, file, line);
    mask(http);
    assert_body_has_at(http, part, file, line);
    fake_http_free(http);
}
#define assert_sent_has_as(world, method, target, type, body, status, part)                        \
    assert_sent_has_at((world), (method), (target), (type), (body), (status), (part), __FILE__,    \
                       __LINE__)
#define assert_sent_has(world, method, target, body, status, part)                                 \
    assert_sent_has_at((world), (method), (target), NULL, (body), (status), (part), __FILE__,      \
                       __LINE__)

/* Sends, and only the status matters. */
static inline void do_send_at(api_world *world, const char *method, const char *target,
                              const char *type, const char *body, int status, const char *file,
                              int line)
{
    fake_http_free(send_as_at(world, method, target, type, body, status, file, line));
}
#define do_send(world, method, target, body, status)                                               \
    do_send_at((world), (method), (target), NULL, (body), (status), __FILE__, __LINE__)
#define do_send_as(world, method, target, type, body, status)                                      \
    do_send_at((world), (method), (target), (type), (body), (status), __FILE__, __LINE__)

/* A world with the namespaces that always exist. */
static inline int seeded_setup(void **state)
{
    if (world_setup(state) < 0)
        return -1;
    api_world *world = *state;
    return lw_api_seed(world->api, NULL) == LW_OK ? 0 : -1;
}

#define SEEDED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, seeded_setup, world_teardown)

/* A Status that refuses. */
#define FAILURE(message, rest)                                                                     \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","           \
    "\"message\":\"" message "\"," rest "}\n"

/* Runs the loop until |target| answers with |status|. */
static inline void await_status(api_world *world, const char *target, int status)
{
    int64_t deadline = patience_end();
    for (;;) {
        fake_http *http = api_world_get(world, target, NULL);
        bool is_so = http->status == status;
        fake_http_free(http);
        if (is_so)
            return;
        turn_until(world, deadline);
    }
}

#endif
