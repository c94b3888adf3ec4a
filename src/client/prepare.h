/* SPDX-License-Identifier: Apache-2.0 */
/* prepare.h -- turns the arguments of a call into a request, for blocking and asynchronous calls.
 *
 * Does no I/O.  Each function initialises |p|; lw_prepared_done must be called also after a
 * failure.  The strings and objects of the arguments must outlive |p|. */
#ifndef LW_CLIENT_PREPARE_H
#define LW_CLIENT_PREPARE_H

#include "base/buf.h"
#include "client/client.h"

/* A request whose response is one object or a Status. */
typedef struct lw_prepared {
    const char *method;
    char *target;
    const char *accept;
    const char *content_type; /* NULL: no body */
    lw_buf text;              /* the body, if it is made here */
    lw_str body;
    int64_t timeout_ms;
} lw_prepared;

void lw_prepared_done(lw_prepared *p);

lw_status lw_prepare_get(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                         const char *name, const lw_get_options *options, lw_error *err);
lw_status lw_prepare_create(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                            const lw_object *obj, const lw_create_options *options, lw_error *err);
lw_status lw_prepare_update(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                            const lw_object *obj, const lw_update_options *options, lw_error *err);
lw_status lw_prepare_patch(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                           const char *name, lw_str patch, const lw_patch_options *options,
                           lw_error *err);
lw_status lw_prepare_apply(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                           const char *name, lw_str configuration, const lw_apply_options *options,
                           lw_error *err);
lw_status lw_prepare_delete(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                            const char *name, const lw_delete_options *options, lw_error *err);
lw_status lw_prepare_delete_collection(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                                       const lw_list_options *which,
                                       const lw_delete_options *options, lw_error *err);

#endif
