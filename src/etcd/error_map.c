/* SPDX-License-Identifier: Apache-2.0 */
/* error_map.c -- classifies failed replies.
 *
 * etcd's own errors are recognized by their text, as etcd's client does; all others by the gRPC
 * code.  A failed write is known not to have been executed only if etcd rejected it or failed
 * before it began. */
#include "etcd/error_map.h"

#include <string.h>

#include "base/error.h"

typedef struct meaning {
    lw_status st;
    bool may_go_later, is_not_done, is_not_begun, moves_on, wants_token;
} meaning;

typedef struct etcd_error {
    const char *text;
    const char *advice; /* may be NULL */
    meaning meaning;
} etcd_error;

#define REFUSED(status)                                                                            \
    {                                                                                              \
        .st = (status), .is_not_done = true                                                        \
    }
#define BAD_TOKEN                                                                                  \
    {                                                                                              \
        .st = LW_ERR_UNAUTHORIZED, .is_not_done = true, .wants_token = true                        \
    }
#define NOT_HERE                                                                                   \
    {                                                                                              \
        .st = LW_ERR_UNAVAILABLE, .may_go_later = true, .is_not_done = true, .is_not_begun = true, \
        .moves_on = true                                                                           \
    }

static const etcd_error etcd_errors[] = {
    { "etcdserver: mvcc: required revision has been compacted", NULL, REFUSED(LW_ERR_EXPIRED) },
    { "etcdserver: mvcc: required revision is a future revision", NULL,
      REFUSED(LW_ERR_TOO_LARGE_RV) },
    { "etcdserver: mvcc: database space exceeded",
      "compact and defragment etcd, then disarm the alarm", REFUSED(LW_ERR_LIMIT) },
    { "etcdserver: request is too large", "raise etcd's --max-request-bytes",
      REFUSED(LW_ERR_LIMIT) },
    { "etcdserver: too many requests", NULL, REFUSED(LW_ERR_TOO_MANY) },
    { "etcdserver: requested lease not found", NULL, REFUSED(LW_ERR_NOT_FOUND) },
    { "etcdserver: invalid auth token", NULL, BAD_TOKEN },
    { "etcdserver: revision of auth store is old", NULL, BAD_TOKEN },
    { "etcdserver: user name is empty",
      "etcd requires authentication: set a user and password (--etcd-user)",
      REFUSED(LW_ERR_UNAUTHORIZED) },
    { "etcdserver: authentication failed, invalid user ID or password", NULL,
      REFUSED(LW_ERR_UNAUTHORIZED) },
    { "etcdserver: permission denied", NULL, REFUSED(LW_ERR_FORBIDDEN) },
    { "etcdserver: no leader", NULL, NOT_HERE },
    { "etcdserver: rpc not supported for learner", NULL, NOT_HERE },
};

static meaning meaning_of_code(lw_grpc_code code)
{
    switch (code) {
    case LW_GRPC_INVALID_ARGUMENT:
    case LW_GRPC_FAILED_PRECONDITION:
    case LW_GRPC_OUT_OF_RANGE: return (meaning)REFUSED(LW_ERR_INVALID);
    case LW_GRPC_NOT_FOUND: return (meaning)REFUSED(LW_ERR_NOT_FOUND);
    case LW_GRPC_ALREADY_EXISTS: return (meaning)REFUSED(LW_ERR_EXISTS);
    case LW_GRPC_PERMISSION_DENIED: return (meaning)REFUSED(LW_ERR_FORBIDDEN);
    case LW_GRPC_RESOURCE_EXHAUSTED: return (meaning)REFUSED(LW_ERR_LIMIT);
    case LW_GRPC_UNIMPLEMENTED: return (meaning)REFUSED(LW_ERR_INTERNAL);
    case LW_GRPC_UNAUTHENTICATED: return (meaning)BAD_TOKEN;
    case LW_GRPC_DEADLINE_EXCEEDED: return (meaning){ .st = LW_ERR_TIMEOUT, .may_go_later = true };
    case LW_GRPC_CANCELLED: return (meaning){ .st = LW_ERR_UNAVAILABLE, .may_go_later = true };
    case LW_GRPC_UNAVAILABLE:
        return (meaning){ .st = LW_ERR_UNAVAILABLE, .may_go_later = true, .moves_on = true };
    default: return (meaning){ .st = LW_ERR_INTERNAL };
    }
}

/* The stream ended without a gRPC status. */
static meaning meaning_of_cut(const lw_grpc_end *end)
{
    meaning m = { .st = end->st };
    m.may_go_later = end->st == LW_ERR_UNAVAILABLE;
    m.is_not_begun = end->is_unseen;
    m.is_not_done = end->is_unseen || end->st == LW_ERR_UNAUTHORIZED || end->st == LW_ERR_FORBIDDEN;
    return m;
}

static const etcd_error *find_error(const char *text)
{
    for (size_t i = 0; i < sizeof(etcd_errors) / sizeof(etcd_errors[0]); i++) {
        if (strcmp(text, etcd_errors[i].text) == 0)
            return &etcd_errors[i];
    }
    return NULL;
}

static void set_verdict(lw_etcd_error *out, const meaning *m)
{
    *out = (lw_etcd_error){
        .err = LW_ERROR_INIT,
        .may_go_later = m->may_go_later,
        .is_not_done = m->is_not_done,
        .is_not_begun = m->is_not_begun,
        .moves_on = m->moves_on,
        .wants_token = m->wants_token,
    };
}

void lw_etcd_map_error(lw_etcd_error *out, const lw_grpc_end *end, const char *url,
                       const char *method)
{
    const etcd_error *known = end->st == LW_OK ? find_error(end->message) : NULL;
    meaning m = known              ? known->meaning
                : end->st == LW_OK ? meaning_of_code(end->code)
                                   : meaning_of_cut(end);
    set_verdict(out, &m);
    (void)lw_error_set(&out->err, m.st, "etcd at %s: %s: %s%s%s", url, method,
                       end->message[0] ? end->message : lw_grpc_code_name(end->code),
                       known && known->advice ? "; " : "",
                       known && known->advice ? known->advice : "");
}

void lw_etcd_map_error_reason(lw_etcd_error *out, const char *reason, const char *url,
                              const char *method)
{
    /* Newer versions wrap the text: "rpc error: code = PermissionDenied desc = etcdserver: ...". */
    const char *text = strstr(reason, "etcdserver: ");
    const lw_grpc_end end = { LW_OK, LW_GRPC_UNKNOWN, text ? text : reason, false };
    lw_etcd_map_error(out, &end, url, method);
}
