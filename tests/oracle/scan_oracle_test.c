/* SPDX-License-Identifier: Apache-2.0 */
/* scan_oracle_test.c -- random documents and lists, whole and damaged: the scanner says of each
 * what yajl and simdjson say. */
#include "oracle/jury.h"
#include "unit/test.h"

enum {
    DOCUMENTS = IS_SANITIZED ? 2600 : 26000, /* of each of the four kinds */
};

/* Compact, loose and pretty documents, with few and many escapes. */
static void vary(json_gen *gen, unsigned round)
{
    static const unsigned blanks[] = { 0, 5, 60 };
    gen->blanks = blanks[round % 3];
    gen->escapes = round % 5 == 0 ? 25 : 2;
    gen->has_lone_surrogates = round % 7 == 0;
    lw_buf_reset(&gen->out);
}

static void values_are_judged_alike(void **state)
{
    jury *j = *state;
    for (unsigned round = 0; round < DOCUMENTS; round++) {
        vary(&j->gen, round);
        json_gen_value(&j->gen, 4);
        jury_check(jury_ask(j, lw_buf_view(&j->gen.out)) == LW_OK, "valid, but refused",
                   lw_buf_view(&j->gen.out));
    }
}

static void damaged_values_are_judged_alike(void **state)
{
    jury *j = *state;
    for (unsigned round = 0; round < DOCUMENTS; round++) {
        vary(&j->gen, round);
        json_gen_value(&j->gen, 3);
        json_gen_damage(&j->gen);
        (void)jury_ask(j, lw_buf_view(&j->gen.out));
    }
}

static void lists_have_the_same_metadata(void **state)
{
    jury *j = *state;
    for (unsigned round = 0; round < DOCUMENTS; round++) {
        vary(&j->gen, round);
        json_gen_list(&j->gen, (unsigned)json_gen_below(&j->gen, 4));
        jury_check(jury_ask_list(j, lw_buf_view(&j->gen.out)) == LW_OK, "valid, but refused",
                   lw_buf_view(&j->gen.out));
    }
}

static void damaged_lists_are_judged_alike(void **state)
{
    jury *j = *state;
    for (unsigned round = 0; round < DOCUMENTS; round++) {
        vary(&j->gen, round);
        json_gen_list(&j->gen, (unsigned)json_gen_below(&j->gen, 3));
        json_gen_damage(&j->gen);
        (void)jury_ask_list(j, lw_buf_view(&j->gen.out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_judged_alike),
        TEST(damaged_values_are_judged_alike),
        TEST(lists_have_the_same_metadata),
        TEST(damaged_lists_are_judged_alike),
    };
    return cmocka_run_group_tests_name("scan_oracle", tests, jury_setup, jury_teardown);
}
