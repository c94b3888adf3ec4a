/* SPDX-License-Identifier: Apache-2.0 */
/* error_map.h -- what a failed answer means: which error it is, and what may be done about it. */
#ifndef LW_ETCD_ERROR_MAP_H
#define LW_ETCD_ERROR_MAP_H

#include "etcd/grpc_stream.h"

typedef struct lw_etcd_error {
    lw_error err;      /* names the member and the method */
    bool may_go_later; /* another try, or another member, may answer */
    bool is_not_done;  /* it is certain that nothing was changed */
    bool is_not_begun; /* ... and that the same may be asked again elsewhere */
    bool moves_on;     /* this member should be left */
    bool wants_token;  /* a fresh token may help */
} lw_etcd_error;

/* Judges |end|, which is not LW_GRPC_OK, of |method| ("Range") at |url|. */
void lw_etcd_map_error(lw_etcd_error *out, const lw_grpc_end *end, const char *url,
                       const char *method);

/* The same of a |reason| that etcd gives in words alone, when it cancels a watch. */
void lw_etcd_map_error_reason(lw_etcd_error *out, const char *reason, const char *url,
                              const char *method);

#endif
