/* SPDX-License-Identifier: Apache-2.0 */
/* key_scheduler.h -- work by key on a loop: each key that is due gets a pass, one at a time per key
 * and a few at once, and another one later if it was wanted meanwhile.
 *
 *     wanted ──▶ DUE ──ready──▶ RUNNING ──over──▶ idle
 *                 ▲                │
 *                 └────────────────┴─ wanted again, or the pass says so
 *
 * The owner's entries begin with an lw_scheduled_key.  Threads: those of the loop. */
#ifndef LW_API_CONTEXT_KEY_SCHEDULER_H
#define LW_API_CONTEXT_KEY_SCHEDULER_H

#include "base/dlist.h"
#include "base/map.h"
#include "net/loop.h"

typedef struct lw_key_scheduler lw_key_scheduler;

typedef struct lw_scheduled_key {
    lw_key_scheduler *scheduler;
    lw_str name;            /* behind the entry */
    lw_dlist_node due_link; /* in due while a pass is wanted and none runs */
    int64_t due_since_ns;   /* by the loop's clock, as all times here */
    int64_t began_ns;       /* when the last pass did */
    bool is_running;
    bool is_due_again; /* wanted while a pass ran */
    bool is_forgotten; /* to be freed when its pass is over */
} lw_scheduled_key;

typedef struct lw_key_scheduler_type {
    size_t entry_size;
    size_t keys_max;
    size_t running_max; /* passes at once */

    /* When the next pass of a key that is due may start. */
    int64_t (*ready_ns)(const lw_scheduled_key *key);

    /* Starts a pass, which calls lw_key_scheduler_pass_over once, maybe from within. */
    void (*start)(lw_scheduled_key *key);
} lw_key_scheduler_type;

struct lw_key_scheduler {
    const lw_key_scheduler_type *type;
    lw_loop *loop;
    lw_map keys; /* of lw_scheduled_key by name */
    lw_dlist due;
    size_t running;
    lw_timer timer;
    bool is_pumping;
    bool is_stopped;
};

void lw_key_scheduler_init(lw_key_scheduler *scheduler, const lw_key_scheduler_type *type,
                           lw_loop *loop);

/* After all passes are over. */
void lw_key_scheduler_done(lw_key_scheduler *scheduler);

/* The time by the loop's clock. */
int64_t lw_key_scheduler_now(const lw_key_scheduler *scheduler);

/* The entry of this name; NULL: there is none. */
lw_scheduled_key *lw_key_scheduler_find(const lw_key_scheduler *scheduler, lw_str name);

/* Adds an entry, zeroed behind its lw_scheduled_key, of a name that has none.  NULL: there is no
 * memory. */
lw_scheduled_key *lw_key_scheduler_add(lw_key_scheduler *scheduler, lw_str name);

/* Removes an entry; it is freed when its pass, if one runs, is over. */
void lw_key_scheduler_remove(lw_scheduled_key *key);

/* Makes a key due, or due again if a pass is running. */
void lw_key_scheduler_want(lw_scheduled_key *key);
void lw_key_scheduler_want_all(lw_key_scheduler *scheduler);

/* The pass of |key| is over; with |is_wanted_again| there shall be another.  Starts what is due. */
void lw_key_scheduler_pass_over(lw_scheduled_key *key, bool is_wanted_again);

/* Starts the passes that are due and ready, and sets a timer for those that are not ready yet.
 * Without memory for the timer, they wait for the next call. */
void lw_key_scheduler_pump(lw_key_scheduler *scheduler);

/* Removes all entries. */
void lw_key_scheduler_forget(lw_key_scheduler *scheduler);

/* Starts no pass from now on. */
void lw_key_scheduler_stop(lw_key_scheduler *scheduler);

#endif
