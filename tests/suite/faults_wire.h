/* SPDX-License-Identifier: Apache-2.0 */
/* faults_wire.h -- a listening socket on loopback whose connections send their bytes as a trial
 * wants: slowly, with a stall, or incompletely.  It may also refuse connections for a while.
 *
 * It has no thread: faults_wire_turn does what can be done now.  It uses the trial's clock. */
#ifndef LW_TESTS_SUITE_FAULTS_WIRE_H
#define LW_TESTS_SUITE_FAULTS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/sys/clock.h>

#include "base/buf.h"

enum {
    FAULTS_LINES = 8,            /* concurrent connections */
    FAULTS_REQUEST_SIZE = 4096,  /* the head of a request */
    FAULTS_REPLY_MAX = 64 * 1024 /* unsent bytes of one reply */
};

typedef enum faults_break {
    FAULTS_WHOLE, /* no break */
    FAULTS_FIN,   /* after |break_at| bytes of a reply: an orderly close, */
    FAULTS_RESET, /* a reset, */
    FAULTS_STALL, /* a stall, which may be forever, */
    FAULTS_SLOW,  /* or one byte at a time for a while */
    FAULTS_BREAKS
} faults_break;

/* One connection. */
typedef struct faults_line {
    int fd; /* -1: none */
    char in[FAULTS_REQUEST_SIZE];
    size_t in_len;
    lw_buf out;
    size_t out_at; /* bytes of |out| sent */

    uint64_t reply_sent; /* bytes sent of this reply */
    faults_break breaks;
    uint64_t break_at;
    int64_t stall_ns;         /* duration of FAULTS_STALL; LW_NEVER_NS */
    unsigned slow_bytes;      /* number of bytes for FAULTS_SLOW */
    int64_t stalled_until_ns; /* 0: not stalled; LW_NEVER_NS */
    bool ends_with_reply;     /* closed after |out| is sent */
} faults_line;

typedef struct faults_wire {
    const lw_clock *clock;
    int port_fd;   /* keeps the port while listen_fd is closed */
    int listen_fd; /* -1: connections are refused ... */
    int64_t refused_until_ns;
    unsigned port;
    faults_line lines[FAULTS_LINES];
    /* Called for a request: its head without the empty line, NUL-terminated.  Appends to |out|. */
    void (*on_request)(faults_line *line, const char *head, void *arg);
    void (*on_closed)(faults_line *line, void *arg);
    void *arg;
} faults_wire;

/* The caller must have set |clock| and the callbacks. */
void faults_wire_open(faults_wire *wire);
void faults_wire_close(faults_wire *wire);

/* Accepts, reads and sends what is possible; false: nothing was. */
bool faults_wire_turn(faults_wire *wire);

/* True if |line| has nothing to send. */
bool faults_line_is_idle(const faults_line *line);

void faults_wire_cut(faults_wire *wire, faults_line *line, bool is_reset);
void faults_wire_cut_all(faults_wire *wire, bool is_reset);

/* Refuses connections until |until_ns|; open connections stay. */
void faults_wire_refuse(faults_wire *wire, int64_t until_ns);

/* Ends the faults: no new breaks and refusals, and stalls end unless they are forever. */
void faults_wire_heal(faults_wire *wire);

/* Returns the time of the next event; LW_NEVER_NS: none. */
int64_t faults_wire_deadline_ns(const faults_wire *wire);

#endif
