/* SPDX-License-Identifier: Apache-2.0 */
/* request.h -- requests on the wire: paths, Accept, bodies of deletes.
 *
 * Does no I/O.  Functions that append report failures in buf->st. */
#ifndef LW_CLIENT_REQUEST_H
#define LW_CLIENT_REQUEST_H

#include <listwatch/client.h>

#include "base/buf.h"
#include "object/gvk.h"

enum {
    LW_REQUEST_TARGET_MAX = 64 * 1024, /* bytes of path and query; servers accept less */
};

/* Values of Accept. */
extern const char lw_accept_json[];
extern const char lw_accept_protobuf[]; /* otherwise JSON */
extern const char lw_accept_protobuf_watch[];
extern const char lw_accept_any[];
extern const char lw_accept_metadata[];      /* one object, also in events */
extern const char lw_accept_metadata_list[]; /* a list of them */
extern const char lw_accept_discovery[]; /* aggregated discovery, otherwise the older documents */

/* Append the path and query of a list or a watch.  Only parameters that are set are sent, in
 * alphabetical order like in client-go.  LW_ERR_INVALID: the path is invalid; otherwise buf->st. */
lw_status lw_request_append_list(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                 lw_error *err);
lw_status lw_request_append_watch(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                  lw_error *err);

/* Appends the path of one object, or of the collection if the name is empty.  Errors as above. */
lw_status lw_request_append_path(lw_buf *buf, const lw_api_path *path, lw_error *err);

/* Appends ?name=value, or &name=value if |*has_query|, and sets |*has_query|; appends nothing for
 * an empty value. */
void lw_request_append_query(lw_buf *buf, bool *has_query, const char *name, lw_str value);

/* Returns the failure of |buf|, which is a target. */
lw_status lw_request_target_status(const lw_buf *buf, lw_error *err);

/* Appends |options| as DeleteOptions; appends nothing if all are defaults. */
void lw_request_append_delete_options(lw_buf *buf, const lw_delete_options *options);

/* Appends the JSON of |obj| with apiVersion and kind, which items of typed lists have only in their
 * list. */
void lw_request_append_object(lw_buf *buf, const lw_object *obj);

/* Returns the Content-Type of |type|; NULL for an unknown type. */
const char *lw_patch_content_type(lw_patch_type type);

#endif
