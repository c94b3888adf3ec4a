/* SPDX-License-Identifier: Apache-2.0 */
/* fake_conn.h -- a connection without a socket, for protocol tests: sent bytes stay in memory until
 * the test takes them.
 *
 * It is linked instead of src/net/conn.c and defines the functions of net/conn.h. */
#ifndef LW_TESTS_SUPPORT_FAKE_CONN_H
#define LW_TESTS_SUPPORT_FAKE_CONN_H

#include "base/buf.h"
#include "net/conn.h"

enum {
    FAKE_CONN_QUEUE_MAX = 64 * 1024 * 1024,
};

struct lw_conn {
    lw_loop *loop;
    lw_http_handler handler;
    lw_peer peer;
    lw_http_limits limits;
    lw_protocol *protocol;
    lw_buf queue;  /* sent by the protocol, not yet taken by the test */
    size_t taken;  /* of |queue| */
    bool was_high; /* since the protocol was last told to continue */
    bool has_sent;
    bool is_finished, is_aborted, is_draining, is_authenticated;
    bool fails; /* lw_conn_send fails with LW_ERR_NOMEM */
    lw_conn_phase phase;
    unsigned phases; /* how often the phase was set */
    unsigned requests, protocol_errors;
    unsigned turn_max; /* requests in one turn; 0: any number */
    unsigned turn_used;
    bool waits_for_turn;
    int streams;
};

/* Opens an HTTP/2 connection on |loop|; the test owns both. */
lw_status fake_conn_open(lw_conn *conn, lw_loop *loop, const lw_http_handler *handler);

/* Closes as a lost connection does. */
void fake_conn_close(lw_conn *conn);

/* Feeds bytes in steps of |step|; if they are refused, does what a connection does. */
void fake_conn_feed(lw_conn *conn, const void *bytes, size_t len, size_t step);

/* Takes at most |max| sent bytes.  The view is valid until the next call. */
lw_str fake_conn_take(lw_conn *conn, size_t max);

/* Begins the next turn, as the loop's next batch does. */
void fake_conn_next_turn(lw_conn *conn);

/* Tells the protocol that it may send, as a connection does when its client has read enough. */
void fake_conn_refill(lw_conn *conn);

#endif
