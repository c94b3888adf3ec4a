/* SPDX-License-Identifier: Apache-2.0 */
/* server_store.h -- the store in the data directory of a server: check, back up, restore, trim.
 *
 * The functions work on the directory, not on a running server.  lw_server_store_check,
 * lw_server_store_backup and lw_server_store_export may be used while a server runs on the
 * directory; the others return LW_ERR_IO then.  They wait for the disk; any thread may call them.
 */
#ifndef LISTWATCH_SERVER_STORE_H
#define LISTWATCH_SERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>

LW_BEGIN_DECLS

/* What a function tells while it works.  Both functions may be NULL. */
typedef struct lw_server_store_report {
    /* One line about a damaged or lost object, without a newline. */
    void (*on_line)(const char *line, void *arg);
    /* |done| records or objects so far; false cancels the work: LW_ERR_STOPPED. */
    bool (*on_progress)(uint64_t done, void *arg);
    void *arg;
} lw_server_store_report;

/* What a function has found. */
typedef struct lw_server_store_facts {
    uint64_t revision;  /* the resourceVersion of the last change */
    uint64_t compacted; /* older states cannot be read */
    uint64_t objects;   /* objects in the store, or objects that were handled */
    uint64_t records;   /* changes, with the history */
    uint64_t bytes;     /* of the file */
    uint64_t skipped;   /* import: objects that exist and were left as they are */
    uint64_t damages;   /* check: how many were reported */
} lw_server_store_facts;

/* Reads everything and checks pages, checksums, order and counts.  LW_ERR_INVALID: damaged, each
 * damage was reported with its key and page; LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_store_check(const char *data_dir,
                                                     const lw_server_store_report *report,
                                                     lw_server_store_facts *facts, lw_error *err);

/* Rewrites a damaged store with the objects that can be read, and reports those that are lost.  The
 * history is dropped, so that clients list everything again; the damaged file is kept as
 * store/data.mdb.damaged.  LW_ERR_INVALID: nothing can be read; LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_store_repair(const char *data_dir,
                                                      const lw_server_store_report *report,
                                                      lw_server_store_facts *facts, lw_error *err);

/* Writes a backup as of one revision to the descriptor |fd|.  LW_ERR_INVALID (the store is
 * damaged), LW_ERR_IO, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_server_store_backup(const char *data_dir, int fd,
                                                      const lw_server_store_report *report,
                                                      lw_server_store_facts *facts, lw_error *err);

/* Reads the backup in |fd| and checks it.  LW_ERR_INVALID: it is damaged, incomplete or not a
 * backup; LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_store_check_backup(int fd, lw_server_store_facts *facts,
                                                            lw_error *err);

/* Creates the store of |data_dir|, which has none, from the backup in |fd|, completely or not at
 * all.  LW_ERR_EXISTS: there is a store; LW_ERR_INVALID: the backup is damaged; LW_ERR_IO,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_store_restore(const char *data_dir, int fd,
                                                       lw_server_store_facts *facts, lw_error *err);

/* Rewrites the file without free pages, and in the current format.  LW_ERR_INVALID: it is damaged;
 * LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_store_compact(const char *data_dir,
                                                       lw_server_store_facts *facts, lw_error *err);

/* What to export or delete.  NULL: everything. */
typedef struct lw_server_store_selection {
    const char *prefix; /* of keys, e.g. "/registry/pods/default/" */
    const char *kind;   /* e.g. "Pod"; for exports only */
} lw_server_store_selection;

/* Receives one line without its newline; a negative status ends the export and is returned. */
typedef lw_status (*lw_server_store_line_fn)(const char *line, size_t len, void *arg);

/* Passes each object to |on_line|, sorted by key: {"key":"/registry/...","value":{...}}, or
 * "base64" instead of "value" if the value is not JSON.  LW_ERR_EXPIRED: the server compacted the
 * revision that was being read; LW_ERR_INVALID, LW_ERR_IO, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_server_store_export(const char *data_dir,
                                                      const lw_server_store_selection *selection,
                                                      lw_server_store_line_fn on_line, void *arg,
                                                      const lw_server_store_report *report,
                                                      lw_server_store_facts *facts, lw_error *err);

/* What to do with an object whose key exists with another value. */
typedef enum lw_server_store_conflict {
    LW_SERVER_STORE_FAIL, /* end the import: LW_ERR_EXISTS */
    LW_SERVER_STORE_SKIP,
    LW_SERVER_STORE_REPLACE,
} lw_server_store_conflict;

/* Returns the next line in |*line|, valid until the next call; false at the end. */
typedef bool (*lw_server_store_next_fn)(const char **line, size_t *len, void *arg);

/* Writes the objects of |next|, which are lines as lw_server_store_export makes them; the store is
 * created if there is none.  What was written before an error stays.  LW_ERR_SYNTAX,
 * LW_ERR_INVALID: a line is not such a line, the message has its number; LW_ERR_EXISTS, LW_ERR_IO,
 * LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_server_store_import(const char *data_dir,
                                                      lw_server_store_conflict conflict,
                                                      lw_server_store_next_fn next, void *arg,
                                                      const lw_server_store_report *report,
                                                      lw_server_store_facts *facts, lw_error *err);

/* Deletes the objects whose keys begin with |prefix|, without the rules of the API: finalizers and
 * owners are ignored.  LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_server_store_delete(const char *data_dir, const char *prefix,
                                                      const lw_server_store_report *report,
                                                      lw_server_store_facts *facts, lw_error *err);

LW_END_DECLS

#endif
