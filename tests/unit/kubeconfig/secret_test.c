/* SPDX-License-Identifier: Apache-2.0 */
/* secret_test.c -- no secret is left in freed memory. */
#include "kubeconfig/secret.h"

#include <stdlib.h>

#include <listwatch/sys/alloc.h>

#include "base/str.h"
#include "unit/kubeconfig/place.h"

/* An allocator that inspects the memory that is freed. */
typedef struct watcher {
    const char *secret;
    size_t found; /* blocks that still held it */
    size_t live;
} watcher;

enum {
    HEADER = 16,
};

static void look(watcher *w, const void *ptr)
{
    size_t size;
    memcpy(&size, (const char *)ptr - HEADER, sizeof(size));
    w->found += memmem(ptr, size, w->secret, strlen(w->secret)) != NULL;
}

static void *watch_alloc(size_t size, void *arg)
{
    watcher *w = arg;
    char *block = calloc(1, size + HEADER);
    assert_non_null(block);
    memcpy(block, &size, sizeof(size));
    w->live++;
    return block + HEADER;
}

static void watch_free(void *ptr, void *arg)
{
    watcher *w = arg;
    if (!ptr)
        return;
    look(w, ptr);
    w->live--;
    free((char *)ptr - HEADER);
}

static void *watch_resize(void *ptr, size_t size, void *arg)
{
    if (!ptr)
        return watch_alloc(size, arg);
    size_t old;
    memcpy(&old, (char *)ptr - HEADER, sizeof(old));
    void *fresh = watch_alloc(size, arg);
    memcpy(fresh, ptr, old < size ? old : size);
    watch_free(ptr, arg);
    return fresh;
}

static void watch_begin(watcher *w, const char *secret)
{
    *w = (watcher){ .secret = secret };
    const lw_allocator allocator = { watch_alloc, watch_resize, watch_free, w };
    lw_set_allocator(&allocator);
}

static void growing_leaves_no_copy(void **state)
{
    (void)state;
    watcher w;
    watch_begin(&w, "hunter2");
    lw_buf buf;
    lw_buf_init(&buf, 10000);
    for (int i = 0; i < 500; i++)
        lw_secret_append(&buf, LW_STR("hunter2"));
    assert_int_equal(buf.len, 3500);
    assert_int_equal(lw_secret_set(&buf, LW_STR("hunter2!")), LW_OK);
    lw_buf other;
    lw_buf_init(&other, 10000);
    lw_secret_append(&other, LW_STR("hunter2?"));
    lw_secret_move(&other, &buf);
    assert_str_equal(lw_buf_view(&other), "hunter2!");
    assert_int_equal(buf.len, 0);
    lw_secret_done(&other);
    lw_secret_done(&buf);
    lw_set_allocator(NULL);
    assert_int_equal(w.found, 0);
    assert_int_equal(w.live, 0);
}

/* That the test above can fail. */
static void a_plain_buffer_does_leave_copies(void **state)
{
    (void)state;
    watcher w;
    watch_begin(&w, "hunter2");
    lw_buf buf;
    lw_buf_init(&buf, 10000);
    for (int i = 0; i < 500; i++)
        lw_buf_append_text(&buf, "hunter2");
    lw_buf_done(&buf);
    lw_set_allocator(NULL);
    assert_true(w.found > 0);
}

static void strings_are_wiped(void **state)
{
    (void)state;
    watcher w;
    watch_begin(&w, "hunter2");
    lw_strings strings = { 0 };
    for (int i = 0; i < 50; i++)
        assert_int_equal(lw_strings_add(&strings, LW_STR("PASSWORD=hunter2")), LW_OK);
    assert_null(lw_strings_view(&strings)[50]);
    lw_strings_done(&strings);
    assert_null(lw_strings_view(&strings)[0]);
    lw_set_allocator(NULL);
    assert_int_equal(w.found, 0);
}

static void a_limit_is_kept(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 10);
    lw_secret_append(&buf, LW_STR("0123456789"));
    assert_int_equal(buf.st, LW_OK);
    assert_int_equal(lw_secret_set(&buf, LW_STR("0123456789a")), LW_ERR_LIMIT);
    assert_str_equal(lw_buf_view(&buf), "0123456789");
    lw_secret_append(&buf, LW_STR("a"));
    assert_int_equal(buf.st, LW_ERR_LIMIT);
    assert_str_equal(lw_buf_view(&buf), "0123456789");
    lw_secret_done(&buf);
}

/* A token in a file never passes through the YAML reader: it is wiped wherever it was. */
static void a_token_file_leaves_nothing_behind(void **state)
{
    place *p = *state;
    place_write(p, "t", "hunter2-token-hunter2\n");
    place_write(p, "config",
                "clusters: [{name: c, cluster: {server: 'https://one'}}]\n"
                "users: [{name: u, user: {tokenFile: t}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n");
    place_kubeconfig(p, "config", NULL);
    watcher w;
    watch_begin(&w, "hunter2");
    lw_config *config = NULL;
    assert_int_equal(lw_config__load(&config, NULL, &p->env, NULL), LW_OK);
    lw_credentials credentials;
    lw_credentials_init(&credentials);
    assert_int_equal(lw_config_credentials(config, p->clock, &credentials, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&credentials.token), "hunter2-token-hunter2");
    lw_credentials_done(&credentials);
    lw_config_unref(config);
    lw_set_allocator(NULL);
    assert_int_equal(w.found, 0);
    assert_int_equal(w.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(growing_leaves_no_copy),
        TEST(a_plain_buffer_does_leave_copies),
        TEST(strings_are_wiped),
        TEST(a_limit_is_kept),
        TEST_IN_PLACE(a_token_file_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
