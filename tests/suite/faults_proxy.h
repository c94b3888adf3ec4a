/* SPDX-License-Identifier: Apache-2.0 */
/* faults_proxy.h -- a proxy to a loopback port that breaks.  It forwards bytes in both directions
 * without knowing their meaning (TLS, HTTP/2), and at some byte it closes, resets or stops.
 *
 * It has no thread: faults_proxy_turn does what can be done now. */
#ifndef LW_TESTS_SUITE_FAULTS_PROXY_H
#define LW_TESTS_SUITE_FAULTS_PROXY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum {
    FAULTS_PIPES = 16,     /* concurrent connections */
    FAULTS_PASSED = 16384, /* bytes buffered per direction */
};

typedef enum faults_pipe_end {
    FAULTS_PIPE_GOOD,
    FAULTS_PIPE_CLOSES,
    FAULTS_PIPE_RESETS,
    FAULTS_PIPE_HANGS, /* forever; the client must give up */
    FAULTS_PIPE_ENDS
} faults_pipe_end;

typedef struct faults_pipe {
    int fds[2]; /* of the client and of the server; -1: none */
    struct {
        char bytes[FAULTS_PASSED]; /* read from fds[i], not yet written to the other */
        size_t at, len;
    } ways[2];
    uint64_t left; /* bytes until |end|, of both directions */
    faults_pipe_end end;
    bool is_hanging;
} faults_pipe;

typedef struct faults_proxy {
    int listen_fd;
    unsigned port, to_port;
    lw_random random;
    bool is_faulty;
    faults_pipe pipes[FAULTS_PIPES];
    unsigned ends[FAULTS_PIPE_ENDS];
} faults_proxy;

void faults_proxy_open(faults_proxy *proxy, unsigned to_port, uint64_t seed);
void faults_proxy_close(faults_proxy *proxy);

/* Forwards the available bytes; false: there are none. */
bool faults_proxy_turn(faults_proxy *proxy);

/* Ends the faults: new connections work, and so do open ones except those that hang. */
void faults_proxy_heal(faults_proxy *proxy);

/* True if no bytes can get through: there is no connection, or all of them hang. */
bool faults_proxy_is_dead(const faults_proxy *proxy);

/* Adds the descriptors to wait for to |set|, which has room for 1 + 2 * FAULTS_PIPES. */
size_t faults_proxy_poll_set(const faults_proxy *proxy, struct pollfd *set);

#endif
