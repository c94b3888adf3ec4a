/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_cache_test.c -- what was converted is found again, within a bound. */
#include "api/conversion/conversion_cache.h"

#include "support/host_definition.h"
#include "unit/test.h"

static lw_object *host(const char *version, const char *name, int rv)
{
    lw_object *obj = NULL;
    assert_int_equal(host_object(&obj, version, name, rv), LW_OK);
    return obj;
}

static void keep(lw_conversion_cache *cache, const char *name, int rv)
{
    lw_object *from = host("v1", name, rv), *to = host("v2", name, rv);
    lw_conversion_cache_put(cache, from, LW_STR("v2"), to);
    lw_object_unref(from);
    lw_object_unref(to);
}

static bool has(lw_conversion_cache *cache, const char *name, int rv, const char *version)
{
    lw_object *from = host("v1", name, rv);
    lw_object *found = lw_conversion_cache_get(cache, from, lw_str_of(version));
    if (found)
        assert_string_equal(lw_object_api_version(found), "example.com/v2");
    lw_object_unref(from);
    lw_object_unref(found);
    return found;
}

static void objects_are_found_by_uid_revision_and_version(void **state)
{
    lw_conversion_cache cache;
    (void)state;
    lw_conversion_cache_init(&cache, 1 << 20);
    keep(&cache, "a", 1);
    keep(&cache, "a", 1);
    assert_true(has(&cache, "a", 1, "v2"));
    assert_false(has(&cache, "a", 2, "v2"));
    assert_false(has(&cache, "b", 1, "v2"));
    assert_false(has(&cache, "a", 1, "v3"));
    lw_conversion_cache_done(&cache);
}

static void objects_without_a_revision_are_not_kept(void **state)
{
    lw_conversion_cache cache;
    (void)state;
    lw_conversion_cache_init(&cache, 1 << 20);
    keep(&cache, "a", 0);
    assert_false(has(&cache, "a", 0, "v2"));
    assert_int_equal(cache.bytes, 0);
    lw_conversion_cache_done(&cache);
}

static void what_was_not_used_for_longest_goes_first(void **state)
{
    lw_conversion_cache cache;
    (void)state;
    lw_conversion_cache_init(&cache, 1 << 20);
    keep(&cache, "a", 1);
    size_t one = cache.bytes;
    cache.max = 3 * one;
    keep(&cache, "b", 1);
    keep(&cache, "c", 1);
    assert_true(has(&cache, "a", 1, "v2"));
    keep(&cache, "d", 1);
    assert_true(has(&cache, "a", 1, "v2"));
    assert_false(has(&cache, "b", 1, "v2"));
    assert_true(cache.bytes <= cache.max);
    lw_conversion_cache_done(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_are_found_by_uid_revision_and_version),
        TEST(objects_without_a_revision_are_not_kept),
        TEST(what_was_not_used_for_longest_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
