/* SPDX-License-Identifier: Apache-2.0 */
/* write.c -- blocking get, create, update, patch, apply and delete. */
#include "base/str.h"
#include "client/call.h"
#include "client/prepare.h"
#include "client/request.h"

/* Sends |p|, unless preparing it has failed with |st|, and is done with it. */
static lw_status run(lw_client *client, lw_prepared *p, lw_status st, lw_object **out,
                     lw_error *err)
{
    if (st == LW_OK)
        st = lw_client__exchange(client, p, out, err);
    lw_prepared_done(p);
    return st;
}

lw_status lw_client_get(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                        const lw_get_options *options, lw_object **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_get(&p, client, gvr, ns, name, options, err);
    return run(client, &p, st, out, err);
}

lw_status lw_client_create(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const lw_create_options *options, lw_object **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_create(&p, client, gvr, obj, options, err);
    return run(client, &p, st, out, err);
}

lw_status lw_client_update(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const lw_update_options *options, lw_object **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_update(&p, client, gvr, obj, options, err);
    return run(client, &p, st, out, err);
}

lw_status lw_client_patch(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                          lw_str patch, const lw_patch_options *options, lw_object **out,
                          lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_patch(&p, client, gvr, ns, name, patch, options, err);
    return run(client, &p, st, out, err);
}

lw_status lw_client_apply(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                          lw_str configuration, const lw_apply_options *options, lw_object **out,
                          lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_apply(&p, client, gvr, ns, name, configuration, options, err);
    return run(client, &p, st, out, err);
}

lw_status lw_client_delete(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                           const lw_delete_options *options, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_delete(&p, client, gvr, ns, name, options, err);
    return run(client, &p, st, NULL, err);
}

lw_status lw_client_delete_collection(lw_client *client, lw_gvr gvr, const lw_list_options *which,
                                      const lw_delete_options *options, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_delete_collection(&p, client, gvr, which, options, err);
    return run(client, &p, st, NULL, err);
}

lw_status lw_client_show_informers(lw_client *client, const char *report, lw_error *err)
{
    char target[] = "/debug/listwatch/informers";
    const lw_prepared p = {
        .method = "POST",
        .target = target,
        .accept = lw_accept_json,
        .content_type = lw_accept_json,
        .body = lw_str_of(report),
        .timeout_ms = lw_client__timeout_ms(client, 0),
    };
    return lw_client__exchange(client, &p, NULL, err);
}
