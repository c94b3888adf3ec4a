/* SPDX-License-Identifier: Apache-2.0 */
/* token.c -- authenticates at etcd: exchanges user and password for a token, which is sent with
 * each call until etcd rejects it. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "etcd/call.h"

static void token_drop(lw_etcd *etcd)
{
    if (etcd->token)
        explicit_bzero(etcd->token, strlen(etcd->token));
    lw_free(etcd->token);
    etcd->token = NULL;
}

void lw_etcd__token_refused(lw_etcd *etcd, uint64_t generation)
{
    if (generation == etcd->token_generation) {
        token_drop(etcd);
        etcd->is_token_useless = false;
    }
}

static bool is_without_users(const lw_error *err)
{
    return strstr(err->message, "etcdserver: authentication is not enabled") != NULL;
}

static void token_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                          const ProtobufCMessage *message)
{
    const LwEtcd__AuthenticateResponse *reply = (const void *)message;
    lw_etcd *etcd = call->etcd;
    lw_error err = LW_ERROR_INIT;
    etcd->token_call = NULL;
    etcd->token_generation++;
    if (reply) {
        token_drop(etcd);
        etcd->token = lw_str_dup(lw_str_of(reply->token));
        if (!etcd->token)
            (void)lw_error_nomem(&err);
    } else if (is_without_users(base->err)) {
        etcd->is_token_useless = true;
    } else {
        err = *base->err;
    }
    lw_etcd__wake(etcd, err.code == LW_OK ? NULL : &err);
}

lw_status lw_etcd__token_ready(lw_etcd *etcd, lw_error *err)
{
    static const lw_etcd_method method = {
        .name = "Authenticate",
        .path = "/etcdserverpb.Auth/Authenticate",
        .reply = &lw_etcd__authenticate_response__descriptor,
        .is_tokenless = true,
        .deliver = token_deliver,
    };
    if (!etcd->user || etcd->token || etcd->is_token_useless)
        return LW_OK;
    if (etcd->token_call)
        return LW_ERR_STOPPED;
    LwEtcd__AuthenticateRequest message;
    lw_etcd__authenticate_request__init(&message);
    message.name = etcd->user;
    message.password = etcd->password;
    const lw_etcd_question question = { .method = &method, .request = &message.base };
    lw_status st = lw_etcd__ask(etcd, &question, &etcd->token_call);
    if (st < 0)
        return lw_error_set(err, st, "etcd: Authenticate: %s", lw_status_name(st));
    return LW_ERR_STOPPED;
}

void lw_etcd__token_done(lw_etcd *etcd)
{
    token_drop(etcd);
    if (etcd->password)
        explicit_bzero(etcd->password, strlen(etcd->password));
    lw_free(etcd->password);
    lw_free(etcd->user);
}
