/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_models.c -- collects types: each once, in the order in which they are written. */
#include "schema/openapi/openapi_models.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/openapi/openapi_leaf.h"
#include "schema/openapi/openapi_schema.h"

enum {
    ROOM_FIRST = 512, /* types; there are about 440 */
    TYPES_MAX = 16 * 1024,
};

void lw_openapi_models_init(lw_openapi_models *models)
{
    *models = (lw_openapi_models){ .st = LW_OK };
}

void lw_openapi_models_done(lw_openapi_models *models)
{
    lw_free(models->types);
}

static int compare(const lw_type *a, const lw_type *b)
{
    int order = lw_str_compare(a->package->proto, b->package->proto);
    return order ? order : lw_str_compare(a->name, b->name);
}

/* True if |type| is present; |*at| is its position, or where to insert it. */
static bool find(const lw_openapi_models *models, const lw_type *type, size_t *at)
{
    size_t low = 0, high = models->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(type, models->types[middle]);
        if (order == 0) {
            *at = middle;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    *at = low;
    return false;
}

static lw_status grow(lw_openapi_models *models)
{
    size_t room = models->room > 0 ? 2 * models->room : ROOM_FIRST;
    if (room > TYPES_MAX)
        return LW_ERR_LIMIT;
    const lw_type **types = lw_realloc_array(models->types, room, sizeof(*types));
    if (!types)
        return LW_ERR_NOMEM;
    models->types = types;
    models->room = room;
    return LW_OK;
}

/* Adds |type|; true if it was not present. */
static bool insert(lw_openapi_models *models, const lw_type *type)
{
    size_t at;
    if (models->st < 0 || find(models, type, &at))
        return false;
    if (models->count == models->room)
        models->st = grow(models);
    if (models->st < 0)
        return false;
    memmove(models->types + at + 1, models->types + at,
            (models->count - at) * sizeof(*models->types));
    models->types[at] = type;
    models->count++;
    return true;
}

void lw_openapi_models_add_type(lw_openapi_models *models, const lw_type *wire_type)
{
    const lw_type *type = lw_type_in_json(wire_type);
    int leaf = lw_openapi_leaf_of(type);
    if (leaf >= 0)
        lw_openapi_models_add_leaf(models, leaf);
    else if (type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP)
        lw_openapi_models_add_type(models, type->element);
    else if (type->form == LW_TYPE_EITHER)
        (void)insert(models, type);
    else if (type->form == LW_TYPE_STRUCT && insert(models, type)) {
        for (size_t i = 0; i < type->member_count; i++)
            lw_openapi_models_add_type(models, type->members[i].field->type);
    }
}

void lw_openapi_models_add(lw_openapi_models *models, lw_gvk gvk)
{
    const lw_type *type = lw_type_of_kind(gvk);
    if (type)
        lw_openapi_models_add_type(models, type);
}

void lw_openapi_models_add_leaf(lw_openapi_models *models, int index)
{
    models->leaves |= 1U << index;
}

void lw_openapi_models_write(const lw_openapi_models *models, lw_openapi_writer *o)
{
    lw_openapi_fail(o, models->st);
    for (size_t i = 0; i < models->count; i++)
        lw_openapi_write_model(o, models->types[i]);
    for (int i = 0; i < LW_OPENAPI_LEAVES; i++) {
        if (models->leaves & (1U << i))
            lw_openapi_write_leaf(o, &lw_openapi_leaves[i]);
    }
}
