/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_object.h -- converts a key of etcd to an object. */
#ifndef LW_INFORMER_ETCD_LISTWATCH_ETCD_OBJECT_H
#define LW_INFORMER_ETCD_LISTWATCH_ETCD_OBJECT_H

#include <listwatch/object.h>
#include <listwatch/read_options.h>

#include "base/buf.h"
#include "etcd/etcd.h"

#define LW_ETCD_OBJECT_API_VERSION "etcd.listwatch.dev/v1"
#define LW_ETCD_OBJECT_KIND        "Entry"

enum {
    /* Bytes of one object, unless the reader sets a limit. etcd accepts values of 1.5 MiB by
     * default; a byte needs at most six bytes in JSON. */
    LW_ETCD_OBJECT_MAX = 256 << 20,
};

/* Returns the part of |prefix| that does not belong to names: up to and including the last '/'. */
lw_str lw_etcd_object_directory(lw_str prefix);

/* How keys are converted to objects. */
typedef struct lw_etcd_object_form {
    lw_str directory;      /* every key begins with it */
    bool is_metadata_only; /* only apiVersion, kind and metadata */
    lw_read_options read;
} lw_etcd_object_form;

/* Makes the object of |kv| at |revision|.  |scratch| is a buffer that may keep its memory.
 * LW_ERR_LIMIT: larger than |form| allows; LW_ERR_NOMEM. */
lw_status lw_etcd_object_make(lw_object **out, const lw_etcd_object_form *form,
                              const lw_etcd_kv *kv, uint64_t revision, lw_buf *scratch,
                              lw_error *err);

/* Makes the object of a deleted key whose previous value is unknown: it has only a name. */
lw_status lw_etcd_object_make_gone(lw_object **out, const lw_etcd_object_form *form, lw_str key,
                                   uint64_t revision, lw_buf *scratch, lw_error *err);

/* Makes the object of a bookmark: a revision, and whether it ends the initial events. */
lw_status lw_etcd_object_make_bookmark(lw_object **out, uint64_t revision,
                                       bool is_initial_events_end, lw_error *err);

#endif
