/* SPDX-License-Identifier: Apache-2.0 */
/* state_file.h -- a saved cache: a file with the objects of a resource and the resourceVersion up
 * to which they are complete.  Informers and mirrors use it.
 *
 *   "LWSTATE\n"  version (u32)  checksum (u32: CRC-32C of the
 *   bytes after the head, then of the rest of the head)
 *   saved at (i64, seconds since 1970)  objects (u64)  identity, cluster, resourceVersion, body
 * (u64 each: their lengths)  and then their bytes; the body has the objects as they are in memory,
 * packed or not (object/saved)
 *
 * Numbers are little-endian.  The identity says what the objects are: a file with another identity
 * is not read.  The file is replaced in one step and readable only by its owner: it may contain
 * Secrets. */
#ifndef LW_STATE_STATE_FILE_H
#define LW_STATE_STATE_FILE_H

#include <listwatch/object.h>
#include <listwatch/str.h>

#include "object/saved/saved.h"

enum {
    /* 1: the body was a list in JSON; 2: bodies were not compared with their siblings in order */
    LW_STATE_VERSION = 3,
    LW_STATE_HEAD = 64,            /* bytes before the identity */
    LW_STATE_IDENTITY_MAX = 65536, /* bytes */
    LW_STATE_RV_MAX = 127,         /* bytes */
    LW_STATE_CLUSTER_MAX = 127,    /* bytes */
};

#define LW_STATE_BYTES_MAX (UINT64_C(4) << 30) /* of a file */

typedef struct lw_state_facts {
    lw_str identity;
    lw_str resource_version;
    lw_str cluster;  /* what distinguishes clusters with the same identity; empty: not known */
    int64_t saved_s; /* seconds since 1970 */
} lw_state_facts;

/* The objects of one moment, which do not change any more. */
typedef struct lw_state_objects {
    size_t count;
    /* Returns the object number |index|, borrowed; called once for each, in order.  NULL: only with
     * |end|. */
    const lw_object *(*at)(void *arg, size_t index);
    void (*free)(void *arg); /* on any thread; for lw_state_dir_save_take */
    void *arg;
    /* Returns the note of the object that was returned last (lw_saved_writer_note).  NULL: there
     * are none. */
    uint32_t (*note)(void *arg);
    /* Asked when |at| has returned NULL: LW_OK if there are fewer objects than |count|, or why
     * nothing is to be saved. */
    lw_status (*end)(void *arg, lw_error *err);
} lw_state_objects;

/* Writes |objects| to |path|, by way of "PATH.new".  May take long: not in an event loop.
 * LW_ERR_IO, LW_ERR_LIMIT (larger than LW_STATE_BYTES_MAX), LW_ERR_NOMEM, or the error
 * of |objects|: the old file is kept. */
lw_status lw_state_file_write(const char *path, const lw_state_facts *facts,
                              const lw_state_objects *objects, lw_error *err);

/* What a file says besides its objects. */
typedef struct lw_state {
    char resource_version[LW_STATE_RV_MAX + 1]; /* not empty */
    char cluster[LW_STATE_CLUSTER_MAX + 1];
    int64_t saved_s;
    lw_compact *packer; /* see lw_saved_read: to be closed; may be NULL */
} lw_state;

/* Read a file, or its bytes, if its identity is |identity|.  What |sink| has got is not valid if
 * the reading fails.  LW_ERR_NOT_FOUND (there is none),
 * LW_ERR_INVALID (damaged, of another version or of another identity; the message says which),
 * LW_ERR_LIMIT, LW_ERR_IO, LW_ERR_NOMEM, or an error of |sink|. */
lw_status lw_state_file_read(const char *path, lw_str identity, const lw_saved_sink *sink,
                             lw_state *out, lw_error *err);
lw_status lw_state_parse(lw_str bytes, lw_str identity, const lw_saved_sink *sink, lw_state *out,
                         lw_error *err);

#endif
