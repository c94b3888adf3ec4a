/* SPDX-License-Identifier: Apache-2.0 */
/* object_message.h -- objects whose body is a message in another encoding than JSON, as the server
 * sent it, and the interface through which this module reads it.
 *
 * The encoding is protobuf, and the functions are those of schema/message.  An object answers the
 * same as if its body were the JSON; JSON is made when somebody asks for it, and what was asked for
 * is kept with the object (object_kept.h). */
#ifndef LW_OBJECT_OBJECT_MESSAGE_H
#define LW_OBJECT_OBJECT_MESSAGE_H

#include "object/object.h"

enum {
    LW_MESSAGE_MAX = 1 << 29,  /* bytes of a message */
    LW_MESSAGE_PIECES_MAX = 5, /* pieces that a message is made of */
};

typedef enum lw_message_form {
    LW_MESSAGE_STRING, /* the value is |text|, which is valid UTF-8 */
    LW_MESSAGE_INT,    /* the value is |number| */
    LW_MESSAGE_BOOL,
    LW_MESSAGE_NULL,
    LW_MESSAGE_OTHER, /* only the function |write| knows it */
} lw_message_form;

/* A value inside a message. */
typedef struct lw_message_value {
    lw_message_form form;
    lw_str text;
    int64_t number;
    uint32_t at;       /* identifies the value in its message; 0: it is not in the message, but JSON
                          has it (zero in Go) */
    const void *type;  /* the rest is for |write| */
    const void *field; /* a list or map: its field, and |text| is the message that contains it */
} lw_message_value;

/* Added to |at| of a list or map, which begins where its first element does. */
#define LW_MESSAGE_AT_ALL (UINT32_C(1) << 30)

struct lw_message_ops {
    /* Appends the JSON of |message|; kind and apiVersion come first unless |kind| is empty.
     * LW_ERR_NOMEM, LW_ERR_LIMIT: of |out|.  LW_ERR_SYNTAX: the message is malformed. */
    lw_status (*json)(const void *type, lw_str api_version, lw_str kind, lw_str message,
                      lw_buf *out);
    /* Finds the value that the JSON would have at |path|: its segments are separated by
     * |separator|, and with '/' they are those of a JSON Pointer, which is well-formed.
     * LW_ERR_NOT_FOUND: there is no value.  LW_ERR_UNSUPPORTED: search the JSON instead. */
    lw_status (*find)(const void *type, lw_str message, lw_str path, char separator,
                      lw_message_value *value);
    /* Appends the JSON of |value|; errors as |json|. */
    lw_status (*write)(const lw_message_value *value, lw_buf *out);
    /* Finds the first reference to an owner whose controller is true; its texts are parts of
     * |message|.  LW_ERR_NOT_FOUND: there is none.  LW_ERR_UNSUPPORTED: search the JSON instead.
     * NULL: search the JSON always. */
    lw_status (*controller)(lw_str message, lw_owner_reference *out);
};

/* What an object is made of.  All texts are copied. */
typedef struct lw_message_parts {
    const lw_message_ops *ops;
    const void *type;
    lw_str fields[LW_OBJECT_FIELD_COUNT];
    const lw_label *labels;
    size_t label_count;
    lw_str pieces[LW_MESSAGE_PIECES_MAX]; /* of the message, in order */
    bool is_typed;                        /* the JSON has kind and apiVersion */
    lw_object_spare *spare;               /* for its block; NULL: none */
} lw_message_parts;

/* Makes an object.  LW_ERR_NOMEM, LW_ERR_LIMIT (the message is larger than LW_MESSAGE_MAX). */
LW_MUST_CHECK lw_status lw_object__from_message(const lw_message_parts *parts, lw_object **out);

/* As the functions of object.h and object.c, for objects with a message. */
lw_str lw_object__message_json(const lw_object *obj);
lw_status lw_object__message_append_json(const lw_object *obj, lw_buf *out);
lw_status lw_object__message_raw(const lw_object *obj, lw_str pointer, lw_str *out);
lw_status lw_object__message_string(const lw_object *obj, lw_str pointer, lw_str *out);
lw_status lw_object__message_use(const lw_object *obj, lw_str pointer,
                                 void (*use)(void *arg, lw_str text), void *arg);
int64_t lw_object__message_int(const lw_object *obj, lw_str pointer, int64_t fallback);
bool lw_object__message_bool(const lw_object *obj, lw_str pointer, bool fallback);
const char *lw_object__message_annotation(const lw_object *obj, lw_str key);
lw_status lw_object__message_with_revision(lw_object **out, const lw_object *obj, uint64_t rv);

/* Compares the text of the value at the dotted |field|, empty if there is none, with |expected|, as
 * a field selector does.  LW_ERR_NOT_FOUND: it differs.  LW_ERR_UNSUPPORTED: compare the JSON.
 * LW_ERR_NOMEM. */
lw_status lw_object__message_field_equals(const lw_object *obj, lw_str field, lw_str expected);

#endif
