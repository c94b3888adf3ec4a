/* SPDX-License-Identifier: Apache-2.0 */
/* lost_keys.c -- names the keys whose latest record is on a damaged page: first the revisions that
 * are in readable pages are collected, then each key is looked up among them. */
#include "store/lmdb/lost_keys.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

typedef struct search {
    const lw_lmdb_trees *trees;
    lw_buf revisions; /* of uint64_t, ascending */
    void (*on_lost)(const lw_lmdb_damage *damage, void *arg);
    void *arg;
} search;

static void note_revision(const lw_lmdb_node *node, void *arg)
{
    search *s = arg;
    if (node->key.len != LW_LMDB_REVISION_SIZE)
        return;
    uint64_t revision =
        lw_lmdb_get_number((const unsigned char *)node->key.ptr, LW_LMDB_REVISION_SIZE);
    lw_buf_append(&s->revisions, &revision, sizeof(revision));
}

static uint64_t revision_at(const search *s, size_t index)
{
    uint64_t revision = 0;
    memcpy(&revision, s->revisions.data + index * sizeof(revision), sizeof(revision));
    return revision;
}

static bool has_revision(const search *s, uint64_t wanted)
{
    size_t low = 0, high = s->revisions.len / sizeof(uint64_t);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (revision_at(s, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->revisions.len / sizeof(uint64_t) && revision_at(s, low) == wanted;
}

static void look_up(const lw_lmdb_node *node, void *arg)
{
    search *s = arg;
    lw_lmdb_entry entry;
    if (!lw_lmdb_entry_decode(&entry, node->key, s->trees->format, node->value) ||
        entry.create_revision == 0 || has_revision(s, entry.revision))
        return;
    s->on_lost(&(lw_lmdb_damage){ .key = node->key,
                                  .revision = entry.revision,
                                  .what = "its value is on a damaged page" },
               s->arg);
}

static void ignore_damage(uint64_t page, const char *what, void *arg)
{
    (void)page;
    (void)what;
    (void)arg;
}

void lw_lmdb_lost_keys(lw_lmdb_pages *pages, const lw_lmdb_trees *trees,
                       void (*on_lost)(const lw_lmdb_damage *damage, void *arg), void *arg)
{
    search s = { .trees = trees, .on_lost = on_lost, .arg = arg };
    lw_lmdb_visitor visitor = { .value_max = LW_LMDB_RECORD_MAX,
                                .on_node = note_revision,
                                .on_damage = ignore_damage,
                                .arg = &s };
    lw_buf_init(&s.revisions, SIZE_MAX / 2);
    lw_lmdb_pages_walk(pages, &trees->log, &visitor);
    if (s.revisions.st == LW_OK) {
        visitor.on_node = look_up;
        lw_lmdb_pages_walk(pages, &trees->keys, &visitor);
    } else {
        pages->error = ENOMEM;
    }
    lw_buf_done(&s.revisions);
}
