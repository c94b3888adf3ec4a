/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_label_selector.c -- a label selector that parses prints to a text that parses to the same
 * text and matches the same labels; a LabelSelector structure is parsed or rejected. */
#include <stdlib.h>

#include <listwatch/label_selector.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "object/selector/label_selector.h"

enum {
    SETS = 5,
};

/* Makes labels from the requirements, so that some of them match. */
static size_t labels_for(const lw_label_selector *selector, size_t set, lw_label *labels,
                         size_t room)
{
    size_t count = 0, requirements = 0;
    const lw_label_requirement *r = lw_label_selector_requirements(selector, &requirements);
    for (size_t i = 0; i < requirements && count < room; i++) {
        if (count > 0 && lw_str_equal(labels[count - 1].key, r[i].key))
            continue;
        if (set == 0 || (i + set) % SETS == 0)
            continue;
        labels[count].key = r[i].key;
        labels[count].value = set == 1 || r[i].value_count == 0
                                  ? LW_STR("1")
                                  : r[i].values[(set - 1) % r[i].value_count];
        count++;
    }
    return count;
}

typedef struct label_list {
    const lw_label *labels;
    size_t count;
} label_list;

static bool get_label(const void *arg, lw_str key, lw_str *value)
{
    const label_list *list = arg;
    for (size_t i = 0; i < list->count; i++) {
        if (lw_str_equal(list->labels[i].key, key)) {
            *value = list->labels[i].value;
            return true;
        }
    }
    return false;
}

static void compare_matches(const lw_label_selector *first, const lw_label_selector *second)
{
    for (size_t set = 0; set < SETS; set++) {
        lw_label labels[16];
        label_list list = { labels, labels_for(first, set, labels, 16) };
        bool matches = lw_label_selector_matches_labels(first, labels, list.count);
        if (matches != lw_label_selector_matches_labels(second, labels, list.count))
            abort();
        if (matches != lw_label_selector__matches(first, get_label, &list))
            abort();
    }
}

static void check_selector(const lw_label_selector *first)
{
    lw_label_selector *second = NULL;
    if (lw_label_selector_is_nothing(first))
        return;
    if (lw_label_selector_parse(&second, lw_label_selector_text(first), NULL) != LW_OK)
        abort();
    if (!lw_str_equal(lw_label_selector_text(first), lw_label_selector_text(second)))
        abort();
    compare_matches(first, second);
    lw_label_selector_free(second);
}

/* A duplicate value in a structure is printed twice, but parsed once. */
static void check_json_selector(const lw_label_selector *first)
{
    lw_label_selector *second = NULL;
    if (lw_label_selector_is_nothing(first))
        return;
    if (lw_label_selector_parse(&second, lw_label_selector_text(first), NULL) != LW_OK)
        abort();
    compare_matches(first, second);
    check_selector(second);
    lw_label_selector_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str text = lw_str_make((const char *)data, size);
    lw_label_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_label_selector_parse(&selector, text, &err) == LW_OK)
        check_selector(selector);
    else if (err.code == LW_OK || err.message[0] == '\0')
        abort();
    lw_label_selector_free(selector);
    selector = NULL;
    if (lw_label_selector_from_json(&selector, text, &err) == LW_OK)
        check_json_selector(selector);
    lw_label_selector_free(selector);
    return 0;
}
