/* SPDX-License-Identifier: Apache-2.0 */
/* resource_cache_test.c -- what a client remembers of its server's resources. */
#include "client/resource_cache.h"

#include "base/error.h"
#include "unit/test.h"

static lw_resource_set *set_of(const char *resource, const char *kind)
{
    lw_resource_set *set = NULL;
    lw_resource_entry entry = {
        .resource = { .gvr = lw_gvr_make("apps", "v1", resource), .kind = lw_str_of(kind) },
    };
    assert_int_equal(lw_resource_set_new(&set), LW_OK);
    assert_int_equal(lw_resource_set_add(set, 0, &entry), LW_OK);
    lw_resource_set_order(set);
    return set;
}

static lw_status find(lw_resource_cache *cache, const char *name, lw_resource *out, lw_error *err)
{
    const lw_resource_question question = { .name = name };
    return lw_resource_cache_find(cache, &question, out, err);
}

static void what_nobody_knows_is_not_found_in_the_words_of_kubectl(void **state)
{
    (void)state;
    lw_resource_cache cache;
    lw_resource out;
    lw_error err = LW_ERROR_INIT;
    lw_resource_cache_init(&cache);
    assert_int_equal(find(&cache, "foos", &out, &err), LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "the server doesn't have a resource type \"foos\"");
    const lw_resource_question kind = { .gvk = lw_gvk_make("a.b", "v1", "Foo") };
    assert_int_equal(lw_resource_cache_find(&cache, &kind, &out, &err), LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no matches for kind \"Foo\" in version \"a.b/v1\"");
    const lw_resource_question core = { .gvk = lw_gvk_make("", "v1", "Foo") };
    assert_int_equal(lw_resource_cache_find(&cache, &core, &out, &err), LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no matches for kind \"Foo\" in version \"v1\"");
    lw_resource_cache_done(&cache);
}

static void what_was_handed_out_outlives_the_next_discovery(void **state)
{
    (void)state;
    lw_resource_cache cache;
    lw_resource first, again, other;
    lw_resource_cache_init(&cache);
    lw_resource_cache_replace_take(&cache, set_of("deployments", "Deployment"), NULL);
    assert_int_equal(find(&cache, "deployments", &first, NULL), LW_OK);
    lw_resource_cache_replace_take(&cache, set_of("deployments", "Deployment"), NULL);
    assert_int_equal(find(&cache, "deployments", &again, NULL), LW_OK);
    assert_ptr_equal(first.kind.ptr, again.kind.ptr);
    lw_resource_cache_replace_take(&cache, set_of("foos", "Foo"), NULL);
    assert_int_equal(find(&cache, "foos", &other, NULL), LW_OK);
    assert_int_equal(find(&cache, "deployments", &again, NULL), LW_ERR_NOT_FOUND);
    assert_string_equal(first.kind.ptr, "Deployment");
    assert_string_equal(first.gvr.resource.ptr, "deployments");
    lw_resource_cache_done(&cache);
}

static void a_gap_is_told_and_hides_nothing_known_before(void **state)
{
    (void)state;
    lw_resource_cache cache;
    lw_resource out;
    lw_error gap, err = LW_ERROR_INIT;
    (void)lw_error_set(&gap, LW_ERR_UNAVAILABLE, "metrics are away");
    lw_resource_cache_init(&cache);
    lw_resource_cache_replace_take(&cache, set_of("deployments", "Deployment"), NULL);
    for (int i = 0; i < 2; i++) {
        lw_resource_cache_replace_take(&cache, set_of("foos", "Foo"), &gap);
        assert_int_equal(find(&cache, "foos", &out, NULL), LW_OK);
        assert_int_equal(find(&cache, "deployments", &out, NULL), LW_OK);
        assert_int_equal(find(&cache, "bars", &out, &err), LW_ERR_UNAVAILABLE);
        assert_string_equal(err.message, "metrics are away");
    }
    lw_resource_cache_replace_take(&cache, set_of("bars", "Bar"), NULL);
    assert_int_equal(find(&cache, "deployments", &out, &err), LW_ERR_NOT_FOUND);
    lw_resource_cache_done(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_nobody_knows_is_not_found_in_the_words_of_kubectl),
        TEST(what_was_handed_out_outlives_the_next_discovery),
        TEST(a_gap_is_told_and_hides_nothing_known_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
