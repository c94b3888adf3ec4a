/* SPDX-License-Identifier: Apache-2.0 */
/* state_dir.h -- the directory of saved caches, which one factory or mirror uses at a time, and the
 * thread that writes them.
 *
 * The thread starts with the first save.  All functions may be called from any thread. */
#ifndef LW_STATE_STATE_DIR_H
#define LW_STATE_STATE_DIR_H

#include <stdbool.h>

#include "state/state_file.h"

typedef struct lw_state_dir lw_state_dir;

/* Opens |path| and creates it if needed (mode 0700).  LW_ERR_EXISTS: another factory, mirror or
 * process uses it.  LW_ERR_INVALID: others may write to it.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_state_dir_open(lw_state_dir **out, const char *path, lw_error *err);

/* Waits for saves in progress and frees.  NULL does nothing. */
void lw_state_dir_close(lw_state_dir *dir);

/* Removes what a process that ended has left half written in |dir|. */
void lw_state_dir_remove_unfinished(const lw_state_dir *dir);

/* Removes the saved caches in the directory |path|, which is not open, and the directory itself if
 * nothing else is in it. */
void lw_state_dir_remove(const char *path);

/* Returns the path of the file for |resource| with |identity|, such as DIR/pods-0a1b2c3d.state, to
 * be freed with lw_free; NULL: out of memory. */
char *lw_state_dir_path(const lw_state_dir *dir, const char *resource, const char *identity);

/* The state of the saves of one resource; zero it.  Used only through these functions while a save
 * is in progress. */
typedef struct lw_state_slot {
    bool is_busy;
    bool has_result; /* of the last save, until lw_state_dir_result */
    lw_status st;
    lw_error err;
    int64_t took_ns;
} lw_state_slot;

/* Begins to save, in the thread.  Takes |objects|, also on failure.  LW_ERR_NOMEM, LW_ERR_IO (no
 * thread).  The slot must not be busy. */
lw_status lw_state_dir_save_take(lw_state_dir *dir, lw_state_slot *slot, const char *path,
                                 const lw_state_facts *facts, const lw_state_objects *objects,
                                 lw_error *err);

bool lw_state_dir_is_busy(lw_state_dir *dir, const lw_state_slot *slot);

/* Returns true once after each save: |st| is its result, with |err|. */
bool lw_state_dir_result(lw_state_dir *dir, lw_state_slot *slot, lw_status *st, lw_error *err,
                         int64_t *took_ns);

/* Waits until the save of |slot| has ended. */
void lw_state_dir_wait(lw_state_dir *dir, const lw_state_slot *slot);

#endif
