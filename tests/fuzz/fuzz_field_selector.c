/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_field_selector.c -- a field selector that parses prints to a text that parses to as many
 * requirements and matches the same objects.  Printing twice is stable: terms are sorted as
 * written, and "==" sorts differently than the "=" it is printed as. */
#include <stdlib.h>

#include <listwatch/field_selector.h>

#include "base/str.h"
#include "fuzz/fuzz.h"

/* An object whose fields all have the value of requirement number |arg|. */
typedef struct fields {
    const lw_field_selector *selector;
    size_t number;
} fields;

static bool get_field(void *arg, lw_str field, lw_str *value)
{
    const fields *f = arg;
    size_t count = 0;
    const lw_field_requirement *r = lw_field_selector_requirements(f->selector, &count);
    if (count == 0 || field.len % 3 == f->number % 3)
        return false;
    *value = r[f->number % count].value;
    return true;
}

static lw_field_selector *parse_printed(const lw_field_selector *selector)
{
    lw_field_selector *again = NULL;
    if (lw_field_selector_parse(&again, lw_field_selector_text(selector), NULL) != LW_OK)
        abort();
    return again;
}

static void compare(const lw_field_selector *first, const lw_field_selector *second)
{
    size_t first_count = 0, second_count = 0;
    (void)lw_field_selector_requirements(first, &first_count);
    (void)lw_field_selector_requirements(second, &second_count);
    if (first_count != second_count)
        abort();
    for (size_t i = 0; i < first_count && i < 16; i++) {
        fields f = { first, i };
        if (lw_field_selector_matches(first, get_field, &f) !=
            lw_field_selector_matches(second, get_field, &f))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_field_selector *first = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_field_selector_parse(&first, lw_str_make((const char *)data, size), &err) < 0) {
        if (err.code == LW_OK || err.message[0] == '\0')
            abort();
        return 0;
    }
    lw_field_selector *second = parse_printed(first);
    lw_field_selector *third = parse_printed(second);
    compare(first, second);
    if (!lw_str_equal(lw_field_selector_text(second), lw_field_selector_text(third)))
        abort();
    lw_field_selector_free(third);
    lw_field_selector_free(second);
    lw_field_selector_free(first);
    return 0;
}
