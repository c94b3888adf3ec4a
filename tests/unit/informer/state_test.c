/* SPDX-License-Identifier: Apache-2.0 */
/* state_test.c -- the changes of state that a factory reports. */
#include "unit/informer/house.h"

typedef struct diary {
    char text[512];
    size_t len;
} diary;

static void on_state(lw_informer *informer, lw_informer_state state, const lw_error *err, void *arg)
{
    static const char *const names[] = { "", "synced", "failing", "expired", "recovered" };
    diary *d = arg;
    int len = snprintf(d->text + d->len, sizeof(d->text) - d->len, "%s %s%s%s;",
                       lw_informer_resource(informer), names[state], err ? ": " : "",
                       err ? err->message : "");
    if (len > 0 && d->len + (size_t)len < sizeof(d->text))
        d->len += (size_t)len;
}

static void assert_diary(diary *d, const char *expected)
{
    assert_string_equal(d->text, expected);
    *d = (diary){ .len = 0 };
}

static void nothing(house *h)
{
    (void)h;
}

static void each_change_of_state_is_told_once(void **state)
{
    (void)state;
    house h;
    diary d = { .len = 0 };
    lw_factory_options options = house_options();
    options.on_state = on_state;
    options.state_arg = &d;
    house_open_with(&h, &options);
    lw_error busy = fake_error(LW_ERR_UNAVAILABLE, 503, "busy");
    fake_provider_fail_lists(h.fake, 3, &busy);
    house_run_until_idle(&h);
    assert_diary(&d, "pods failing: busy;");
    for (int i = 0; i < 4; i++)
        house_advance(&h, 60 * LW_NS_PER_S);
    assert_diary(&d, "pods synced;");
    fake_provider_fail_watches(h.fake, 2, &busy);
    fake_provider_end_watches(h.fake, &busy);
    house_run_until_idle(&h);
    for (int i = 0; i < 4; i++)
        house_advance(&h, 60 * LW_NS_PER_S);
    assert_diary(&d, "pods failing: busy;pods recovered;");
    house_miss(&h, nothing);
    assert_diary(&d, "pods expired: too old resource version;pods recovered;");
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_change_of_state_is_told_once),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
