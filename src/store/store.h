/* SPDX-License-Identifier: Apache-2.0 */
/* store.h -- the store of the server's objects: keys and values with one global revision.
 *
 * Every committed change gets the next revision; revisions never repeat or decrease, even after a
 * crash.  Older states can be read and changes watched back to the compacted revision.  A change is
 * delivered to the watches before its transaction is done, in the order of revisions; so after a
 * successful write, its effect is visible in everything that a watch feeds.
 *
 * Backends: memory (lost when the process ends), lmdb (one file, durable), etcd. */
#ifndef LW_STORE_STORE_H
#define LW_STORE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "base/dlist.h"

enum {
    LW_STORE_KEY_MAX = 500,          /* bytes; LMDB's limit is 511 */
    LW_STORE_VALUE_MAX = 8 << 20,    /* bytes */
    LW_STORE_QUEUE_MAX = 16384,      /* maximum number of transactions in the queue */
    LW_STORE_QUEUE_BYTES = 64 << 20, /* size of their keys and values */
};

typedef struct lw_store lw_store;

/* A key at some revision.  The views are valid until the callback returns. */
typedef struct lw_store_record {
    lw_str key;
    lw_str value;
    uint64_t create_revision; /* revision of the put that created the key */
    uint64_t mod_revision;    /* revision of the last put */
    bool is_stale; /* stored in a form that is to be replaced: encrypted with an old key */
} lw_store_record;

/* One change.  The views are valid until the callback returns. */
typedef struct lw_store_event {
    lw_str key;
    lw_str value; /* the new value; empty if deleted; with an attachment it may be encrypted */
    uint64_t revision;
    bool is_delete;
    bool is_stale;              /* as in lw_store_record; false with an attachment */
    void *attachment;           /* attachment of the transaction; NULL if read from the history */
    const lw_error *unreadable; /* why the value cannot be decrypted, and is empty; NULL: it can */
} lw_store_event;

typedef enum lw_store_op {
    LW_STORE_PUT,
    LW_STORE_DELETE,
} lw_store_op;

typedef struct lw_store_txn lw_store_txn;

/* One guarded change.  The caller sets the first part and keeps everything it points to until
 * |done| is called; the store sets the second part. */
struct lw_store_txn {
    lw_store_op op;
    lw_str key;
    lw_str value; /* for a put */
    /* The change is made only if the key has this mod revision; 0: does not exist (so that a delete
     * with 0 is always refused). */
    uint64_t expected;
    /* For a put: the key is deleted after this time; 0: never.  Only shared stores implement it. */
    int64_t ttl_s;
    void *attachment; /* opaque, passed on in the event */
    /* Called once, on the store's thread; must not block or call the store, except to submit; may
     * free |txn|. */
    void (*done)(lw_store_txn *txn);
    void *arg;

    lw_status st; /* LW_OK: durable.  LW_ERR_CONFLICT: not as expected.  LW_ERR_IO, _LIMIT, _NOMEM,
                     _UNAVAILABLE, _NO_SPACE, _STOPPED: nothing was changed.  LW_ERR_TIMEOUT (shared
                     stores only): unknown whether it was changed */
    uint64_t revision; /* LW_OK: of this change; LW_ERR_CONFLICT: the key's mod revision, 0: it does
                          not exist */
    lw_error err;      /* details if |st| is any other error */
    lw_dlist_node link; /* used by the store while the transaction is in progress; must be zeroed */
};

/* What is known of a record before its value is read.  The key is valid until the callback
 * returns. */
typedef struct lw_store_head {
    lw_str key;
    uint64_t mod_revision;
    uint32_t checksum; /* of key, revisions and value */
} lw_store_head;

/* A range of keys at a revision. */
typedef struct lw_store_range {
    lw_str start;      /* first key */
    lw_str end;        /* end of the range, exclusive; empty: no end.  See lw_store_prefix_end */
    uint64_t revision; /* 0: the latest */
    size_t limit;      /* maximum number of records to report; 0: no limit */
    bool is_counting;  /* count the records beyond the limit */
    /* Asked before a value is read: true if the caller has it already, so that the record is not
     * reported.  The rules are those of lw_store_record_fn, whose argument it gets.  A store need
     * not ask, and one without checksums never does (lw_store_has_checksums).  NULL: report all. */
    bool (*has)(const lw_store_head *head, void *arg);
} lw_store_range;

typedef struct lw_store_range_result {
    uint64_t revision; /* the revision that was read */
    bool has_more;     /* there are records beyond the limit */
    size_t remaining;  /* their number, if they were counted */
} lw_store_range_result;

/* Any status but LW_OK ends the read and is returned.  Must not call the store. */
typedef lw_status (*lw_store_record_fn)(const lw_store_record *record, void *arg, lw_error *err);

/* Receives changes.  All calls come from one thread, one after the other, and must not block for
 * long nor call the store, because its writer waits. */
typedef struct lw_store_sink {
    /* |count| changes in the order of their revisions, without gaps; everything up to and including
     * |revision| has now been delivered.  |count| may be 0: only the revision has advanced. */
    void (*on_events)(const lw_store_event *events, size_t count, uint64_t revision, void *arg);
    /* The history up to and including |revision| has been compacted.  May be NULL. */
    void (*on_compacted)(uint64_t revision, void *arg);
    /* The watch has ended because of |err| and makes no more calls.  May be NULL. */
    void (*on_end)(const lw_error *err, void *arg);
    void *arg;
} lw_store_sink;

typedef struct lw_store_watch lw_store_watch;

/* A request to confirm that all changes have been delivered to the watches; see
 * lw_store_confirm. */
typedef struct lw_store_confirmation lw_store_confirmation;
struct lw_store_confirmation {
    /* Called once; rules as for lw_store_txn.done. */
    void (*done)(lw_store_confirmation *confirmation);
    void *arg;

    lw_status st;      /* LW_OK, LW_ERR_UNAVAILABLE, LW_ERR_TIMEOUT, LW_ERR_STOPPED */
    uint64_t revision; /* LW_OK: the store's revision, which has been delivered to every watch */
    lw_error err;
    lw_dlist_node link;  /* used by the store; must be zeroed */
    int64_t deadline_ns; /* used by the store */
};

/* How a store is; see lw_store_check_condition. */
typedef struct lw_store_condition {
    bool is_failing; /* the last commit failed, or the file was removed or replaced */
    bool is_damaged; /* damaged data was read since the store was opened */
    bool is_full;    /* writes that need more space are refused */
    uint64_t used;   /* bytes that count for the limit */
    uint64_t limit;  /* 0: none */
    uint64_t keys;   /* number of keys that exist */
    char why[256];   /* what is wrong; "": nothing */
} lw_store_condition;

/* The operations of a backend.  Any thread may call them; thread rules of the callbacks as
 * above. */
typedef struct lw_store_ops {
    lw_status (*submit)(lw_store *store, lw_store_txn *txn);
    void (*hold)(lw_store *store, bool is_held); /* NULL: nothing waits */
    lw_status (*range)(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                       void *arg, lw_store_range_result *result, lw_error *err);
    lw_status (*watch)(lw_store *store, lw_str prefix, uint64_t after, const lw_store_sink *sink,
                       lw_store_watch **out, lw_error *err);
    void (*unwatch)(lw_store *store, lw_store_watch *watch);
    lw_status (*compact)(lw_store *store, uint64_t revision, lw_error *err);
    void (*revisions)(lw_store *store, uint64_t *current, uint64_t *compacted);
    size_t (*bytes)(lw_store *store); /* size of the store on disk or in memory */
    /* NULL: no other process writes to the store, so the watches are always up to date. */
    lw_status (*confirm)(lw_store *store, lw_store_confirmation *confirmation);
    void (*free)(lw_store *store);
    bool has_checksums; /* see lw_store_has_checksums */
    /* NULL: nothing is known, nothing is wrong. */
    void (*condition)(lw_store *store, lw_store_condition *condition);
    /* NULL: not supported. */
    lw_status (*backup)(lw_store *store, int fd, const atomic_bool *is_cancelled, lw_error *err);
} lw_store_ops;

/* The first member of every backend's struct. */
struct lw_store {
    const lw_store_ops *ops;
};

/* Passes |txn| to the writer and returns without waiting; never calls |done| itself.  After an
 * error, |done| will not be called: LW_ERR_TOO_MANY (the queue is full), LW_ERR_LIMIT (key or value
 * too large), LW_ERR_INVALID (not a key of this store), LW_ERR_NOMEM, LW_ERR_STOPPED. */
lw_status lw_store_submit(lw_store *store, lw_store_txn *txn);

/* While the store is held, submitted transactions wait, as many as one commit takes: those that are
 * submitted one after the other become durable at once, which saves a commit of the first one
 * alone.  One thread at a time holds a store, shortly. */
void lw_store_hold(lw_store *store, bool is_held);

/* Submits |txn| and waits.  Returns txn->st or the error of the submit; overwrites ->done and
 * ->arg. Not on the store's thread. */
lw_status lw_store_commit(lw_store *store, lw_store_txn *txn);

/* Reads the keys of |range|, sorted by bytes.  May wait for a disk or a network, but never for a
 * writer.
 * LW_ERR_EXPIRED: the revision is before the compacted one (which itself can still be read).
 * LW_ERR_TOO_LARGE_RV: it is in the future.  LW_ERR_IO, LW_ERR_NOMEM, or the status that |fn|
 * returned. */
lw_status lw_store_read(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err);

/* Appends the value of |key| at |revision| (0: the latest) to |value|; the views of key and value
 * in |record| are left empty.  LW_ERR_NOT_FOUND, and the errors of lw_store_read. */
lw_status lw_store_get(lw_store *store, lw_str key, uint64_t revision, lw_buf *value,
                       lw_store_record *record, lw_error *err);

/* Watches the keys that begin with |prefix|, starting with the first change after revision |after|:
 * first past changes, then each new one as it is committed.  |sink| is copied.  |after| may be in
 * the future.  New changes wait while past ones are delivered. LW_ERR_EXPIRED: |after| is before
 * the compacted revision.  LW_ERR_TOO_MANY, LW_ERR_NOMEM. */
lw_status lw_store_watch_open(lw_store *store, lw_str prefix, uint64_t after,
                              const lw_store_sink *sink, lw_store_watch **out, lw_error *err);

/* Ends the watch; when this returns, none of its callbacks is running.  Not from a callback.  NULL
 * does nothing. */
void lw_store_watch_close(lw_store *store, lw_store_watch *watch);

/* Compacts the history before |revision| and waits until that is done; not on the store's thread.
 * Space is freed in the background.  LW_ERR_TOO_LARGE_RV: |revision| is in the future; if it is
 * already compacted, LW_OK is returned.  LW_ERR_IO, LW_ERR_STOPPED. */
lw_status lw_store_compact(lw_store *store, uint64_t revision, lw_error *err);

/* Gets the revision of the last change (0: none) and the compacted revision. */
void lw_store_revisions(lw_store *store, uint64_t *current, uint64_t *compacted);

/* True if other processes may write to the store.  The watches may then be behind; a caller that
 * needs the latest state calls lw_store_confirm first. */
bool lw_store_is_shared(const lw_store *store);

/* True if the store keeps a checksum with each record, and shows it (lw_store_range.has), and if
 * its values may be kept elsewhere on the same disk as they are.  False for encrypted stores. */
bool lw_store_has_checksums(const lw_store *store);

/* Calls |done| when all changes that were committed by anyone before this call have been delivered
 * to the watches; for shared stores.  Any thread.  After an error, |done| will not be called:
 * LW_ERR_TOO_MANY, LW_ERR_STOPPED. */
lw_status lw_store_confirm(lw_store *store, lw_store_confirmation *confirmation);

/* Returns the size of the store in bytes, on disk or in memory. */
size_t lw_store_bytes(lw_store *store);

/* Gets the condition of the store.  Does not wait for writes. */
void lw_store_check_condition(lw_store *store, lw_store_condition *condition);

/* Writes a backup of the store as of one revision to the file |fd| (format: lmdb/backup.h).  Takes
 * as long as it takes to read and write everything; meanwhile the store is used as always.  Ends
 * early (LW_ERR_STOPPED) when |is_cancelled| (may be NULL) becomes true.
 * LW_ERR_UNSUPPORTED: not a store in a file; LW_ERR_IO, LW_ERR_INVALID (damaged), LW_ERR_NOMEM. */
lw_status lw_store_backup(lw_store *store, int fd, const atomic_bool *is_cancelled, lw_error *err);

/* Finishes the submitted transactions, ends the watches (LW_ERR_STOPPED) and frees them, and closes
 * the store.  No other thread may be using it.  NULL does nothing. */
void lw_store_free(lw_store *store);

/* Sets |*end| (stored in |storage|, which has room for prefix.len bytes) to the first key after all
 * that begin with |prefix|; empty if there is no such key. */
void lw_store_prefix_end(lw_str prefix, char *storage, lw_str *end);

#endif
