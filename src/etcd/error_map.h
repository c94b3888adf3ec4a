/* SPDX-License-Identifier: Apache-2.0 */
/* error_map.h -- classifies failed replies: the error, and whether a retry may help. */
#ifndef LW_ETCD_ERROR_MAP_H
#define LW_ETCD_ERROR_MAP_H

#include "etcd/grpc_stream.h"

typedef struct lw_etcd_error {
    lw_error err;      /* the message names the member and the method */
    bool may_go_later; /* a retry, here or at another member, may succeed */
    bool is_not_done;  /* it is certain that nothing was changed */
    bool is_not_begun; /* ... and that the request may be sent again to another member */
    bool moves_on;     /* the client should switch to another member */
    bool wants_token;  /* a new token may help */
} lw_etcd_error;

/* Classifies |end|, which is not LW_GRPC_OK, of |method| (e.g. "Range") at |url|. */
void lw_etcd_map_error(lw_etcd_error *out, const lw_grpc_end *end, const char *url,
                       const char *method);

/* Classifies the |reason| that etcd gives when it cancels a watch. */
void lw_etcd_map_error_reason(lw_etcd_error *out, const char *reason, const char *url,
                              const char *method);

#endif
