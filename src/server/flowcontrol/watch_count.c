/* SPDX-License-Identifier: Apache-2.0 */
/* watch_count.c -- counts open watches by resource, namespace and name. */
#include "server/flowcontrol/watch_count.h"

#include <string.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"

enum {
    KINDS_OF_WATCHES_MAX = 1 << 20,
    KEY_MAX = 1024, /* bytes; longer ones are not counted */
};

static const lw_map_type counts_by_key = LW_MAP_STR_TYPE(lw_watch_count, key);

void lw_watch_counts_init(lw_watch_counts *counts)
{
    lw_mutex_init(&counts->mu);
    lw_map_init(&counts->map, &counts_by_key, lw_hash_seed_random(), KINDS_OF_WATCHES_MAX);
}

void lw_watch_counts_done(lw_watch_counts *counts)
{
    lw_map_cursor at = lw_map_begin(&counts->map);
    for (lw_watch_count *count; (count = lw_map_next(&counts->map, &at));)
        lw_free(count);
    lw_map_done(&counts->map);
    lw_mutex_done(&counts->mu);
}

/* Writes "group/resource/namespace/name" to |text|; empty: it is too long. */
static lw_str make_key(char text[KEY_MAX], lw_str group, lw_str resource, lw_str ns, lw_str name)
{
    const lw_str parts[] = { group, resource, ns, name };
    size_t len = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].len >= KEY_MAX - len)
            return LW_STR("");
        if (parts[i].len > 0)
            memcpy(text + len, parts[i].ptr, parts[i].len);
        len += parts[i].len;
        text[len++] = '/';
    }
    return lw_str_make(text, len);
}

/* A watch of the pods of one node sees few of the changes; the cache finds it by an index. */
static bool is_of_one_node(const lw_request_info *info, lw_str query)
{
    static const lw_str field = LW_STR_INIT("spec.nodeName");
    lw_str selector;
    if (!lw_str_equal(info->resource, LW_STR("pods")) ||
        !lw_query_raw(query, LW_STR("fieldSelector"), &selector))
        return false;
    for (; selector.len > field.len; selector = lw_str_skip(selector, 1)) {
        if (!lw_str_starts_with(selector, field))
            continue;
        lw_str rest = lw_str_skip(selector, field.len);
        return lw_str_starts_with(rest, LW_STR("=")) || lw_str_starts_with(rest, LW_STR("%3D")) ||
               lw_str_starts_with(rest, LW_STR("%3d"));
    }
    return false;
}

static void stream_closed(lw_http_stream *stream, lw_http_admission *admission)
{
    (void)stream;
    lw_watch_counts_remove(LW_CONTAINER_OF(admission, lw_watch_count, admission));
}

static lw_watch_count *count_new(lw_watch_counts *counts, lw_str key)
{
    void *present;
    lw_watch_count *count = lw_alloc_zero(1, sizeof(*count) + key.len);
    if (!count)
        return NULL;
    char *text = (char *)(count + 1);
    memcpy(text, key.ptr, key.len);
    count->admission.closed = stream_closed;
    count->counts = counts;
    count->key = lw_str_make(text, key.len);
    if (lw_map_add(&counts->map, &count->key, count, &present) == LW_OK)
        return count;
    lw_free(count);
    return NULL;
}

lw_watch_count *lw_watch_counts_add(lw_watch_counts *counts, const lw_request_info *info,
                                    lw_str query)
{
    char text[KEY_MAX];
    lw_str key = make_key(text, info->group, info->resource, info->ns, info->name);
    if (key.len == 0 || is_of_one_node(info, query))
        return NULL;
    lw_mutex_lock(&counts->mu);
    lw_watch_count *count = lw_map_get_str(&counts->map, key);
    if (!count)
        count = count_new(counts, key);
    if (count)
        count->count++;
    lw_mutex_unlock(&counts->mu);
    return count;
}

void lw_watch_counts_remove(lw_watch_count *count)
{
    if (!count)
        return;
    lw_watch_counts *counts = count->counts;
    lw_mutex_lock(&counts->mu);
    if (--count->count == 0) {
        (void)lw_map_remove_str(&counts->map, count->key);
        lw_free(count);
    }
    lw_mutex_unlock(&counts->mu);
}

static size_t look(const lw_watch_counts *counts, lw_str key)
{
    const lw_watch_count *count = key.len > 0 ? lw_map_get_str(&counts->map, key) : NULL;
    return count ? count->count : 0;
}

size_t lw_watch_counts_of(lw_watch_counts *counts, const lw_request_info *info)
{
    char text[KEY_MAX];
    lw_str none = LW_STR("");
    lw_mutex_lock(&counts->mu);
    size_t sum = look(counts, make_key(text, info->group, info->resource, none, none));
    if (info->ns.len > 0)
        sum += look(counts, make_key(text, info->group, info->resource, info->ns, none));
    if (info->name.len > 0)
        sum += look(counts, make_key(text, info->group, info->resource, info->ns, info->name));
    lw_mutex_unlock(&counts->mu);
    return sum;
}
