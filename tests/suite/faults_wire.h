/* SPDX-License-Identifier: Apache-2.0 */
/* faults_wire.h -- a listening socket on loopback whose connections send their bytes as a trial
 * wants them: slowly, with a stall, or not to the end; and that may refuse connections for a while.
 *
 * No thread: faults_wire_turn does what can be done now.  Time is the trial's clock. */
#ifndef LW_TESTS_SUITE_FAULTS_WIRE_H
#define LW_TESTS_SUITE_FAULTS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/sys/clock.h>

#include "base/buf.h"

enum {
    FAULTS_LINES = 8,            /* connections at once */
    FAULTS_REQUEST_SIZE = 4096,  /* the head of a request */
    FAULTS_REPLY_MAX = 64 * 1024 /* bytes of one reply that wait to be sent */
};

typedef enum faults_break {
    FAULTS_WHOLE, /* no break */
    FAULTS_FIN,   /* an orderly end of the connection ... */
    FAULTS_RESET, /* ... or not so, */
    FAULTS_STALL, /* or nothing for a while, or never again, */
    FAULTS_SLOW,  /* or one byte at a time for a while: when |break_at| bytes of a reply are out */
    FAULTS_BREAKS
} faults_break;

/* One connection. */
typedef struct faults_line {
    int fd; /* -1: none */
    char in[FAULTS_REQUEST_SIZE];
    size_t in_len;
    lw_buf out;
    size_t out_at; /* sent of |out| */

    uint64_t reply_sent; /* bytes of this reply */
    faults_break breaks;
    uint64_t break_at;
    int64_t stall_ns;         /* how long, of FAULTS_STALL; LW_NEVER_NS */
    unsigned slow_bytes;      /* how many, of FAULTS_SLOW */
    int64_t stalled_until_ns; /* 0: not stalled; LW_NEVER_NS */
    bool ends_with_reply;     /* closed when |out| is sent */
} faults_line;

typedef struct faults_wire {
    const lw_clock *clock;
    int port_fd;   /* keeps the port while nobody listens */
    int listen_fd; /* -1: connections are refused ... */
    int64_t refused_until_ns;
    unsigned port;
    faults_line lines[FAULTS_LINES];
    /* A request came: its head without the empty line, NUL-terminated.  Appends to |out|. */
    void (*on_request)(faults_line *line, const char *head, void *arg);
    void (*on_closed)(faults_line *line, void *arg);
    void *arg;
} faults_wire;

/* |clock| and the callbacks are set by the caller. */
void faults_wire_open(faults_wire *wire);
void faults_wire_close(faults_wire *wire);

/* Accepts, reads and sends what can be; false: nothing could. */
bool faults_wire_turn(faults_wire *wire);

/* Nothing of |line| waits to be sent. */
bool faults_line_is_idle(const faults_line *line);

void faults_wire_cut(faults_wire *wire, faults_line *line, bool is_reset);
void faults_wire_cut_all(faults_wire *wire, bool is_reset);

/* Nobody listens until |until_ns|; connections that there are stay. */
void faults_wire_refuse(faults_wire *wire, int64_t until_ns);

/* No new break any more: stalls end, but for those that never do, and refusals too. */
void faults_wire_heal(faults_wire *wire);

/* When something will happen by itself; LW_NEVER_NS: never. */
int64_t faults_wire_deadline_ns(const faults_wire *wire);

#endif
