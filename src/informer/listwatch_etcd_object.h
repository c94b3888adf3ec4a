/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_object.h -- what a key of etcd is as an object. */
#ifndef LW_INFORMER_LISTWATCH_ETCD_OBJECT_H
#define LW_INFORMER_LISTWATCH_ETCD_OBJECT_H

#include <listwatch/object.h>
#include <listwatch/read_options.h>

#include "base/buf.h"
#include "etcd/etcd.h"

#define LW_ETCD_OBJECT_API_VERSION "etcd.listwatch.dev/v1"
#define LW_ETCD_OBJECT_KIND        "Entry"

enum {
    /* Bytes of one object, unless its reader says otherwise.  etcd takes values of 1.5 MiB, or of
     * what it was told; a byte takes six in JSON at worst. */
    LW_ETCD_OBJECT_MAX = 256 << 20,
};

/* The part of |prefix| that is no part of names: up to its last '/', with it. */
lw_str lw_etcd_object_directory(lw_str prefix);

/* How keys become objects. */
typedef struct lw_etcd_object_form {
    lw_str directory;      /* every key begins with it */
    bool is_metadata_only; /* apiVersion, kind and metadata */
    lw_read_options read;
} lw_etcd_object_form;

/* The object of |kv|, at |revision|.  |scratch| is used for it and may keep its memory.
 * LW_ERR_LIMIT: larger than |form| allows; LW_ERR_NOMEM. */
lw_status lw_etcd_object_make(lw_object **out, const lw_etcd_object_form *form,
                              const lw_etcd_kv *kv, uint64_t revision, lw_buf *scratch,
                              lw_error *err);

/* What is known of a key that is gone when nobody knows what it was: its name. */
lw_status lw_etcd_object_make_gone(lw_object **out, const lw_etcd_object_form *form, lw_str key,
                                   uint64_t revision, lw_buf *scratch, lw_error *err);

/* The object of a bookmark: a revision, and whether the initial events end with it. */
lw_status lw_etcd_object_make_bookmark(lw_object **out, uint64_t revision,
                                       bool is_initial_events_end, lw_error *err);

#endif
