/* SPDX-License-Identifier: Apache-2.0 */
/* asker.h -- a request that waits for answers of other servers (webhooks).
 *
 *     decide ──▶ the answer is known ──▶ go on
 *       ▲ └──▶ not known: lw_asker_ask; "pending" ──▶ lw_asker_wait
 *       │                                                 │ all answered, or LW_ASKER_WAIT_S over
 *       └────────────── resume, on the stream's loop ◀────┤
 *                                                         └ the client disconnects ──▶ nothing
 *
 * A step of a request that needs an answer which is not there ends without a reply and is run again
 * from its beginning when the answer is there.  The request keeps the answers that it has got, so
 * that each run comes further and sees the same answers, whatever caches have dropped meanwhile.
 * Nothing is allocated for requests that ask nothing.
 *
 * Threads: questions any thread; the rest the loop of the stream. */
#ifndef LW_API_CONTEXT_ASKER_H
#define LW_API_CONTEXT_ASKER_H

#include <stdbool.h>

#include "base/dlist.h"
#include "base/ref.h"
#include "base/sync.h"
#include "net/http.h"

enum {
    LW_ASKER_WAIT_S = 60, /* for all answers together, as requests of kube-apiserver */
};

/* A question to another server; several requests may wait for its answer.  The first member of the
 * owner's struct, which has the answer. */
typedef struct lw_question lw_question;
struct lw_question {
    lw_ref refs;
    uint64_t owner; /* with the key: what is asked; see lw_question_owner */
    lw_str key;     /* the owner's */
    void (*free)(lw_question *question);

    lw_mutex mu; /* guards the members below */
    bool is_answered;
    lw_dlist waiting; /* of requests */
};

/* Returns a number that no other owner of questions has. */
uint64_t lw_question_owner(void);

void lw_question_init(lw_question *question, uint64_t owner, lw_str key,
                      void (*free)(lw_question *question));
lw_question *lw_question_ref(lw_question *question);
void lw_question_unref(lw_question *question); /* NULL does nothing */

/* The answer is there: what waits goes on.  Call it once; the answer does not change afterwards. */
void lw_question_answered(lw_question *question);

/* True: the answer may be read. */
bool lw_question_is_answered(lw_question *question);

/* True if a request waits for the answer. */
bool lw_question_is_awaited(lw_question *question);

/* Makes the request of |stream| wait for |question|, of which it keeps a reference.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_asker_ask(lw_http_stream *stream, lw_question *question);

/* Returns the question that the request has asked, borrowed, answered or not; NULL: none. */
lw_question *lw_asker_find(const lw_http_stream *stream, uint64_t owner, lw_str key);

/* True if the request has asked something that is not answered yet. */
bool lw_asker_is_waiting(const lw_http_stream *stream);

/* Calls |resume| once when everything is answered or the time is over; at once if that is so now.
 * Not if the stream is closed before. */
void lw_asker_wait(lw_http_stream *stream, void (*resume)(lw_http_stream *stream, void *arg),
                   void *arg);

/* Forgets all answers and what was to be resumed. */
void lw_asker_forget(lw_http_stream *stream);

#endif
