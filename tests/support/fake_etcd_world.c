/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd_world.c -- the in-memory etcd: a history of writes that is searched from its end. */
#include "support/fake_etcd_core.h"

#include <assert.h>
#include <stdlib.h>

fake_world fake_etcd__world = { .revision = 1, .reply_max = SIZE_MAX };

lw_str fake_etcd__copy(lw_str s)
{
    char *bytes = malloc(s.len + 1);
    assert(bytes);
    if (s.len > 0)
        memcpy(bytes, s.ptr, s.len);
    return lw_str_make(bytes, s.len);
}

void fake_etcd__wake(lw_task *task)
{
    if (!lw_dlist_node_is_linked(&task->link))
        lw_loop_defer(fake_etcd__world.client->loop, task);
}

static void wake_watches(void)
{
    if (!fake_etcd__world.client)
        return;
    LW_DLIST_FOR_EACH(lw_etcd_watch, watch, &fake_etcd__world.client->watches, link)
    fake_etcd__wake(&watch->task);
}

void fake_etcd_restore(void)
{
    for (size_t i = 0; i < fake_etcd__world.count; i++) {
        free((char *)(uintptr_t)fake_etcd__world.records[i].kv.key.ptr);
        free((char *)(uintptr_t)fake_etcd__world.records[i].kv.value.ptr);
    }
    free(fake_etcd__world.records);
    fake_etcd__world.records = NULL;
    fake_etcd__world.count = fake_etcd__world.room = 0;
    fake_etcd__world.revision = 1;
    fake_etcd__world.compacted = 0;
}

void fake_etcd_reset(void)
{
    assert(!fake_etcd__world.client);
    fake_etcd_restore();
    fake_etcd__world = (fake_world){ .revision = 1, .reply_max = SIZE_MAX };
}

const fake_record *fake_etcd__find(lw_str key, uint64_t revision)
{
    for (size_t i = fake_etcd__world.count; i > 0; i--) {
        const fake_record *r = &fake_etcd__world.records[i - 1];
        if (r->kv.mod_revision <= revision && lw_str_equal(r->kv.key, key))
            return r;
    }
    return NULL;
}

static void append(lw_str key, lw_str value, bool is_delete)
{
    const fake_record *before = fake_etcd__find(key, fake_etcd__world.revision);
    bool is_new = !before || before->is_delete;
    lw_etcd_kv kv = { .key = fake_etcd__copy(key),
                      .value = fake_etcd__copy(value),
                      .mod_revision = fake_etcd__world.revision };
    kv.create_revision = is_new ? fake_etcd__world.revision : before->kv.create_revision;
    kv.version = is_new ? 1 : before->kv.version + 1;
    if (is_delete)
        kv.create_revision = kv.version = 0;
    if (fake_etcd__world.count == fake_etcd__world.room) {
        fake_etcd__world.room = fake_etcd__world.room ? 2 * fake_etcd__world.room : 64;
        fake_etcd__world.records =
            realloc(fake_etcd__world.records,
                    fake_etcd__world.room * sizeof(*fake_etcd__world.records));
        assert(fake_etcd__world.records);
    }
    fake_etcd__world.records[fake_etcd__world.count++] =
        (fake_record){ .kv = kv, .is_delete = is_delete };
}

uint64_t fake_etcd_put(lw_str key, lw_str value)
{
    fake_etcd__world.revision++;
    append(key, value, false);
    wake_watches();
    return fake_etcd__world.revision;
}

uint64_t fake_etcd_put_text(const char *key, const char *value)
{
    return fake_etcd_put(lw_str_of(key), lw_str_of(value));
}

uint64_t fake_etcd_put_two(const char *key, const char *other, const char *value)
{
    fake_etcd__world.revision++;
    append(lw_str_of(key), lw_str_of(value), false);
    append(lw_str_of(other), lw_str_of(value), false);
    wake_watches();
    return fake_etcd__world.revision;
}

uint64_t fake_etcd_delete(const char *key)
{
    fake_etcd__world.revision++;
    append(lw_str_of(key), lw_str_of(""), true);
    wake_watches();
    return fake_etcd__world.revision;
}

uint64_t fake_etcd_revision(void)
{
    return fake_etcd__world.revision;
}

void fake_etcd_compact(uint64_t revision)
{
    fake_etcd__world.compacted = revision;
    wake_watches();
}

void fake_etcd_set_cut(bool is_cut)
{
    fake_etcd__world.is_cut = is_cut;
    wake_watches();
}

void fake_etcd_progress(void)
{
    LW_DLIST_FOR_EACH(lw_etcd_watch, watch, &fake_etcd__world.client->watches, link)
    watch->wants_progress = true;
    wake_watches();
}

void fake_etcd_fail_ranges(lw_status st)
{
    fake_etcd__world.range_failure = st;
}

void fake_etcd_set_reply_max(size_t bytes)
{
    fake_etcd__world.reply_max = bytes;
}

size_t fake_etcd_range_count(void)
{
    return fake_etcd__world.ranges;
}

size_t fake_etcd_watch_count(void)
{
    return fake_etcd__world.watches;
}

size_t fake_etcd_open_count(void)
{
    size_t count = 0;
    LW_DLIST_FOR_EACH(lw_etcd_call, call, &fake_etcd__world.client->calls, link)
    count++;
    LW_DLIST_FOR_EACH(lw_etcd_watch, watch, &fake_etcd__world.client->watches, link)
    count++;
    return count;
}
