/* SPDX-License-Identifier: Apache-2.0 */
/* list_bounds.c -- counts the objects, bytes and pages of a list. */
#include "object/list_bounds.h"

#include <stdbool.h>

#include "base/error.h"

void lw_list_progress_begin(lw_list_progress *progress, const lw_list_bounds *bounds)
{
    *progress = (lw_list_progress){ .bounds = *bounds, .seed = lw_hash_seed_random() };
    if (progress->bounds.objects == 0)
        progress->bounds.objects = LW_LIST_OBJECTS_MAX;
    if (progress->bounds.bytes == 0)
        progress->bounds.bytes = LW_LIST_BYTES_MAX;
    if (progress->bounds.pages == 0)
        progress->bounds.pages = LW_LIST_PAGES_MAX;
}

static lw_status exceeded(const char *unit, uint64_t limit, const char *option, lw_error *err)
{
    return lw_error_set(err, LW_ERR_LIMIT,
                        "the list has more than %llu %s, which is the limit (bounds.%s)",
                        (unsigned long long)limit, unit, option);
}

lw_status lw_list_progress_object(lw_list_progress *progress, size_t size, lw_error *err)
{
    progress->objects++;
    progress->page_objects++;
    progress->bytes += size;
    if (progress->objects > progress->bounds.objects)
        return exceeded("objects", progress->bounds.objects, "objects", err);
    if (progress->bytes > progress->bounds.bytes)
        return exceeded("bytes", progress->bounds.bytes, "bytes", err);
    return LW_OK;
}

/* True if |hash| is one of an earlier page. */
static bool is_repeated(lw_list_progress *progress, uint64_t hash)
{
    bool is = progress->pages > 1 && (hash == progress->last || hash == progress->checkpoint);
    progress->last = hash;
    if ((progress->pages & (progress->pages - 1)) == 0)
        progress->checkpoint = hash;
    return is;
}

lw_status lw_list_progress_page(lw_list_progress *progress, const char *token, lw_error *err)
{
    progress->pages++;
    progress->empty_pages = progress->page_objects == 0 ? progress->empty_pages + 1 : 0;
    progress->page_objects = 0;
    if (is_repeated(progress, lw_hash_str(progress->seed, lw_str_of(token))))
        return lw_error_set(
            err, LW_ERR_INVALID,
            "the server sent the same continue token twice; the list would never end");
    if (progress->empty_pages > LW_LIST_EMPTY_PAGES_MAX)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "the server sent %d pages without objects; the list would probably never end",
            LW_LIST_EMPTY_PAGES_MAX);
    if (progress->pages >= progress->bounds.pages)
        return exceeded("pages", progress->bounds.pages, "pages", err);
    return LW_OK;
}
