/* SPDX-License-Identifier: Apache-2.0 */
/* serving_tls.h -- the certificate that the server shows its clients.  When its file or that of its
 * key has changed, both are read again, and new connections use them.
 *
 * A pair that is not valid, such as a new certificate whose key is still to be written, is logged,
 * and the previous one stays in use. */
#ifndef LW_SERVER_CORE_SERVING_TLS_H
#define LW_SERVER_CORE_SERVING_TLS_H

#include <listwatch/log.h>

#include "base/file/file_mark.h"
#include "net/loop.h"
#include "net/tls/tls.h"

enum {
    LW_SERVING_TLS_CHECK_S = 1, /* between looks at the files */
};

/* Must be zeroed. */
typedef struct lw_serving_tls {
    lw_tls_context *context; /* NULL: there is none */
    char *cert_file, *key_file;
    lw_file_mark cert, key;
    lw_loop *loop;
    lw_timer timer;
    const lw_logger *logger;
} lw_serving_tls;

/* Reads |files|, and looks at them again on |loop| (NULL: never), which does not run yet.  The
 * errors of lw_tls_context_new. */
LW_MUST_CHECK lw_status lw_serving_tls_open(lw_serving_tls *serving, const lw_tls_options *files,
                                            lw_loop *loop, const lw_logger *logger, lw_error *err);

/* The loop does not run any more. */
void lw_serving_tls_done(lw_serving_tls *serving);

#endif
