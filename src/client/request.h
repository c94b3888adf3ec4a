/* SPDX-License-Identifier: Apache-2.0 */
/* request.h -- what requests look like on the wire: targets, Accept, bodies of deletes.
 * Sans-I/O.  Writers fail by their buffer: look at buf->st. */
#ifndef LW_CLIENT_REQUEST_H
#define LW_CLIENT_REQUEST_H

#include <listwatch/client.h>

#include "base/buf.h"
#include "object/gvk.h"

enum {
    LW_REQUEST_TARGET_MAX = 64 * 1024, /* bytes of path and query; servers take less */
};

/* Media types asked for. */
extern const char lw_accept_json[];
extern const char lw_accept_metadata[];      /* one object, as events carry it */
extern const char lw_accept_metadata_list[]; /* a list of them */
extern const char lw_accept_discovery[];     /* aggregated discovery, else the documents of old */

/* Appends the path and query of a list, or of a watch.  Only what is set is asked for, in the order
 * of the alphabet, as client-go writes it.  LW_ERR_INVALID: no such path; else buf->st. */
lw_status lw_request_append_list(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                 lw_error *err);
lw_status lw_request_append_watch(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                  lw_error *err);

/* Appends the path of one object, or of the collection when it has no name. */
lw_status lw_request_append_path(lw_buf *buf, const lw_api_path *path, lw_error *err);

/* Appends ?name=value, or &name=value when |*has_query| (and sets it); nothing for an empty
 * value. */
void lw_request_append_query(lw_buf *buf, bool *has_query, const char *name, lw_str value);

/* Appends the DeleteOptions that |options| are; nothing when they say nothing. */
void lw_request_append_delete_options(lw_buf *buf, const lw_delete_options *options);

/* Appends the JSON of |obj| to be sent: with apiVersion and kind, which items of typed lists know
 * only from their list. */
void lw_request_append_object(lw_buf *buf, const lw_object *obj);

/* The Content-Type of |type|; NULL for none that is known. */
const char *lw_patch_content_type(lw_patch_type type);

#endif
