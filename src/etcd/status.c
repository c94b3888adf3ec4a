/* SPDX-License-Identifier: Apache-2.0 */
/* status.c -- gets the status of a member, and the features of its version. */
#include "base/str.h"
#include "etcd/call.h"
#include "etcd/messages.h"

static void status_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                           const ProtobufCMessage *message)
{
    const LwEtcd__StatusResponse *reply = (const void *)message;
    lw_etcd_status_answer answer = { .base = *base };
    if (reply) {
        answer.base.revision = lw_etcd__revision_of(reply->header);
        answer.version = lw_str_of(reply->version);
        answer.db_bytes = reply->db_size < 0 ? 0 : (uint64_t)reply->db_size;
        answer.leader = reply->leader;
        answer.member = reply->header ? reply->header->member_id : 0;
    }
    call->asker.status(&answer, call->arg);
}

lw_status lw_etcd_status(lw_etcd *etcd, lw_etcd_status_fn fn, void *arg, lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "Status",
        .path = "/etcdserverpb.Maintenance/Status",
        .reply = &lw_etcd__status_response__descriptor,
        .deliver = status_deliver,
    };
    const LwEtcd__StatusRequest message = LW_ETCD__STATUS_REQUEST__INIT;
    const lw_etcd_question question = {
        .method = &method,
        .request = &message.base,
        .asker = { .status = fn },
        .arg = arg,
        .is_leaderless = true, /* a member without a leader reports that in its reply */
    };
    return lw_etcd__ask(etcd, &question, out);
}

/* Removes "3." from the front of |*version|; returns 0 if it is not a number. */
static uint64_t take_number(lw_str *version)
{
    lw_str head;
    uint64_t number = 0;
    (void)lw_str_cut(*version, '.', &head, version);
    size_t digits = 0;
    while (digits < head.len && lw_char_is_digit(head.ptr[digits]))
        digits++;
    (void)lw_str_to_uint64(lw_str_make(head.ptr, digits), &number);
    return number;
}

bool lw_etcd_version_has_progress(lw_str version)
{
    uint64_t major = take_number(&version), minor = take_number(&version);
    uint64_t patch = take_number(&version);
    if (major != 3)
        return major > 3;
    return minor > 5 || (minor == 5 && patch >= 8) || (minor == 4 && patch >= 25);
}
