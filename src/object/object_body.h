/* SPDX-License-Identifier: Apache-2.0 */
/* object_body.h -- how this module gets the body of an object whose body is packed.
 *
 * A packed object answers the same as before.  It always is read like a message (object_message.h):
 * what a program gets is copied and kept with the object, so that the unpacked body is needed only
 * for a moment.  object/compact packs objects and implements this interface. */
#ifndef LW_OBJECT_OBJECT_BODY_H
#define LW_OBJECT_OBJECT_BODY_H

#include "object/object_message.h"

/* The body of an object while it is read. */
typedef struct lw_body {
    const lw_message_ops *ops;
    const void *type;
    lw_str message;
    void *held; /* for the origin; NULL: nothing has to be released */
} lw_body;

typedef struct lw_object_origin_ops {
    /* Sets |message| and |held|.  Between open and close, the thread must not open another object.
     * LW_ERR_NOMEM. */
    lw_status (*open)(const lw_object *obj, lw_body *body);
    void (*close)(lw_body *body);
    /* The object is about to be freed. */
    void (*release)(const lw_object *obj);
} lw_object_origin_ops;

struct lw_object_origin {
    const lw_object_origin_ops *ops;
    const lw_message_ops *message_ops;
    const void *message_type;
    const lw_object *sibling; /* lives as long as the origin; NULL: none */
};

/* Opens the body of |obj|, which is a message or packed.  LW_ERR_NOMEM. */
static inline lw_status lw_body_open(const lw_object *obj, lw_body *body)
{
    if (obj->is_packed) {
        *body = (lw_body){ .ops = obj->origin->message_ops, .type = obj->origin->message_type };
        return obj->origin->ops->open(obj, body);
    }
    body->ops = obj->message_ops;
    body->type = obj->message_type;
    body->message = lw_str_make((const char *)obj + obj->json_at, obj->json_len);
    body->held = NULL;
    return LW_OK;
}

static inline void lw_body_close(const lw_object *obj, lw_body *body)
{
    if (body->held)
        obj->origin->ops->close(body);
}

/* Returns the object that has the labels of |obj|. */
static inline const lw_object *lw_object__labels_of(const lw_object *obj)
{
    return obj->shares_labels ? obj->origin->sibling : obj;
}

#endif
