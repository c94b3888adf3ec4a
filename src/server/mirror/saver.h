/* SPDX-License-Identifier: Apache-2.0 */
/* saver.h -- the file of one mirrored resource (state/state_file.h), so that a restarted mirror
 * serves at once and goes on with its watch.
 *
 *     a list is complete ──▶ written at once
 *     every minute       ──▶ what was there a minute ago is written, if it has changed; what is
 *                            there now is held for the next time
 *     the mirror stops   ──▶ what is there now is written
 *
 * A mirror that is killed starts again from a state that is one to two minutes old, and the
 * upstream sends it what has happened since.  So it has a history again, and clients that were
 * behind by that time can go on with their watches.  When it stops in order, its watches have got a
 * bookmark, and need no history.
 *
 * If only the revision has changed, the file is written less often.  A snapshot costs constant
 * time; files are written by the thread of state/state_dir.h, which spends at most a tenth of its
 * time on each.
 *
 * Threads: the mirror's, or when that one does not run. */
#ifndef LW_SERVER_MIRROR_SAVER_H
#define LW_SERVER_MIRROR_SAVER_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "cache/feed.h"
#include "state/state_dir.h"

enum {
    LW_MIRROR_SAVE_S = 60,        /* between two files, if objects have changed */
    LW_MIRROR_SAVE_QUIET_S = 600, /* if none has */
    LW_MIRROR_SAVE_TICK_S = 10,   /* between calls of lw_mirror_saver_tick */
};

typedef struct lw_mirror_saver {
    lw_state_dir *dir; /* NULL: nothing is saved */
    const lw_clock *clock;
    const lw_logger *logger;
    char *resource, *identity, *path;
    lw_state_slot slot;
    lw_feed_snapshot held; /* to be written next */
    bool has_held;
    bool is_late; /* a file should have been written at once */
    uint64_t saved_revision;
    uint64_t writing_revision; /* of the save that is not over */
    int64_t saved_ns, next_ns;
} lw_mirror_saver;

typedef struct lw_mirror_saver_options {
    lw_state_dir *dir;
    const lw_clock *clock;
    const lw_logger *logger;
    lw_str resource; /* for the name of the file and messages */
    lw_str upstream; /* which cluster it is */
    lw_str path;     /* of the list, with selectors */
} lw_mirror_saver_options;

/* LW_ERR_NOMEM.  Must be zeroed. */
LW_MUST_CHECK lw_status lw_mirror_saver_open(lw_mirror_saver *saver,
                                             const lw_mirror_saver_options *options);

/* Waits for a save in progress. */
void lw_mirror_saver_done(lw_mirror_saver *saver);

/* Reads the file.  False: there is none that can be used, which the log explains; what |sink| has
 * got must be dropped.  |*packer| is that of lw_saved_read. */
bool lw_mirror_saver_load(lw_mirror_saver *saver, const lw_saved_sink *sink, uint64_t *revision,
                          lw_compact **packer);

/* A list is complete: saves |resource|. */
void lw_mirror_saver_listed(lw_mirror_saver *saver, lw_cache_resource *resource);

/* Saves if it is time. */
void lw_mirror_saver_tick(lw_mirror_saver *saver, lw_cache_resource *resource);

/* Removes the file: what it says is not true any more. */
void lw_mirror_saver_discard(lw_mirror_saver *saver);

/* Saves, and waits for it. */
void lw_mirror_saver_finish(lw_mirror_saver *saver, lw_cache_resource *resource);

#endif
