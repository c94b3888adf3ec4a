/* SPDX-License-Identifier: Apache-2.0 */
/* faults_server.h -- an API server of config maps over HTTP/1.1 with a bad temper.
 *
 * What is true is in |past|; how it is told is drawn from |random|: whole, refused, cut, slow,
 * garbled, twice.  Whatever it does, a client that follows the protocol can tell what is true from
 * what is not: a spoilt text is never the text of something else. */
#ifndef LW_TESTS_SUITE_FAULTS_SERVER_H
#define LW_TESTS_SUITE_FAULTS_SERVER_H

#include "base/random.h"
#include "suite/faults_wire.h"
#include "support/model_history.h"

enum {
    FAULTS_VALUE_SIZE = 64, /* of a parameter of a request */
};

/* What it can do to a reply; counted, so that a test can say that all of it was tried. */
typedef enum faults_mischief {
    FAULTS_NONE,
    FAULTS_CUT_FIN, /* at any byte */
    FAULTS_CUT_RESET,
    FAULTS_STALLED,
    FAULTS_SLOWED,
    FAULTS_REFUSED,    /* a status that is no success */
    FAULTS_EXPIRED,    /* 410 as a status */
    FAULTS_THROTTLED,  /* 429 with Retry-After */
    FAULTS_NO_JSON,    /* 200, from somebody else */
    FAULTS_LOST_PAGE,  /* 410 to a later page of a list */
    FAULTS_SHORT_BODY, /* not to its end, though its framing is whole */
    FAULTS_GARBLED,    /* bytes twice */
    FAULTS_BAD_CHUNK,  /* a digit of a chunk's size is missing */
    FAULTS_TWICE,      /* an event */
    FAULTS_ERROR,      /* an ERROR event of any kind */
    FAULTS_ERROR_410,
    FAULTS_ENDED, /* a watch, cleanly, before its time */
    FAULTS_MISCHIEFS
} faults_mischief;

/* A watch that a connection carries. */
typedef struct faults_stream {
    bool is_open;
    bool is_told;      /* the initial state, where there is one */
    bool is_spoilt;    /* the client cannot read on: the stream goes on all the same */
    uint64_t sent;     /* all events up to here */
    uint64_t snapshot; /* the state it begins with ... */
    unsigned at;       /* ... and the next name of that */
    int64_t end_ns;    /* as the client asked */
    faults_mischief mischief;
    unsigned mischief_in; /* frames */
    unsigned turns_since; /* it was spoilt, in which something was sent */
} faults_stream;

/* What a client has been told and must heed. */
typedef struct faults_said {
    int64_t busy_until_ns;             /* 429: ask no sooner */
    char lost_page[FAULTS_VALUE_SIZE]; /* 410: ask no more with this token */
} faults_said;

typedef struct faults_server {
    model_history past;
    lw_random random;
    bool is_faulty;
    unsigned one_in; /* replies have a fault; 0: none */
    bool cannot_stream;
    bool forgets_states; /* 410 to lists and streams of a state that is compacted, too */
    faults_said saying;  /* by the reply that is composed */
    faults_said said;    /* by replies that the client has in full */
    faults_wire wire;
    faults_stream streams[FAULTS_LINES]; /* of the line of the same place */
    unsigned tally[FAULTS_MISCHIEFS];
    unsigned requests, lists, watches;
} faults_server;

/* Opens it with a few objects; |clock| outlives it. */
void faults_server_open(faults_server *server, const lw_clock *clock, uint64_t seed);
void faults_server_close(faults_server *server);

/* Does what can be done now; false: nothing. */
bool faults_server_turn(faults_server *server);

/* Goes down, comes back after |down_ns| and remembers nothing but its objects. */
void faults_server_restart(faults_server *server, int64_t down_ns);

/* Is good from now on. */
void faults_server_behave(faults_server *server);

/* Whether somebody has been sent everything, by a watch that goes on. */
bool faults_server_has_told_all(const faults_server *server);

/* When something will happen by itself; LW_NEVER_NS: never. */
int64_t faults_server_deadline_ns(const faults_server *server);

const char *faults_mischief_name(faults_mischief mischief);

#endif
