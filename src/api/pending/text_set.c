/* SPDX-License-Identifier: Apache-2.0 */
/* text_set.c -- a hash table of list elements by their texts. */
#include "api/pending/text_set.h"

#include "base/str.h"
#include "json/fields.h"

static lw_str text_of(const lw_text_set *set, const lw_node *element)
{
    if (set->member)
        return lw_fields_text(element, set->member);
    return lw_node_is(element, LW_JSON_STRING) ? lw_node_text(element) : LW_STR("");
}

static bool has_text(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_text_set *set = (const lw_text_set *)(const void *)type;
    return lw_str_equal(text_of(set, entry), *(const lw_str *)key);
}

void lw_text_set_init(lw_text_set *set, const char *member)
{
    *set = (lw_text_set){ .type = { lw_map__str_hash, has_text, 0 }, .member = member };
    lw_map_init(&set->map, &set->type, (lw_hash_seed){ 0 }, LW_MAP_MAX);
}

bool lw_text_set_add(lw_text_set *set, lw_node *element)
{
    void *present = NULL;
    if (!set->has_seed) { /* most sets stay empty, and a seed costs more than a lookup */
        lw_map_init(&set->map, &set->type, lw_hash_seed_random(), LW_MAP_MAX);
        set->has_seed = true;
    }
    lw_str text = text_of(set, element);
    lw_status st = lw_map_add(&set->map, &text, element, &present);
    if (st < 0 && set->st == LW_OK)
        set->st = st;
    return !present;
}

void lw_text_set_add_all(lw_text_set *set, const lw_node *list)
{
    for (size_t i = 0; lw_node_is(list, LW_JSON_ARRAY) && i < lw_node_count(list); i++)
        (void)lw_text_set_add(set, lw_node_at(list, i));
}

bool lw_text_set_has(const lw_text_set *set, lw_str text)
{
    return lw_map_get(&set->map, &text) != NULL;
}

void lw_text_set_done(lw_text_set *set, lw_api_status *errors)
{
    lw_map_done(&set->map);
    if (set->st < 0 && errors && errors->st == LW_OK)
        errors->st = set->st;
}
