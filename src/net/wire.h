/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h -- reads from and writes to a non-blocking socket, plain or with TLS. */
#ifndef LW_NET_WIRE_H
#define LW_NET_WIRE_H

#include "net/conn_queue.h"
#include "net/tls/tls_stream.h"

/* Like lw_tls_stream_read; |tls| NULL: reads from the socket itself. */
lw_tls_result lw_wire_read(int fd, lw_tls_stream *tls, char *out, size_t cap, size_t *got);

/* Writes the front of |queue|, which must not be empty, once; |*sent| bytes were accepted and are
 * still in the queue.  For TLS, small pieces are copied to |gather|, so that records are full. */
lw_tls_result lw_wire_write(int fd, lw_tls_stream *tls, const lw_conn_queue *queue, char *gather,
                            size_t cap, size_t *sent);

#endif
