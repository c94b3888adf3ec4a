/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h -- bytes between a socket that does not block and its owner, through TLS where there is
 * any. */
#ifndef LW_NET_WIRE_H
#define LW_NET_WIRE_H

#include "net/conn_queue.h"
#include "net/tls_stream.h"

/* As lw_tls_stream_read; |tls| NULL: from the socket itself. */
lw_tls_result lw_wire_read(int fd, lw_tls_stream *tls, char *out, size_t cap, size_t *got);

/* Hands the first bytes of |queue|, which has some, to the system once; |*sent| of them are taken,
 * and still in the queue.  TLS gathers small pieces in |gather|, so that its records are full. */
lw_tls_result lw_wire_write(int fd, lw_tls_stream *tls, const lw_conn_queue *queue, char *gather,
                            size_t cap, size_t *sent);

#endif
