/* SPDX-License-Identifier: Apache-2.0 */
/* conn_admission.h -- decides which connections are closed when there are too many.
 *
 * Connections whose client has not authenticated are limited per source address, and they make room
 * for others: the oldest one is closed first.  Some descriptors are kept for the store and other
 * files, and for plain HTTP, where health checks arrive.
 *
 *     accepted ──lw_conn_admission_add──▶ unauthenticated ──authenticated──▶ not limited here
 *                                            │ the oldest, when there is no room
 *                                            ▼
 *                                      socket shut down; its loop frees the connection
 *
 * Threads: any.  A socket is shut down under the lock, and connections leave under the lock before
 * they close it, so the descriptor is never one that was used again. */
#ifndef LW_NET_CONN_ADMISSION_H
#define LW_NET_CONN_ADMISSION_H

#include <listwatch/log.h>

#include "base/dlist.h"
#include "base/hash.h"
#include "base/sync.h"
#include "net/address.h"

enum {
    LW_CONN_ADMISSION_SOURCES =
        1024, /* slots of sources; sources in the same slot share its limit */
    LW_CONN_ADMISSION_RESERVED = 16,      /* descriptors that are not for connections ... */
    LW_CONN_ADMISSION_RESERVED_SHARE = 4, /* ... but not more than this part of all */
    LW_CONN_ADMISSION_LOG_S = 60,         /* seconds between two lines in the log */
};

/* Part of a connection; must be zeroed. */
typedef struct lw_conn_entry {
    lw_dlist_node by_age, by_source; /* linked while unauthenticated and not shut down */
    struct lw_conn_source *source;   /* NULL: not counted */
    int64_t since_ns;                /* when it was added */
    int fd;
    bool is_leaving; /* shut down, but not removed yet */
} lw_conn_entry;

typedef struct lw_conn_source {
    lw_dlist entries; /* oldest first */
    size_t count;
} lw_conn_source;

typedef struct lw_conn_admission {
    size_t per_source;  /* maximum number of unauthenticated connections of one source */
    size_t descriptors; /* of the process */
    size_t reserved;    /* of them, those that are not for connections */
    lw_hash_seed seed;
    lw_logger logger;

    lw_mutex mu;   /* guards the members below */
    lw_dlist ages; /* unauthenticated connections, oldest first */
    lw_conn_source sources[LW_CONN_ADMISSION_SOURCES];
    size_t leaving;    /* connections that are shut down and not removed yet */
    size_t closed;     /* connections closed since the last line in the log */
    int64_t logged_ns; /* when that was; 0: never */
} lw_conn_admission;

/* |descriptors| 0: the process's own limit, as it is now.  |logger| may be NULL. */
void lw_conn_admission_init(lw_conn_admission *admission, size_t per_source, size_t descriptors,
                            const lw_logger *logger);
void lw_conn_admission_done(lw_conn_admission *admission);

/* Adds the connection of |fd| at |now_ns|; shuts down the oldest one of the same source if there
 * are too many.  Returns the number of connections that were shut down. */
size_t lw_conn_admission_add(lw_conn_admission *admission, lw_conn_entry *entry, int fd,
                             const lw_address *peer, int64_t now_ns);

/* The client has authenticated: the connection stays. */
void lw_conn_admission_authenticated(lw_conn_admission *admission, lw_conn_entry *entry);

/* Returns the number of connections that are shut down but still have their descriptors. */
size_t lw_conn_admission_leaving(lw_conn_admission *admission);

/* Removes the connection, before its socket is closed. */
void lw_conn_admission_remove(lw_conn_admission *admission, lw_conn_entry *entry);

/* Shuts down up to |count| of the oldest unauthenticated connections, but none that was added after
 * |until_ns|; returns how many. */
size_t lw_conn_admission_make_room(lw_conn_admission *admission, size_t count, int64_t until_ns);

/* How the number of the next descriptor compares to the limit: the system assigns the lowest number
 * that is free, so all lower ones are in use. */
typedef enum lw_conn_room {
    LW_CONN_ROOM_ENOUGH,
    LW_CONN_ROOM_LITTLE, /* the reserve has begun */
    LW_CONN_ROOM_NONE,   /* half of the reserve is used */
} lw_conn_room;
lw_conn_room lw_conn_admission_room(const lw_conn_admission *admission, int fd);

/* Logs that there are too many connections, and that |closed| more were shut down or refused: one
 * line per minute at most. */
void lw_conn_admission_log(lw_conn_admission *admission, size_t closed, int64_t now_ns);

#endif
