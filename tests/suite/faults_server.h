/* SPDX-License-Identifier: Apache-2.0 */
/* faults_server.h -- a faulty API server of config maps over HTTP/1.1.
 *
 * The true history is in |past|.  |random| decides how it is sent: complete, refused, cut, slow,
 * damaged, duplicated.  In all cases a client that follows the protocol can detect the fault:
 * damaged text is never the valid text of something else. */
#ifndef LW_TESTS_SUITE_FAULTS_SERVER_H
#define LW_TESTS_SUITE_FAULTS_SERVER_H

#include "base/random.h"
#include "suite/faults_wire.h"
#include "support/model_history.h"

enum {
    FAULTS_VALUE_SIZE = 64, /* bytes of a request parameter */
};

/* The faults of a reply; they are counted, so that a test can check that all of them occurred. */
typedef enum faults_kind {
    FAULTS_NONE,
    FAULTS_CUT_FIN, /* at any byte */
    FAULTS_CUT_RESET,
    FAULTS_STALLED,
    FAULTS_SLOWED,
    FAULTS_REFUSED,    /* an error status */
    FAULTS_EXPIRED,    /* 410 as a status */
    FAULTS_THROTTLED,  /* 429 with Retry-After */
    FAULTS_NO_JSON,    /* 200 with a body that is not JSON, like a proxy's */
    FAULTS_LOST_PAGE,  /* 410 for a further page of a list */
    FAULTS_SHORT_BODY, /* truncated, although its framing is complete */
    FAULTS_GARBLED,    /* repeated bytes */
    FAULTS_BAD_CHUNK,  /* a missing digit in the size of a chunk */
    FAULTS_TWICE,      /* a duplicate event */
    FAULTS_ERROR,      /* an ERROR event of any kind */
    FAULTS_ERROR_410,
    FAULTS_ENDED, /* a watch ends cleanly before its time */
    FAULTS_KINDS
} faults_kind;

/* A watch on a connection. */
typedef struct faults_stream {
    bool is_open;
    bool is_told;      /* the initial state was sent, if there is one */
    bool is_spoilt;    /* the client cannot parse the rest; the stream continues */
    uint64_t sent;     /* all events up to this revision were sent */
    uint64_t snapshot; /* the initial state ... */
    unsigned at;       /* ... and its next name */
    int64_t end_ns;    /* the end that the client requested */
    faults_kind fault;
    unsigned fault_in;    /* number of frames until a fault */
    unsigned turns_since; /* turns with output since it was damaged */
} faults_stream;

/* What a client was told and must obey. */
typedef struct faults_said {
    int64_t busy_until_ns;             /* 429: no request before this time */
    char lost_page[FAULTS_VALUE_SIZE]; /* 410: no request with this token */
} faults_said;

typedef struct faults_server {
    model_history past;
    lw_random random;
    bool is_faulty;
    unsigned one_in; /* one in this many replies has a fault; 0: none */
    bool cannot_stream;
    bool forgets_states; /* 410 also for lists and streams of a compacted state */
    faults_said saying;  /* said by the reply being composed */
    faults_said said;    /* said by replies that the client has received completely */
    faults_wire wire;
    faults_stream streams[FAULTS_LINES]; /* by the index of the line */
    unsigned tally[FAULTS_KINDS];
    unsigned requests, lists, watches;
} faults_server;

/* Opens the server with a few objects; |clock| must outlive it. */
void faults_server_open(faults_server *server, const lw_clock *clock, uint64_t seed);
void faults_server_close(faults_server *server);

/* Does what can be done now; false: nothing. */
bool faults_server_turn(faults_server *server);

/* Goes down and comes back after |down_ns|; only the objects are kept. */
void faults_server_restart(faults_server *server, int64_t down_ns);

/* Ends all faults. */
void faults_server_behave(faults_server *server);

/* True if an open watch has received everything. */
bool faults_server_has_told_all(const faults_server *server);

/* Returns the time of the next event; LW_NEVER_NS: none. */
int64_t faults_server_deadline_ns(const faults_server *server);

const char *faults_kind_name(faults_kind fault);

#endif
