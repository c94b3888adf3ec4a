/* SPDX-License-Identifier: Apache-2.0 */
/* price.c -- the cost of calls. */
#include "cel/price.h"

enum {
    ADDRESS_COST = 4,        /* compares two addresses */
    CHECK_COST = 350 * 1000, /* two checks fit into the budget of an expression */
};

uint64_t lw_cel_cost_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t lw_cel_cost_multiply(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* As cel-go estimates it, a pattern has one step per four characters. */
static uint64_t regex_steps(uint64_t size)
{
    return size / 4 + (size % 4 != 0);
}

uint64_t lw_cel_price_of_sizes(lw_cel_price price, const uint64_t sizes[2], uint64_t elem)
{
    uint64_t first = sizes[0], second = sizes[1];
    uint64_t sum = lw_cel_cost_add(first, second), each = lw_cel_cost_add(1, lw_cel_tenth(elem));
    switch (price) {
    case LW_CEL_PRICE_ONE: return 1;
    case LW_CEL_PRICE_FIRST: return lw_cel_tenth(first);
    case LW_CEL_PRICE_FIRST_TWICE: return lw_cel_tenth(lw_cel_cost_multiply(first, 2));
    case LW_CEL_PRICE_SECOND: return lw_cel_tenth(second);
    case LW_CEL_PRICE_SUM: return lw_cel_tenth(sum);
    case LW_CEL_PRICE_MIN: return lw_cel_tenth(first < second ? first : second);
    case LW_CEL_PRICE_PRODUCT:
        return lw_cel_cost_multiply(lw_cel_tenth(first), lw_cel_tenth(second));
    case LW_CEL_PRICE_REGEX:
        return lw_cel_cost_multiply(lw_cel_tenth(lw_cel_cost_add(first, 1)), regex_steps(second));
    case LW_CEL_PRICE_ELEMENTS: return lw_cel_cost_multiply(first, each);
    case LW_CEL_PRICE_IN: return second;
    case LW_CEL_PRICE_PAIRS: return lw_cel_cost_multiply(first, second);
    case LW_CEL_PRICE_RESULT_TWICE: return 0;
    case LW_CEL_PRICE_COPY: return lw_cel_cost_add(first, 1 + LW_CEL_COST_LIST);
    case LW_CEL_PRICE_ADDRESS: return lw_cel_cost_add(ADDRESS_COST, lw_cel_tenth(second));
    case LW_CEL_PRICE_CHECK: return CHECK_COST;
    case LW_CEL_PRICE_SELECTOR:
        /* A list, the text, and for every two characters a requirement with its list. */
        return LW_CEL_COST_LIST + lw_cel_tenth(second) +
               (second / 2 + second % 2) * (LW_CEL_COST_LIST + LW_CEL_COST_STRUCT);
    case LW_CEL_PRICE_FORMAT:
        return lw_cel_cost_multiply(lw_cel_tenth(lw_cel_cost_add(second, 1)), regex_steps(elem));
    }
    return 1;
}

/* Returns the size of the longest element: strings and bytes are traversed. */
static uint64_t longest_item(const lw_cel_value *list)
{
    uint64_t longest = 0;
    for (size_t i = 0; list->kind == LW_CEL_LIST && i < lw_cel_size(list); i++) {
        lw_str text = LW_STR_INIT("");
        if (list->is_tree)
            text = lw_node_text(lw_node_at(list->tree.node, i));
        else if (list->list.items[i].kind == LW_CEL_STRING)
            text = list->list.items[i].text;
        longest = text.len > longest ? text.len : longest;
    }
    return longest;
}

uint64_t lw_cel_price_of(lw_cel_price price, const lw_cel_value *args, size_t count)
{
    if (price == LW_CEL_PRICE_ONE || price == LW_CEL_PRICE_RESULT_TWICE)
        return price == LW_CEL_PRICE_ONE;
    uint64_t sizes[2] = { lw_cel_size(&args[0]), 0 }, elem = 0;
    if (price == LW_CEL_PRICE_ELEMENTS)
        elem = longest_item(&args[0]);
    else if (price == LW_CEL_PRICE_FORMAT)
        elem = lw_cel_format_regex_size(args[0].format);
    /* distinct and sort compare a list with itself. */
    sizes[1] = count > 1 ? lw_cel_size(&args[1]) : sizes[0];
    return lw_cel_price_of_sizes(price, sizes, elem);
}
