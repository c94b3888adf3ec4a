/* SPDX-License-Identifier: Apache-2.0 */
/* object_form.h -- the protobuf encoding of an object: created on the first request for it, cached
 * with the object (lw_object__keep_form), and then shared by replies, lists and watches.
 *
 *     | 3 bytes | head of an event | k8s\0 apiVersion kind | 12 length message | 1a 00 22 00 |
 *               │                  │                       └──── item ─────────┘             │
 *               │                  └──────────────────── document ──────────────────────────┤
 *               └──────────────────────────── frame ────────────────────────────────────────┘
 *
 * The message is field 2 of its envelope, and an item is field 2 of a list: the same bytes.  The
 * three bytes are the event type, the length of the head, and the offset of the item.
 *
 * The objects of all functions may be packed (object/compact). */
#ifndef LW_API_MEDIA_OBJECT_FORM_H
#define LW_API_MEDIA_OBJECT_FORM_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "api/media/form_maker.h"
#include "base/buf.h"
#include "object/form_budget.h"

enum {
    LW_OBJECT_FORM_MAX = 64 * 1024 * 1024, /* bytes of one encoding */
    LW_OBJECT_FORM_SLACK = 256,            /* and how many it may need more than its JSON, mostly */
};

/* The parts of the cached encoding; the views are valid as long as the object. */
typedef struct lw_object_form {
    lw_watch_event_type type; /* event type of the frame */
    lw_str frame;             /* a watch event (watch_frame.h) */
    lw_str document;          /* the object in its envelope */
    lw_str item;              /* an item of a list, with its tag and length */
} lw_object_form;

/* Finds the encoding cached with |obj|; false: there is none. */
bool lw_object_form_find(const lw_object *obj, lw_object_form *out);

/* Finds the encoding, or creates and caches it with a frame of |type|.  |maker| is for callers that
 * encode many objects, or NULL.  LW_ERR_INVALID and LW_ERR_UNSUPPORTED: the object has no protobuf
 * form.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_object_form_make(const lw_object *obj, lw_watch_event_type type,
                                            lw_form_budget *budget, lw_form_maker *maker,
                                            lw_object_form *out);

/* Like lw_object_form_make, for a single use: caches the encoding only if |budget| allows it.
 * LW_ERR_UNAVAILABLE: it does not, and nothing was created. */
LW_MUST_CHECK lw_status lw_object_form_offer(const lw_object *obj, lw_watch_event_type type,
                                             lw_form_budget *budget, lw_form_maker *maker,
                                             lw_object_form *out);

/* Returns a part of the bytes of |obj| as a piece to send, which takes the reference. */
lw_bytes lw_object_part_take(lw_object *obj, lw_str part);

#endif
