/* SPDX-License-Identifier: Apache-2.0 */
/* list_test.c -- lists: the whole matrix of resourceVersion, match, limit and continue, pages,
 * selectors, and what is waited for. */
#include "base/clock.h"
#include "unit/api/asked.h"

#define LIST       "/api/v1/namespaces/default/configmaps"
#define META(rest) "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{" rest "}"

enum {
    ITEMS = 15,
    PAGE = 10,
};

/* The value of the string member |key| in the body, copied to |out|; "" without. */
static void find_string(const fake_http *http, const char *key, char *out, size_t size)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "\"%s\":\"", key);
    out[0] = '\0';
    const char *at = memmem(http->body.data, http->body.len, wanted, strlen(wanted));
    if (!at)
        return;
    at += strlen(wanted);
    const char *end = memchr(at, '"', (size_t)(http->body.data + http->body.len - at));
    (void)snprintf(out, size, "%.*s", (int)(end - at), at);
}

static size_t count_items(const fake_http *http)
{
    size_t count = 0;
    lw_str rest = lw_buf_view(&http->body);
    const char *at;
    while ((at = memmem(rest.ptr, rest.len, "\"name\":\"", 8))) {
        count++;
        rest = lw_str_make(at + 1, (size_t)(rest.ptr + rest.len - at - 1));
    }
    return count;
}

static void fill(api_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%02d", i);
        assert_true(api_world_put_config(world, "default", name, i % 2 ? "odd" : "even", "v") > 0);
    }
}

/* A case of the cross product, with what is known of the world. */
typedef struct matrix {
    api_world *world;
    uint64_t current, compacted;
    char good_token[200], old_token[200];
} matrix;

static const char *expected_refusal(const char *rv, const char *match, const char *token)
{
    bool is_exact = strcmp(match, "Exact") == 0, is_set = match[0] != '\0';
    if (is_set && rv[0] == '\0')
        return "resourceVersionMatch is forbidden unless resourceVersion is provided";
    if (is_set && token[0] != '\0')
        return "resourceVersionMatch is forbidden when continue is provided";
    if (strcmp(match, "Bogus") == 0)
        return "Unsupported value: \\\"Bogus\\\"";
    if (is_exact && strcmp(rv, "0") == 0)
        return "is forbidden for resourceVersion \\\"0\\\"";
    if (token[0] != '\0' && rv[0] != '\0' && strcmp(rv, "0") != 0)
        return "specifying resource version is not allowed when using continue";
    return NULL;
}

static const char *expected_expiry(const matrix *m, const char *rv, const char *match, int limit,
                                   const char *token)
{
    char compacted[24];
    (void)snprintf(compacted, sizeof(compacted), "%llu", (unsigned long long)m->compacted);
    bool is_exact = strcmp(match, "Exact") == 0 || (match[0] == '\0' && limit > 0);
    if (strcmp(token, m->old_token) == 0 && token[0] != '\0')
        return "The provided continue parameter is too old to display a consistent list result.";
    if (strcmp(rv, compacted) == 0 && is_exact)
        return "The resourceVersion for the provided list is too old.";
    return NULL;
}

static void check_success(const matrix *m, const fake_http *http, const char *rv, int limit,
                          const char *token)
{
    char got_rv[32], next[200], current[24];
    bool is_whole = limit == 0 || (strcmp(rv, "0") == 0 && token[0] == '\0');
    size_t expected = token[0] != '\0' ? ITEMS - PAGE : is_whole ? ITEMS : PAGE;
    find_string(http, "resourceVersion", got_rv, sizeof(got_rv));
    find_string(http, "continue", next, sizeof(next));
    (void)snprintf(current, sizeof(current), "%llu", (unsigned long long)m->current);
    assert_string_equal(got_rv, current);
    assert_int_equal(count_items(http), expected);
    assert_int_equal(next[0] != '\0', expected == PAGE);
}

static void check_case(const matrix *m, const char *rv, const char *match, int limit,
                       const char *token)
{
    char target[600];
    (void)snprintf(target, sizeof(target),
                   LIST "?resourceVersion=%s&resourceVersionMatch=%s&limit=%d&continue=%s", rv,
                   match, limit, token);
    fake_http *http = api_world_get(m->world, target, NULL);
    const char *refusal = expected_refusal(rv, match, token);
    const char *expiry = refusal ? NULL : expected_expiry(m, rv, match, limit, token);
    int code = refusal ? (token[0] && !match[0] ? 400 : 422) : expiry ? 410 : 200;
    print_message("# %s -> %d\n", target, http->status);
    assert_int_equal(http->status, code);
    if (refusal || expiry)
        assert_body_has(http, refusal ? refusal : expiry);
    else
        check_success(m, http, rv, limit, token);
    fake_http_free(http);
}

/* Old pages and the old state are gone; then nothing but the list's own revision is left. */
static void prepare(matrix *m, api_world *world)
{
    fake_http *http;
    *m = (matrix){ .world = world };
    fill(world, ITEMS);
    http = ask(world, LIST "?limit=10", 200);
    find_string(http, "continue", m->old_token, sizeof(m->old_token));
    fake_http_free(http);
    m->compacted = lw_cache_revision(world->cache);
    assert_true(api_world_put_config(world, "default", "c03", "odd", "new") > 0);
    m->current = lw_cache_revision(world->cache);
    assert_int_equal(lw_store_compact(world->store, m->current, NULL), LW_OK);
    http = ask(world, LIST "?limit=10", 200);
    find_string(http, "continue", m->good_token, sizeof(m->good_token));
    fake_http_free(http);
    assert_string_not_equal(m->good_token, "");
}

/* 96 cases, as TestListOptions of Kubernetes has them. */
static void every_combination_of_options_is_answered_as_kubernetes_does(void **state)
{
    static const char *const matches[] = { "", "NotOlderThan", "Exact", "Bogus" };
    matrix m;
    char rvs[4][24];
    prepare(&m, *state);
    (void)snprintf(rvs[0], sizeof(rvs[0]), "%s", "");
    (void)snprintf(rvs[1], sizeof(rvs[1]), "0");
    (void)snprintf(rvs[2], sizeof(rvs[2]), "%llu", (unsigned long long)m.compacted);
    (void)snprintf(rvs[3], sizeof(rvs[3]), "%llu", (unsigned long long)m.current);
    const char *const tokens[] = { "", m.good_token, m.old_token };
    for (size_t rv = 0; rv < 4; rv++) {
        for (size_t match = 0; match < 4; match++) {
            for (int limit = 0; limit <= PAGE; limit += PAGE) {
                for (size_t token = 0; token < 3; token++)
                    check_case(&m, rvs[rv], matches[match], limit, tokens[token]);
            }
        }
    }
}

static void an_empty_list_has_no_items_but_a_revision(void **state)
{
    api_world *world = *state;
    assert_true(api_world_put_config(world, "other", "x", NULL, NULL) == 1);
    assert_answer(world, LIST, 200, META("\"resourceVersion\":\"1\"") ",\"items\":[]}\n");
}

static void items_carry_no_kind_and_come_in_the_order_of_their_keys(void **state)
{
    api_world *world = *state;
    assert_int_equal(api_world_put_config(world, "b", "z", NULL, "1"), 1);
    assert_int_equal(api_world_put_config(world, "a", "y", NULL, "2"), 2);
    assert_answer(
        world, "/api/v1/configmaps", 200,
        META("\"resourceVersion\":\"2\"") ",\"items\":[{\"metadata\":{\"name\":\"y\","
                                          "\"namespace\":\"a\",\"uid\":\"u-y\",\"resourceVersion\":"
                                          "\"2\","
                                          "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},"
                                          "\"data\":{\"k\":\"2\"}},{"
                                          "\"metadata\":{\"name\":\"z\",\"namespace\":\"b\","
                                          "\"uid\":\"u-z\","
                                          "\"resourceVersion\":\"1\",\"creationTimestamp\":\"2026-"
                                          "11-15T01:49:24Z\"},"
                                          "\"data\":{\"k\":\"1\"}}]}\n");
}

static void pages_cover_all_at_one_revision(void **state)
{
    api_world *world = *state;
    char target[400] = LIST "?limit=4", token[200], rv[32];
    size_t seen = 0;
    fill(world, ITEMS);
    for (int page = 0; page < 4; page++) {
        fake_http *http = ask(world, target, 200);
        char remaining[40];
        seen += count_items(http);
        find_string(http, "resourceVersion", rv, sizeof(rv));
        assert_string_equal(rv, "15");
        (void)snprintf(remaining, sizeof(remaining), "\"remainingItemCount\":%zu}", ITEMS - seen);
        if (page < 3)
            assert_body_has(http, remaining);
        find_string(http, "continue", token, sizeof(token));
        (void)snprintf(target, sizeof(target), LIST "?limit=4&continue=%s", token);
        fake_http_free(http);
        /* What changes between the pages does not show. */
        assert_true(api_world_put_config(world, "default", "c14", "new", "new") > 0);
        assert_true(api_world_delete(world, "configmaps/default/c13") > 0 || page > 0);
    }
    assert_int_equal(seen, ITEMS);
    assert_string_equal(token, "");
}

static void the_token_of_all_namespaces_names_the_namespace(void **state)
{
    api_world *world = *state;
    (void)api_world_put_config(world, "a", "x", NULL, NULL);
    (void)api_world_put_config(world, "b", "x", NULL, NULL);
    fake_http *http = ask(world, "/api/v1/configmaps?limit=1", 200);
    /* {"v":"meta.k8s.io/v1","rv":2,"start":"a/x\u0000"} */
    assert_body_has(http, "\"continue\":"
                          "\"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Miwic3RhcnQiOiJhL3hcdTAwMDAifQ\""
                          ",\"remainingItemCount\":1}");
    fake_http_free(http);
    http = ask(world,
               "/api/v1/configmaps?limit=1&continue="
               "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Miwic3RhcnQiOiJhL3hcdTAwMDAifQ",
               200);
    assert_body_has(http, "\"namespace\":\"b\"");
    fake_http_free(http);
}

static void selectors_choose_and_silence_the_count(void **state)
{
    api_world *world = *state;
    fill(world, ITEMS);
    fake_http *http = ask(world, LIST "?labelSelector=x%3Dodd&limit=2", 200);
    assert_int_equal(count_items(http), 2);
    assert_body_has(http, "\"continue\":\"");
    assert_null(memmem(http->body.data, http->body.len, "remainingItemCount", 18));
    fake_http_free(http);
    http = ask(world, LIST "?labelSelector=x%3Dodd", 200);
    assert_int_equal(count_items(http), 7);
    fake_http_free(http);
    http = ask(world, LIST "?fieldSelector=metadata.name%3Dc04", 200);
    assert_int_equal(count_items(http), 1);
    assert_body_has(http, "\"name\":\"c04\"");
    fake_http_free(http);
    http = ask(world, "/api/v1/configmaps?fieldSelector=metadata.namespace!%3Ddefault", 200);
    assert_int_equal(count_items(http), 0);
    fake_http_free(http);
    http = ask(world, LIST "?fieldSelector=metadata.namespace%3Dother", 200);
    assert_int_equal(count_items(http), 0);
    fake_http_free(http);
}

static void an_expired_page_can_be_gone_on_from_inconsistently(void **state)
{
    matrix m;
    char target[400], token[200];
    prepare(&m, *state);
    (void)snprintf(target, sizeof(target), LIST "?limit=10&continue=%s", m.old_token);
    fake_http *http = ask(m.world, target, 410);
    assert_body_has(http,
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"");
    assert_body_has(http, "\"reason\":\"Expired\",\"code\":410}\n");
    find_string(http, "continue", token, sizeof(token));
    fake_http_free(http);
    (void)snprintf(target, sizeof(target), LIST "?limit=10&continue=%s", token);
    http = ask(m.world, target, 200);
    assert_int_equal(count_items(http), ITEMS - PAGE);
    fake_http_free(http);
}

static void a_past_state_is_shown_exactly(void **state)
{
    api_world *world = *state;
    assert_int_equal(api_world_put_config(world, "default", "a", NULL, "old"), 1);
    assert_int_equal(api_world_put_config(world, "default", "a", NULL, "new"), 2);
    fake_http *http = ask(world, LIST "?resourceVersion=1&resourceVersionMatch=Exact", 200);
    assert_body_has(http, META("\"resourceVersion\":\"1\"") ",\"items\":[{");
    assert_body_has(http, "\"k\":\"old\"");
    fake_http_free(http);
    http = ask(world, LIST "?resourceVersion=1&resourceVersionMatch=NotOlderThan", 200);
    assert_body_has(http, "\"k\":\"new\"");
    fake_http_free(http);
}

static void a_state_to_come_is_waited_for(void **state)
{
    api_world *world = *state;
    fake_http *not_older =
        api_world_get(world, LIST "?resourceVersion=2&resourceVersionMatch=NotOlderThan", NULL);
    fake_http *exact =
        api_world_get(world, LIST "?resourceVersion=2&resourceVersionMatch=Exact", NULL);
    fake_http *late = api_world_get(world, LIST "?resourceVersion=9", NULL);
    assert_int_equal(api_world_put_config(world, "default", "a", NULL, NULL), 1);
    assert_int_equal(api_world_put_config(world, "default", "b", NULL, NULL), 2);
    api_world_turns(world, 2);
    assert_int_equal(not_older->status, 200);
    assert_int_equal(exact->status, 200);
    assert_int_equal(late->status, 0);
    api_world_pass(world, 3 * LW_NS_PER_S);
    assert_int_equal(late->status, 504);
    assert_body_has(late, "Timeout: Too large resource version: 9, current: 2");
    assert_header(late, "retry-after", "1");
    fake_http_free(not_older);
    fake_http_free(exact);
    fake_http_free(late);
}

static void a_client_that_leaves_while_waiting_leaves_nothing(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, LIST "?resourceVersion=2", NULL);
    fake_http_close(http);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    api_world_pass(world, 4 * LW_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(every_combination_of_options_is_answered_as_kubernetes_does),
        WORLD_TEST(an_empty_list_has_no_items_but_a_revision),
        WORLD_TEST(items_carry_no_kind_and_come_in_the_order_of_their_keys),
        WORLD_TEST(pages_cover_all_at_one_revision),
        WORLD_TEST(the_token_of_all_namespaces_names_the_namespace),
        WORLD_TEST(selectors_choose_and_silence_the_count),
        WORLD_TEST(an_expired_page_can_be_gone_on_from_inconsistently),
        WORLD_TEST(a_past_state_is_shown_exactly),
        WORLD_TEST(a_state_to_come_is_waited_for),
        WORLD_TEST(a_client_that_leaves_while_waiting_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
