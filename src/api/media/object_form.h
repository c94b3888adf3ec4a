/* SPDX-License-Identifier: Apache-2.0 */
/* object_form.h -- an object in protobuf: made when somebody first asks for it, kept with the
 * object (lw_object__keep_form), and from then on sent from there by replies, lists and watches.
 *
 *     | 3 bytes | head of an event | k8s\0 apiVersion kind | 12 length message | 1a 00 22 00 |
 *               │                  │                       └──── item ─────────┘             │
 *               │                  └──────────────────── document ──────────────────────────┤
 *               └──────────────────────────── frame ────────────────────────────────────────┘
 *
 * The message is field 2 of its envelope, and an item is field 2 of a list: the same bytes.  Before
 * all of it stand the type of the event, the length of its head, and where the item is. */
#ifndef LW_API_MEDIA_OBJECT_FORM_H
#define LW_API_MEDIA_OBJECT_FORM_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "object/form_budget.h"

enum {
    LW_OBJECT_FORM_MAX = 64 * 1024 * 1024, /* bytes of one form */
};

/* What is kept; the views live as long as the object. */
typedef struct lw_object_form {
    lw_watch_event_type type; /* of the frame */
    lw_str frame;             /* an event of a watch (watch_frame.h) */
    lw_str document;          /* the object in its envelope */
    lw_str item;              /* of a list, with its tag and length */
} lw_object_form;

/* The form that is kept with |obj|; false: none. */
bool lw_object_form_find(const lw_object *obj, lw_object_form *out);

/* The same, made and kept now if there was none; its frame is then of |type|.  LW_ERR_INVALID and
 * LW_ERR_UNSUPPORTED: the object has no such form.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_object_form_make(const lw_object *obj, lw_watch_event_type type,
                                            lw_form_budget *budget, lw_object_form *out);

/* The same for who needs the form once: keeps it only if |budget| has room.  LW_ERR_UNAVAILABLE: it
 * has none, and nothing was made. */
LW_MUST_CHECK lw_status lw_object_form_offer(const lw_object *obj, lw_watch_event_type type,
                                             lw_form_budget *budget, lw_object_form *out);

/* A part of the bytes of |obj| as a piece to send, which takes the reference. */
lw_bytes lw_object_part_take(lw_object *obj, lw_str part);

#endif
