/* SPDX-License-Identifier: Apache-2.0 */
/* write.h -- one guarded change of one object: read, decide, store, and again when somebody else
 * was faster.
 *
 *              ┌──────────────── WAITING ◀──────────────┬─────────┐   for another write of its key
 *              ▼                                        │         │
 *     NEW ─▶ DECIDING ──▶ GRANTING (hooks.h) ──▶ may it store? ─▶ STORING ──▶ DONE
 *              │  ▲ └───────────────────────────────────▲         │
 *              │  ├─────── conflict, or the first of two changes ─┘
 *              ▼  │
 *           CONFIRMING: is the cache current?
 *           ASKING: admission or conversion webhooks are called (lw_write_resume, or the client
 *           disconnects)
 *
 * From DECIDING, CONFIRMING, ASKING and GRANTING it can also be DONE: refused, or nothing to
 * change.
 *
 * Everything but the store's own work happens on the loop of the port.  Decisions see the cache,
 * which is always as new as the store's last answer.  Where others write to the store too, it may
 * be older than the store: a decision that changes something is guarded there anyway; one that
 * does not is taken again, once, when the store has confirmed that the cache is new.  Writes of one
 * key on one loop go one after the other, so that a thousand clients who change one object do not
 * make each other decide a thousand times; only other loops can be faster.  A write that waits for
 * webhooks holds up nobody: if the object has changed meanwhile, it decides and asks again. */
#ifndef LW_API_WRITE_WRITE_H
#define LW_API_WRITE_WRITE_H

#include "api/context/consistent_read.h"
#include "api/write/hooks.h"
#include "object/api_errors.h"

enum {
    /* Decisions of one write.  Each one in vain is another's write that landed, and races are not
     * fair: of two loops that write as fast as they can, one loses a hundred times in a row. */
    LW_WRITE_TRIES_MAX = 10000,
    LW_WRITE_KEY_MAX = 4096, /* bytes of a key that are looked up; the store takes less */
};

typedef struct lw_write lw_write;

typedef enum lw_write_decision {
    LW_WRITE_PUT,       /* write->next is to be stored */
    LW_WRITE_DELETE,    /* the object is to go; write->next, if set, is how the reply shows it */
    LW_WRITE_KEEP,      /* nothing changes */
    LW_WRITE_REFUSE,    /* write->status says why */
    LW_WRITE_AGAIN,     /* write->key has changed: look again */
    LW_WRITE_PUT_FIRST, /* write->next is to be stored, and then the write decides again */
    LW_WRITE_ASK,       /* write->question is being asked; write->resume goes on with the answer */
} lw_write_decision;

typedef enum lw_write_state {
    LW_WRITE_NEW,
    LW_WRITE_WAITING,
    LW_WRITE_DECIDING,
    LW_WRITE_CONFIRMING,
    LW_WRITE_ASKING,
    LW_WRITE_GRANTING,
    LW_WRITE_STORING,
    LW_WRITE_DONE,
} lw_write_state;

/* A decision that waits for the answer of others; the first member of the owner's struct. */
typedef struct lw_write_question lw_write_question;
struct lw_write_question {
    /* Frees it: it has been answered, or nobody waits for the answer any more. */
    void (*free)(lw_write_question *question);
};

struct lw_write {
    /* The owner's.  All of it stays as it is until |done|. */
    lw_api_port *port;
    const lw_kind *kind;
    lw_key key;               /* views */
    lw_budget *budget;        /* of the request; NULL: no limit */
    const lw_user *user;      /* NULL: the server itself */
    struct lw_api_call *call; /* for webhooks, warnings, annotations; NULL: the server itself */
    /* Waits for answers of webhooks that a decision needs (api/context/asker.h); NULL: nothing. */
    lw_http_stream *stream;
    lw_write_decision (*decide)(lw_write *write);
    void (*done)(lw_write *write); /* once; may free the write */

    /* What a decision sees and says. */
    lw_object *current; /* NULL: there is none */
    lw_object *next;
    lw_api_status status;        /* initialised by a decision that refuses */
    bool is_dry_run;             /* set by the owner */
    bool has_stored;             /* the first of two changes is stored: LW_WRITE_PUT_FIRST */
    bool is_stored_otherwise;    /* |current| is stored in another version than the next one is */
    bool is_admitted;            /* webhooks have passed this decision (ask.h) */
    bool is_mutated;             /* policies have seen the body of the request (ask.h) */
    lw_tree *asked;              /* what policies and webhooks have made of what they were asked
                                    about in this attempt (ask.h); NULL: nothing */
    lw_write_question *question; /* with LW_WRITE_ASK */
    lw_write_decision (*resume)(lw_write *write); /* with LW_WRITE_ASK: decides with the answer */

    /* What came of it. */
    lw_write_decision outcome; /* PUT, DELETE, KEEP or REFUSE */
    lw_object *result;         /* what to show; NULL: see |current| */

    char *renamed;         /* key.name, if lw_write_rename has set it */
    lw_write_grant *grant; /* must be had before write->next is stored; NULL: nothing */

    /* The engine's. */
    lw_write_state state;
    lw_write_decision decided; /* what is being granted or stored */
    unsigned tries;
    bool is_claimed;    /* is in port->storing */
    bool is_confirmed;  /* the cache was current, once */
    bool has_asked;     /* webhooks were called for the last decision */
    lw_dlist_node link; /* in the list of those who wait for another, or in port->asking */
    lw_dlist waiting;   /* those who wait for this one */
    lw_buf store_key;
    lw_store_txn txn;
    int64_t since_ns;  /* of the state */
    int64_t waited_ns; /* in states in which it waits */
    lw_task task;
    lw_consistent_read confirm;
};

/* Starts a write that is zeroed but for the owner's part.  |done| is called later or right here. */
void lw_write_start(lw_write *write);

/* Gives back what the write holds; the status too if it was refused and is still there. */
void lw_write_release(lw_write *write);

/* A decision to create gives the object another name: looks at what has that name now.  The next
 * attempt finds it in key.name.  LW_ERR_NOMEM, or an error of the lookup. */
LW_MUST_CHECK lw_status lw_write_rename(lw_write *write, lw_str name);

/* Gives the write its own |name| again, which must live as long. */
void lw_write_name(lw_write *write, lw_str name);

/* A refusal because of memory, a limit, or entropy. */
lw_write_decision lw_write_fail(lw_write *write, lw_status st);

/* Parses the current object as the client sees it, in the version it asks for; |*is_stored| says
 * that it is stored in the same one.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_write_read_current(const lw_write *write, lw_tree **out, bool *is_stored);

/* The answer to write->question is there.  On the loop of the port. */
void lw_write_resume(lw_write *write);

/* What a port keeps for its writes. */
void lw_write_port_init(lw_api_port *port);

/* Refuses the writes that wait for webhooks: the server stops. */
void lw_write_port_hurry(lw_api_port *port);
void lw_write_port_done(lw_api_port *port);

#endif
