/* SPDX-License-Identifier: Apache-2.0 */
/* kv.c -- reads, guarded writes, compaction. */
#include "etcd/messages.h"

#include "base/error.h"
#include "etcd/call.h"

/* Converts a number that etcd sends as signed but that is never negative. */
static uint64_t unsigned_of(int64_t number)
{
    return number < 0 ? 0 : (uint64_t)number;
}

lw_etcd_kv lw_etcd__kv_of(const LwEtcd__KeyValue *kv)
{
    lw_etcd_kv out = { .lease = 0 };
    if (!kv)
        return out;
    out.key = lw_etcd_view_of(kv->key);
    out.value = lw_etcd_view_of(kv->value);
    out.create_revision = unsigned_of(kv->create_revision);
    out.mod_revision = unsigned_of(kv->mod_revision);
    out.version = unsigned_of(kv->version);
    out.lease = kv->lease;
    return out;
}

uint64_t lw_etcd__revision_of(const LwEtcd__ResponseHeader *header)
{
    return header ? unsigned_of(header->revision) : 0;
}

static void range_finish(lw_etcd_call *call, const lw_error *err, bool is_unknown)
{
    const lw_etcd_range_answer answer = { .base = { .err = err, .is_unknown = is_unknown } };
    call->asker.range(&answer, call->arg);
}

static void range_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                          const ProtobufCMessage *message)
{
    const LwEtcd__RangeResponse *reply = (const void *)message;
    if (!reply) {
        range_finish(call, base->err, base->is_unknown);
        return;
    }
    lw_etcd_range_answer answer = { .base = *base };
    lw_etcd_kv *kvs = NULL;
    call->arena.limit = LW_ETCD_DECODED_MAX;
    if (reply->n_kvs > 0)
        kvs = lw_arena_take(&call->arena, reply->n_kvs * sizeof(*kvs));
    if (reply->n_kvs > 0 && !kvs) {
        lw_error err = LW_ERROR_INIT;
        (void)lw_error_nomem(&err);
        range_finish(call, &err, false);
        return;
    }
    for (size_t i = 0; i < reply->n_kvs; i++)
        kvs[i] = lw_etcd__kv_of(reply->kvs[i]);
    answer.base.revision = lw_etcd__revision_of(reply->header);
    answer.kvs = kvs;
    answer.count = reply->n_kvs;
    answer.has_more = reply->more;
    answer.total = unsigned_of(reply->count);
    call->asker.range(&answer, call->arg);
}

lw_status lw_etcd_range(lw_etcd *etcd, const lw_etcd_range_request *request, lw_etcd_range_fn fn,
                        void *arg, lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "Range",
        .path = "/etcdserverpb.KV/Range",
        .reply = &lw_etcd__range_response__descriptor,
        .deliver = range_deliver,
    };
    LwEtcd__RangeRequest message = LW_ETCD__RANGE_REQUEST__INIT;
    message.key = lw_etcd_bytes_of(request->key);
    message.range_end = lw_etcd_bytes_of(request->end);
    message.limit = (int64_t)request->limit;
    message.revision = (int64_t)request->revision;
    message.serializable = request->is_serializable;
    message.keys_only = request->is_keys_only;
    message.count_only = request->is_count_only;
    const lw_etcd_question question = {
        .method = &method,
        .request = &message.base,
        .asker = { .range = fn },
        .arg = arg,
        .is_leaderless = request->is_serializable,
    };
    return lw_etcd__ask(etcd, &question, out);
}

static void txn_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                        const ProtobufCMessage *message)
{
    const LwEtcd__TxnResponse *reply = (const void *)message;
    lw_etcd_txn_answer answer = { .base = *base };
    lw_etcd_kv kv;
    if (reply) {
        const LwEtcd__ResponseOp *op = reply->n_responses > 0 ? reply->responses[0] : NULL;
        answer.base.revision = lw_etcd__revision_of(reply->header);
        answer.is_done = reply->succeeded;
        if (call->is_unguarded_delete)
            answer.is_done =
                op && op->response_case == LW_ETCD__RESPONSE_OP__RESPONSE_RESPONSE_DELETE_RANGE &&
                op->response_delete_range->deleted > 0;
        else if (!reply->succeeded && op &&
                 op->response_case == LW_ETCD__RESPONSE_OP__RESPONSE_RESPONSE_RANGE &&
                 op->response_range->n_kvs > 0) {
            kv = lw_etcd__kv_of(op->response_range->kvs[0]);
            answer.kv = &kv;
        }
    }
    call->asker.txn(&answer, call->arg);
}

/* Sets |compare| to the guard of |request|. */
static void fill_guard(LwEtcd__Compare *compare, const lw_etcd_txn_request *request)
{
    compare->key = lw_etcd_bytes_of(request->key);
    compare->result = LW_ETCD__COMPARE__RESULT__EQUAL;
    if (request->is_version_guarded) {
        compare->target = LW_ETCD__COMPARE__TARGET__VERSION;
        compare->target_union_case = LW_ETCD__COMPARE__TARGET_UNION_VERSION;
        compare->version = (int64_t)request->expected;
    } else {
        compare->target = LW_ETCD__COMPARE__TARGET__MOD;
        compare->target_union_case = LW_ETCD__COMPARE__TARGET_UNION_MOD_REVISION;
        compare->mod_revision = (int64_t)request->expected;
    }
}

/* Sets |op| to the change of |request|; it then points to |put| or |del|. */
static void fill_change(LwEtcd__RequestOp *op, LwEtcd__PutRequest *put,
                        LwEtcd__DeleteRangeRequest *del, const lw_etcd_txn_request *request)
{
    put->key = del->key = lw_etcd_bytes_of(request->key);
    put->value = lw_etcd_bytes_of(request->value);
    put->lease = request->lease;
    if (request->op == LW_ETCD_PUT) {
        op->request_case = LW_ETCD__REQUEST_OP__REQUEST_REQUEST_PUT;
        op->request_put = put;
    } else {
        op->request_case = LW_ETCD__REQUEST_OP__REQUEST_REQUEST_DELETE_RANGE;
        op->request_delete_range = del;
    }
}

lw_status lw_etcd_txn(lw_etcd *etcd, const lw_etcd_txn_request *request, lw_etcd_txn_fn fn,
                      void *arg, lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "Txn",
        .path = "/etcdserverpb.KV/Txn",
        .reply = &lw_etcd__txn_response__descriptor,
        .is_write = true,
        .deliver = txn_deliver,
    };
    LwEtcd__PutRequest put = LW_ETCD__PUT_REQUEST__INIT;
    LwEtcd__DeleteRangeRequest del = LW_ETCD__DELETE_RANGE_REQUEST__INIT;
    LwEtcd__RangeRequest range = LW_ETCD__RANGE_REQUEST__INIT;
    LwEtcd__RequestOp success = LW_ETCD__REQUEST_OP__INIT, failure = LW_ETCD__REQUEST_OP__INIT;
    LwEtcd__Compare compare = LW_ETCD__COMPARE__INIT;
    LwEtcd__TxnRequest message = LW_ETCD__TXN_REQUEST__INIT;
    LwEtcd__RequestOp *successes[] = { &success }, *failures[] = { &failure };
    LwEtcd__Compare *compares[] = { &compare };

    range.key = lw_etcd_bytes_of(request->key);
    fill_change(&success, &put, &del, request);
    message.success = successes;
    message.n_success = 1;
    if (!request->is_unguarded) {
        fill_guard(&compare, request);
        failure.request_case = LW_ETCD__REQUEST_OP__REQUEST_REQUEST_RANGE;
        failure.request_range = &range;
        message.compare = compares;
        message.failure = failures;
        message.n_compare = message.n_failure = 1;
    }
    const lw_etcd_question question = {
        .method = &method,
        .request = &message.base,
        .timeout_ms = request->timeout_ms,
        .asker = { .txn = fn },
        .arg = arg,
        .is_unguarded_delete = request->is_unguarded && request->op == LW_ETCD_DELETE,
    };
    return lw_etcd__ask(etcd, &question, out);
}

static void compact_deliver(lw_etcd_call *call, const lw_etcd_answer *base,
                            const ProtobufCMessage *message)
{
    const LwEtcd__CompactionResponse *reply = (const void *)message;
    lw_etcd_answer answer = *base;
    if (reply)
        answer.revision = lw_etcd__revision_of(reply->header);
    call->asker.answer(&answer, call->arg);
}

lw_status lw_etcd_compact(lw_etcd *etcd, uint64_t revision, lw_etcd_answer_fn fn, void *arg,
                          lw_etcd_call **out)
{
    static const lw_etcd_method method = {
        .name = "Compact",
        .path = "/etcdserverpb.KV/Compact",
        .reply = &lw_etcd__compaction_response__descriptor,
        .is_write = true,
        .deliver = compact_deliver,
    };
    LwEtcd__CompactionRequest message = LW_ETCD__COMPACTION_REQUEST__INIT;
    message.revision = (int64_t)revision;
    const lw_etcd_question question = {
        .method = &method, .request = &message.base, .asker = { .answer = fn }, .arg = arg
    };
    return lw_etcd__ask(etcd, &question, out);
}
