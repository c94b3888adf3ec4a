/* SPDX-License-Identifier: Apache-2.0 */
/* delete.c -- DELETE of one object. */
#include "api/write/delete.h"
#include "api/admission/node_restriction.h"
#include "api/http/body.h"
#include "api/http/warnings.h"
#include "api/pending/pending_object.h"
#include "api/write/deletion.h"
#include "api/write/verbs.h"
#include "api/write/write_call.h"
#include "api/write/write_policies.h"
#include "base/str.h"

bool lw_rest_read_delete_options(lw_api_call *call, lw_tree **body, lw_api_delete_options *options,
                                 lw_api_status *status)
{
    if (call->stream->request.body.len == 0)
        return lw_api_delete_options_from_query(options, &call->query, status);
    /* Clients write the version of whatever they delete. */
    lw_gvk gvk = { LW_STR(""), LW_STR(""), LW_STR("DeleteOptions") };
    return lw_body_read(call, gvk, body, status) &&
           lw_api_delete_options_from_tree(options, lw_tree_root(*body), status);
}

static lw_write_decision delete_decide(lw_write *write)
{
    const lw_node_restriction_request request = { write->port->api, write->user,    write->kind,
                                                  write->key,       write->current, NULL };
    if (!lw_node_restriction_admits_delete(&request, &write->status))
        return LW_WRITE_REFUSE;
    if (!lw_policies_admit_delete(write))
        return LW_WRITE_REFUSE;
    return lw_deletion_decide(write, &lw_write_call_of(write)->delete_options);
}

/* Most kinds say only that it is done. */
static void reply_success(lw_write_call *wc)
{
    lw_api_status status;
    lw_api_status_success(&status, lw_kind_gvr(wc->write.kind), wc->write.key.name,
                          lw_str_of(lw_object_uid(wc->write.current)));
    lw_write_call_refuse(wc, &status);
}

static void delete_done(lw_write *write)
{
    enum {
        OK = 200,
        ACCEPTED = 202,
    };
    lw_write_call *wc = lw_write_call_of(write);
    if (write->outcome == LW_WRITE_REFUSE) {
        lw_write_call_answer(write);
        return;
    }
    lw_write_call_removed(wc);
    bool is_gone = write->outcome == LW_WRITE_DELETE;
    if (is_gone && !(write->kind->flags & LW_KIND_DELETE_RETURNS)) {
        reply_success(wc);
        return;
    }
    int code = !is_gone && wc->delete_options.wants_accepted ? ACCEPTED : OK;
    lw_write_call_reply(wc, code, write->outcome == LW_WRITE_KEEP ? write->current : write->result);
}

void lw_rest_delete(lw_api_call *call)
{
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_rest_read_delete_options(call, &wc->body, &wc->delete_options, &status)) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    lw_warn_of_deletion(call, &wc->delete_options);
    wc->write.kind = lw_kind_stored(call->route.kind); /* only the metadata of it may change */
    wc->write.is_dry_run = wc->delete_options.is_dry_run;
    lw_write_call_start(wc, delete_decide, delete_done);
}
