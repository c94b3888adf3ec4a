/* SPDX-License-Identifier: Apache-2.0 */
/* raw.h -- starts a raw request in a session, for blocking and asynchronous calls. */
#ifndef LW_CLIENT_RAW_H
#define LW_CLIENT_RAW_H

#include "client/session_internal.h"

/* The callbacks of a raw request; on_bytes is called only if the options have one. */
typedef struct lw_raw_sink {
    lw_bytes_fn on_bytes;
    lw_session_reply_fn on_reply;
    void (*on_fail)(const lw_error *err, void *arg);
    void *arg;
} lw_raw_sink;

/* As lw_client_raw, but does not wait. */
lw_status lw_raw__start(lw_session *session, const char *method, const char *path,
                        const lw_raw_options *options, const lw_raw_sink *sink,
                        lw_session_call **out, lw_error *err);

#endif
