/* SPDX-License-Identifier: Apache-2.0 */
/* watch_live.h -- the live table of `watch`: an informer says that something has changed, and the
 * rows are read from the server, at most once a second. */
#ifndef LISTWATCH_CLI_WATCH_LIVE_H
#define LISTWATCH_CLI_WATCH_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "live_table.h"
#include "targets.h"

typedef struct watch_live {
    connection *conn;
    const target *target; /* NULL: the rows are those of the cache (etcd) */
    const lw_lister *lister;
    live_table table;
    screen_rows rows;
    bool is_stale;      /* the objects have changed since the rows were read */
    bool is_dirty;      /* must be drawn again */
    int64_t fetched_ms; /* when the rows were read; 0: never */
    int64_t fetch_ms;   /* how long that took */
    int64_t drawn_ms;
} watch_live;

/* Takes over the terminal, and gives it back. */
void watch_live_begin(watch_live *live);
void watch_live_end(watch_live *live);

/* An object has changed. */
void watch_live_note(watch_live *live);

/* Returns how long to wait before the next watch_live_turn, in milliseconds. */
int watch_live_timeout_ms(const watch_live *live);

/* Reads keys, reads the rows if they are stale and the server |is_connected|, and draws if that is
 * due.  Returns false if the user wants to quit. */
bool watch_live_turn(watch_live *live, bool is_connected, const char *title);

#endif
