/* SPDX-License-Identifier: Apache-2.0 */
/* quantity_test.c -- amounts of resources. */
#include "control/runtime/quantity.h"

#include "unit/test.h"

typedef struct amount_case {
    const char *text;
    int64_t units;
    int64_t milli;
} amount_case;

static void amounts_are_read_and_rounded_up(void **state)
{
    static const amount_case cases[] = {
        { "0", 0, 0 },
        { "1", 1, 1000 },
        { "250m", 1, 250 },
        { "1500m", 2, 1500 },
        { "0.1", 1, 100 },
        { ".5", 1, 500 },
        { "5.", 5, 5000 },
        { "+2", 2, 2000 },
        { "1.0001", 2, 1001 },
        { "100n", 1, 1 },
        { "64Mi", 64 << 20, INT64_C(1000) * (64 << 20) },
        { "1.5Gi", INT64_C(1536) << 20, INT64_C(1536000) << 20 },
        { "128M", 128000000, INT64_C(128000000000) },
        { "2k", 2000, 2000000 },
        { "2e3", 2000, 2000000 },
        { "2E3", 2000, 2000000 },
        { "5e-1", 1, 500 },
        { "1E", INT64_C(1000000000000000000), INT64_MAX },
        { "8Ei", INT64_MAX, INT64_MAX },
        { "9999999999999999999999", INT64_MAX, INT64_MAX },
        { "1e999", INT64_MAX, INT64_MAX },
        { "0e999", 0, 0 },
        { "0.000000000000000000000001", 1, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t units = -1, milli = -1;
        if (!lw_quantity_units(lw_str_of(cases[i].text), &units) ||
            !lw_quantity_milli(lw_str_of(cases[i].text), &milli) || units != cases[i].units ||
            milli != cases[i].milli)
            fail_msg("%s: %lld units, %lld thousandths", cases[i].text, (long long)units,
                     (long long)milli);
    }
}

static void what_is_no_amount_is_refused(void **state)
{
    static const char *const cases[] = { "",      "m",  "-1", "1x",  "1 ",  " 1",   "1Mib", "1mi",
                                         "1.2.3", "e3", "1e", "1e+", "1KI", "0x10", "." };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t out = 7;
        if (lw_quantity_units(lw_str_of(cases[i]), &out) || out != 7)
            fail_msg("\"%s\" was taken for %lld", cases[i], (long long)out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(amounts_are_read_and_rounded_up),
        TEST(what_is_no_amount_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
