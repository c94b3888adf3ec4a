/* SPDX-License-Identifier: Apache-2.0 */
/* path_index.c -- an index by the string at a JSON Pointer. */
#include "informer/index/path_index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "json/path.h"

lw_status lw_path_index_new(lw_path_index **out, const char *pointer, lw_error *err)
{
    size_t size = strlen(pointer) + 1;
    if (lw_json_path_check(lw_str_of(pointer)) < 0)
        return lw_error_set(err, LW_ERR_INVALID, "\"%s\" is not a JSON Pointer", pointer);
    lw_path_index *index = lw_alloc(sizeof(*index) + size);
    if (!index)
        return lw_error_nomem(err);
    index->link = (lw_dlist_node)LW_DLIST_NODE_INIT;
    memcpy(index->pointer, pointer, size);
    *out = index;
    return LW_OK;
}

void lw_path_index_free(lw_path_index *index)
{
    lw_free(index);
}

void lw_path_index_values(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                          void *arg)
{
    const lw_path_index *index = arg;
    /* The object would keep a decoded copy of a string that it is asked for.  An object without the
     * value is not in the index. */
    (void)lw_object__use_string(obj, index->pointer, add, to);
}
