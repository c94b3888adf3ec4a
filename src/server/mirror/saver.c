/* SPDX-License-Identifier: Apache-2.0 */
/* saver.c -- when a mirrored resource is saved, and in which file. */
#include "server/mirror/saver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

enum {
    DUTY = 10, /* at most one part in this many of the time is spent on writing */
};

static void say(const lw_mirror_saver *saver, const char *what, const char *why)
{
    lw_log(saver->logger, LW_LOG_WARN, "mirror", "%s: %s: %s", saver->resource, what, why);
}

lw_status lw_mirror_saver_open(lw_mirror_saver *saver, const lw_mirror_saver_options *options)
{
    lw_buf identity;
    if (!options->dir)
        return LW_OK;
    saver->clock = options->clock;
    saver->logger = options->logger;
    saver->resource = lw_str_dup(options->resource);
    lw_buf_init(&identity, LW_STATE_IDENTITY_MAX);
    lw_buf_printf(&identity, "mirror of: %.*s\npath: %.*s\n", LW_STR_ARG(options->upstream),
                  LW_STR_ARG(options->path));
    saver->identity = lw_buf_take_text(&identity);
    lw_buf_done(&identity);
    if (saver->resource && saver->identity)
        saver->path = lw_state_dir_path(options->dir, saver->resource, saver->identity);
    saver->dir = saver->path ? options->dir : NULL;
    return saver->path ? LW_OK : LW_ERR_NOMEM;
}

static void drop_held(lw_mirror_saver *saver)
{
    if (saver->has_held)
        lw_index_done(&saver->held.index);
    saver->has_held = false;
}

void lw_mirror_saver_done(lw_mirror_saver *saver)
{
    if (saver->dir)
        lw_state_dir_wait(saver->dir, &saver->slot);
    drop_held(saver);
    lw_free(saver->resource);
    lw_free(saver->identity);
    lw_free(saver->path);
    *saver = (lw_mirror_saver){ .dir = NULL };
}

bool lw_mirror_saver_load(lw_mirror_saver *saver, const lw_saved_sink *sink, uint64_t *revision,
                          lw_compact **packer)
{
    lw_state state = { .packer = NULL };
    lw_error err = LW_ERROR_INIT;
    if (!saver->dir)
        return false;
    lw_status st = lw_state_file_read(saver->path, lw_str_of(saver->identity), sink, &state, &err);
    if (st == LW_OK &&
        (!lw_str_to_uint64(lw_str_of(state.resource_version), revision) || *revision == 0))
        st = lw_error_set(&err, LW_ERR_INVALID, "its resourceVersion is not a number");
    if (st < 0 && st != LW_ERR_NOT_FOUND)
        say(saver, "the saved state is ignored", err.message);
    if (st < 0) {
        lw_compact_close(state.packer);
        return false;
    }
    *packer = state.packer;
    saver->saved_revision = *revision;
    return true;
}

/* Reads a snapshot in the order of its keys. */
typedef struct reading {
    lw_index index;
    lw_index_cursor at;
} reading;

static const lw_object *next_object(void *arg, size_t index)
{
    reading *r = arg;
    (void)index;
    return lw_index_next(&r->index, &r->at);
}

static void free_reading(void *arg)
{
    reading *r = arg;
    lw_index_done(&r->index);
    lw_free(r);
}

/* Takes what is held, and leaves a copy of it, which costs nothing. */
static void write_held(lw_mirror_saver *saver)
{
    char revision[24];
    lw_error err = LW_ERROR_INIT;
    int64_t now = lw_clock_now(saver->clock);
    reading *r = lw_alloc_zero(1, sizeof(*r));
    (void)snprintf(revision, sizeof(revision), "%" PRIu64, saver->held.revision);
    const lw_state_facts facts = { .identity = lw_str_of(saver->identity),
                                   .resource_version = lw_str_of(revision),
                                   .saved_s = lw_clock_wall(saver->clock) / LW_NS_PER_S };
    lw_status st = r ? LW_OK : lw_error_nomem(&err);
    if (st == LW_OK) {
        r->index = lw_index_snapshot(&saver->held.index);
        r->at = lw_index_seek(&r->index, 0);
        const lw_state_objects objects = {
            .count = lw_index_count(&r->index), .at = next_object, .free = free_reading, .arg = r
        };
        st = lw_state_dir_save_take(saver->dir, &saver->slot, saver->path, &facts, &objects, &err);
    }
    saver->saved_ns = now;
    saver->next_ns = now + LW_MIRROR_SAVE_S * LW_NS_PER_S;
    saver->is_late = st < 0;
    saver->writing_revision = saver->held.revision;
    if (st < 0)
        say(saver, "the state could not be saved", err.message);
}

static void see_result(lw_mirror_saver *saver)
{
    lw_status st = LW_OK;
    lw_error err = LW_ERROR_INIT;
    int64_t took_ns = 0;
    if (!lw_state_dir_result(saver->dir, &saver->slot, &st, &err, &took_ns))
        return;
    if (st < 0) {
        say(saver, "the state could not be saved", err.message);
        saver->is_late = true;
        return;
    }
    saver->saved_revision = saver->writing_revision;
    int64_t rest_ns = saver->saved_ns + took_ns * DUTY;
    if (saver->next_ns < rest_ns)
        saver->next_ns = rest_ns;
}

static bool hold(lw_mirror_saver *saver, lw_cache_resource *resource)
{
    drop_held(saver);
    saver->has_held = lw_feed_take_snapshot(resource, &saver->held);
    return saver->has_held;
}

void lw_mirror_saver_listed(lw_mirror_saver *saver, lw_cache_resource *resource)
{
    if (!saver->dir)
        return;
    saver->is_late = true;
    saver->next_ns = 0;
    lw_mirror_saver_tick(saver, resource);
}

void lw_mirror_saver_tick(lw_mirror_saver *saver, lw_cache_resource *resource)
{
    if (!saver->dir || lw_state_dir_is_busy(saver->dir, &saver->slot))
        return;
    see_result(saver);
    int64_t now = lw_clock_now(saver->clock);
    if (now < saver->next_ns)
        return;
    if (saver->is_late) {
        if (hold(saver, resource))
            write_held(saver);
        return;
    }
    bool is_recent = now - saver->saved_ns < LW_MIRROR_SAVE_QUIET_S * LW_NS_PER_S;
    if (saver->has_held && saver->held.revision != saver->saved_revision &&
        (saver->held.changed > saver->saved_revision || !is_recent))
        write_held(saver);
    saver->next_ns = now + LW_MIRROR_SAVE_S * LW_NS_PER_S;
    (void)hold(saver, resource);
}

void lw_mirror_saver_discard(lw_mirror_saver *saver)
{
    if (!saver->dir)
        return;
    lw_state_dir_wait(saver->dir, &saver->slot);
    see_result(saver);
    drop_held(saver);
    saver->saved_revision = 0;
    if (unlink(saver->path) < 0 && errno != ENOENT)
        say(saver, "the saved state could not be removed", strerror(errno));
}

void lw_mirror_saver_finish(lw_mirror_saver *saver, lw_cache_resource *resource)
{
    if (!saver->dir)
        return;
    lw_state_dir_wait(saver->dir, &saver->slot);
    see_result(saver);
    if (!hold(saver, resource) || saver->held.revision == saver->saved_revision)
        return;
    write_held(saver);
    lw_state_dir_wait(saver->dir, &saver->slot);
    see_result(saver);
    drop_held(saver);
}
