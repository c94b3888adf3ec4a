/* SPDX-License-Identifier: Apache-2.0 */
/* store.h -- what the server keeps its objects in: keys and values with one global revision.
 *
 * Every committed change gets the next revision; revisions never repeat or go back, not over a
 * crash either.  Old states can be read, and changes followed, as far back as the compacted
 * revision.  A change is told to the watches before its transaction is done, in the order of
 * revisions, so whoever learns that a write succeeded finds it in everything fed by a watch.
 *
 * Backends: memory (lost with the process), lmdb (one file, durable), etcd. */
#ifndef LW_STORE_STORE_H
#define LW_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "base/dlist.h"

enum {
    LW_STORE_KEY_MAX = 500,          /* bytes; LMDB takes 511 */
    LW_STORE_VALUE_MAX = 8 << 20,    /* bytes */
    LW_STORE_QUEUE_MAX = 16384,      /* transactions waiting for the writer */
    LW_STORE_QUEUE_BYTES = 64 << 20, /* their keys and values together */
};

typedef struct lw_store lw_store;

/* A key as it stood at some revision.  The views die when the callback returns. */
typedef struct lw_store_record {
    lw_str key;
    lw_str value;
    uint64_t create_revision; /* of the put that made the key anew */
    uint64_t mod_revision;    /* of the last put */
} lw_store_record;

/* One change.  The views die when the callback returns. */
typedef struct lw_store_event {
    lw_str key;
    lw_str value; /* what it is now; empty when deleted */
    uint64_t revision;
    bool is_delete;
    void *attachment; /* what the transaction carried; NULL when read back from history */
} lw_store_event;

typedef enum lw_store_op {
    LW_STORE_PUT,
    LW_STORE_DELETE,
} lw_store_op;

typedef struct lw_store_txn lw_store_txn;

/* One guarded change.  The caller fills in the first part and keeps everything it points to until
 * |done| was called; the store fills in the second. */
struct lw_store_txn {
    lw_store_op op;
    lw_str key;
    lw_str value;      /* of a put */
    uint64_t expected; /* the change is made only if the key has this mod revision; 0: is absent
                          (so that a delete of it is always refused) */
    int64_t ttl_s;     /* of a put: the key goes by itself after so long; 0: never.  Only shared
                          stores keep to it */
    void *attachment;  /* opaque, handed on in the event */
    void (*done)(lw_store_txn *txn); /* once; on the store's thread; must neither block nor call the
                                        store back, except to submit; may free |txn| */
    void *arg;

    lw_status st; /* LW_OK: durable.  LW_ERR_CONFLICT: not as expected.  LW_ERR_IO, _LIMIT,
                     _NOMEM, _UNAVAILABLE, _STOPPED: nothing was changed.  LW_ERR_TIMEOUT (shared
                     stores only): nobody knows whether it was */
    uint64_t
        revision; /* LW_OK: of this change; LW_ERR_CONFLICT: the key's mod revision, 0 absent */
    lw_error err; /* what happened, when |st| is neither of these two */
    lw_dlist_node link; /* the store's while the transaction is under way; starts zeroed */
};

/* Which keys, as of when. */
typedef struct lw_store_range {
    lw_str start;      /* first key */
    lw_str end;        /* first key no longer in; empty: no end.  See lw_store_prefix_end */
    uint64_t revision; /* 0: now */
    size_t limit;      /* records to report at most; 0: all */
    bool is_counting;  /* count what is beyond the limit */
} lw_store_range;

typedef struct lw_store_range_result {
    uint64_t revision; /* the state that was read */
    bool has_more;     /* there are records beyond the limit */
    size_t remaining;  /* how many, if they were counted */
} lw_store_range_result;

/* Any status but LW_OK ends the walk and is returned.  Must not call the store. */
typedef lw_status (*lw_store_record_fn)(const lw_store_record *record, void *arg, lw_error *err);

/* Where changes go.  All calls come from one thread, one after the other, and must not block for
 * long nor call the store: its writer waits. */
typedef struct lw_store_sink {
    /* |count| changes in the order of their revisions, none left out; everything up to and with
     * |revision| has been told now.  |count| may be 0: only the revision moved on. */
    void (*on_events)(const lw_store_event *events, size_t count, uint64_t revision, void *arg);
    /* History up to and with |revision| is gone.  May be NULL. */
    void (*on_compacted)(uint64_t revision, void *arg);
    /* The watch is over and will tell nothing more: |err| says why.  May be NULL. */
    void (*on_end)(const lw_error *err, void *arg);
    void *arg;
} lw_store_sink;

typedef struct lw_store_watch lw_store_watch;

/* A question whether the watches have been told everything; see lw_store_confirm. */
typedef struct lw_store_confirmation lw_store_confirmation;
struct lw_store_confirmation {
    void (*done)(lw_store_confirmation *confirmation); /* once; rules as lw_store_txn.done */
    void *arg;

    lw_status st;      /* LW_OK, LW_ERR_UNAVAILABLE, LW_ERR_TIMEOUT, LW_ERR_STOPPED */
    uint64_t revision; /* LW_OK: what the store was at, and every watch has been told */
    lw_error err;
    lw_dlist_node link;  /* the store's; starts zeroed */
    int64_t deadline_ns; /* the store's */
};

/* What a backend implements.  Any thread may call; thread rules of the callbacks as above. */
typedef struct lw_store_ops {
    lw_status (*submit)(lw_store *store, lw_store_txn *txn);
    lw_status (*range)(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                       void *arg, lw_store_range_result *result, lw_error *err);
    lw_status (*watch)(lw_store *store, lw_str prefix, uint64_t after, const lw_store_sink *sink,
                       lw_store_watch **out, lw_error *err);
    void (*unwatch)(lw_store *store, lw_store_watch *watch);
    lw_status (*compact)(lw_store *store, uint64_t revision, lw_error *err);
    void (*revisions)(lw_store *store, uint64_t *current, uint64_t *compacted);
    size_t (*bytes)(lw_store *store); /* that the store takes on disk or in memory */
    /* NULL: nobody else writes to it, so the watches always know everything. */
    lw_status (*confirm)(lw_store *store, lw_store_confirmation *confirmation);
    void (*free)(lw_store *store);
} lw_store_ops;

/* The first member of every backend's struct. */
struct lw_store {
    const lw_store_ops *ops;
};

/* Hands |txn| to the writer and returns at once; never calls |done| itself.  When it is not LW_OK,
 * |done| will not be called: LW_ERR_TOO_MANY (the queue is full), LW_ERR_LIMIT (key or value too
 * large), LW_ERR_INVALID (no key of this store), LW_ERR_NOMEM, LW_ERR_STOPPED. */
lw_status lw_store_submit(lw_store *store, lw_store_txn *txn);

/* The same, and waits.  Returns txn->st or why it was not taken; ->done and ->arg are overwritten.
 * Not on the store's thread. */
lw_status lw_store_commit(lw_store *store, lw_store_txn *txn);

/* The keys of |range| in the order of their bytes.  May wait for a disk or a network, never for a
 * writer.
 * LW_ERR_EXPIRED: the revision is below the compacted one (at it, it can still be read).
 * LW_ERR_TOO_LARGE_RV: it has not come yet.  LW_ERR_IO, LW_ERR_NOMEM, or what |fn| returned. */
lw_status lw_store_read(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err);

/* The value of |key| as of |revision| (0: now), appended to |value|; its record's views of key and
 * value are left empty.  LW_ERR_NOT_FOUND, and as lw_store_read. */
lw_status lw_store_get(lw_store *store, lw_str key, uint64_t revision, lw_buf *value,
                       lw_store_record *record, lw_error *err);

/* Follows the changes of keys that begin with |prefix|, from the first one after the revision
 * |after|: first those of the past, then each as it is committed.  |sink| is copied.  A revision to
 * come may be asked for.  While it is still being told of the past, new changes wait their turn.
 * LW_ERR_EXPIRED: |after| is below the compacted revision.  LW_ERR_TOO_MANY, LW_ERR_NOMEM. */
lw_status lw_store_watch_open(lw_store *store, lw_str prefix, uint64_t after,
                              const lw_store_sink *sink, lw_store_watch **out, lw_error *err);

/* Ends the watch; none of its callbacks runs when this returns.  Not from a callback.  NULL does
 * nothing. */
void lw_store_watch_close(lw_store *store, lw_store_watch *watch);

/* Forgets what only states before |revision| need, and waits until that is so; not on the store's
 * thread.  Space is freed in the background.  LW_ERR_TOO_LARGE_RV: it has not come yet; a revision
 * that is compacted already is LW_OK.  LW_ERR_IO, LW_ERR_STOPPED. */
lw_status lw_store_compact(lw_store *store, uint64_t revision, lw_error *err);

/* The revision of the last change (0: there was none), and the compacted one. */
void lw_store_revisions(lw_store *store, uint64_t *current, uint64_t *compacted);

/* True when others than this process may write to it: what the watches have told may then be old,
 * and who needs the newest asks lw_store_confirm first. */
bool lw_store_is_shared(const lw_store *store);

/* Asks a shared store; |done| is called when the watches have been told all that was committed, by
 * anybody, before the call.  Any thread.  When it is not LW_OK, |done| will not be called:
 * LW_ERR_TOO_MANY, LW_ERR_STOPPED. */
lw_status lw_store_confirm(lw_store *store, lw_store_confirmation *confirmation);

/* Bytes that the store takes where it lives. */
size_t lw_store_bytes(lw_store *store);

/* Finishes what was submitted, ends the watches (LW_ERR_STOPPED) and frees them, closes.  Nobody
 * else may be using it.  NULL does nothing. */
void lw_store_free(lw_store *store);

/* Sets |*end| (room for prefix.len bytes at |storage|) to the first key after all that begin with
 * |prefix|; empty when there is no such key. */
void lw_store_prefix_end(lw_str prefix, char *storage, lw_str *end);

#endif
