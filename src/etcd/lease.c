/* SPDX-License-Identifier: Apache-2.0 */
/* lease.c -- grants, renews and revokes leases. */
#include "etcd/call.h"
#include "etcd/messages.h"

static void deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                    const LwEtcd__ResponseHeader *header, int64_t id, int64_t ttl_s)
{
    lw_etcd_lease_answer answer = { .base = *base, .id = id, .ttl_s = ttl_s };
    if (header)
        answer.base.revision = lw_etcd__revision_of(header);
    call->asker.lease(&answer, call->arg);
}

static void grant_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                          const ProtobufCMessage *message)
{
    static const LwEtcd__LeaseGrantResponse none = LW_ETCD__LEASE_GRANT_RESPONSE__INIT;
    const LwEtcd__LeaseGrantResponse *reply = message ? (const void *)message : &none;
    deliver(call, base, reply->header, reply->id, reply->ttl);
}

lw_status lw_etcd_lease_grant(lw_etcd *etcd, int64_t ttl_s, lw_etcd_lease_fn fn, void *arg,
                              lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "LeaseGrant",
        .path = "/etcdserverpb.Lease/LeaseGrant",
        .reply = &lw_etcd__lease_grant_response__descriptor,
        .is_write = true,
        .deliver = grant_deliver,
    };
    LwEtcd__LeaseGrantRequest message = LW_ETCD__LEASE_GRANT_REQUEST__INIT;
    message.ttl = ttl_s;
    const lw_etcd_question question = {
        .method = &method, .request = &message.base, .asker = { .lease = fn }, .arg = arg
    };
    return lw_etcd__ask(etcd, &question, out);
}

static void keep_alive_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                               const ProtobufCMessage *message)
{
    static const LwEtcd__LeaseKeepAliveResponse none = LW_ETCD__LEASE_KEEP_ALIVE_RESPONSE__INIT;
    const LwEtcd__LeaseKeepAliveResponse *reply = message ? (const void *)message : &none;
    deliver(call, base, reply->header, reply->id, reply->ttl);
}

/* In etcd's API this is a stream; with a single request and its end it is handled like a unary
 * call. */
lw_status lw_etcd_lease_keep_alive(lw_etcd *etcd, int64_t id, lw_etcd_lease_fn fn, void *arg,
                                   lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "LeaseKeepAlive",
        .path = "/etcdserverpb.Lease/LeaseKeepAlive",
        .reply = &lw_etcd__lease_keep_alive_response__descriptor,
        .deliver = keep_alive_deliver,
    };
    LwEtcd__LeaseKeepAliveRequest message = LW_ETCD__LEASE_KEEP_ALIVE_REQUEST__INIT;
    message.id = id;
    const lw_etcd_question question = {
        .method = &method, .request = &message.base, .asker = { .lease = fn }, .arg = arg
    };
    return lw_etcd__ask(etcd, &question, out);
}

static void revoke_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                           const ProtobufCMessage *message)
{
    const LwEtcd__LeaseRevokeResponse *reply = (const void *)message;
    lw_etcd_answer answer = *base;
    if (reply)
        answer.revision = lw_etcd__revision_of(reply->header);
    call->asker.answer(&answer, call->arg);
}

lw_status lw_etcd_lease_revoke(lw_etcd *etcd, int64_t id, lw_etcd_answer_fn fn, void *arg,
                               lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "LeaseRevoke",
        .path = "/etcdserverpb.Lease/LeaseRevoke",
        .reply = &lw_etcd__lease_revoke_response__descriptor,
        .is_write = true,
        .deliver = revoke_deliver,
    };
    LwEtcd__LeaseRevokeRequest message = LW_ETCD__LEASE_REVOKE_REQUEST__INIT;
    message.id = id;
    const lw_etcd_question question = {
        .method = &method, .request = &message.base, .asker = { .answer = fn }, .arg = arg
    };
    return lw_etcd__ask(etcd, &question, out);
}
