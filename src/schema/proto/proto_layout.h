/* SPDX-License-Identifier: Apache-2.0 */
/* proto_layout.h -- where the values of a JSON document are in its encoding.
 *
 * A leaf is a value that can be replaced by another one of its type without any effect but on its
 * bytes and on the lengths of the messages it is in: strings, times, booleans, short numbers, and
 * any JSON that is encoded as its text.  Everything else, such as names of members, keys of maps
 * and quantities, is part of the frame that the leaves are in. */
#ifndef LW_SCHEMA_PROTO_PROTO_LAYOUT_H
#define LW_SCHEMA_PROTO_PROTO_LAYOUT_H

#include <stdint.h>

#include <listwatch/error.h>

#include "schema/proto/proto_value.h"
#include "schema/types/type.h"

enum {
    LW_PROTO_PLACES_MAX = 1024,    /* documents with more places have no layout */
    LW_PROTO_NO_PLACE = UINT16_MAX /* what the whole message is in */
};

typedef enum lw_proto_place_form {
    LW_PROTO_PLACE_MESSAGE,
    LW_PROTO_PLACE_STRING,
    LW_PROTO_PLACE_RAW, /* JSON, but null, as its text */
    LW_PROTO_PLACE_TIME,
    LW_PROTO_PLACE_MICRO_TIME,
    LW_PROTO_PLACE_NUMBER,
    LW_PROTO_PLACE_BOOL,
} lw_proto_place_form;

/* A leaf, or a message that has leaves. */
typedef struct lw_proto_place {
    uint32_t at;       /* in the encoding: of its length, if it has one, or of its bytes */
    uint32_t len;      /* bytes, without that length */
    uint32_t from, to; /* leaves: in the JSON, without quotes */
    uint16_t parent;   /* the message it is in */
    uint8_t form;      /* lw_proto_place_form */
    uint8_t head;      /* bytes of its length; 0: it has none */
} lw_proto_place;

typedef struct lw_proto_layout {
    lw_proto_place *places; /* in the order of the encoding */
    uint16_t *leaves;       /* positions in |places|, in the order of the JSON */
    size_t count, leaf_count;
} lw_proto_layout;

/* Finds the places of |document|, which lw_proto_write_document has made of |json|.
 * LW_ERR_UNSUPPORTED: there are too many, or JSON has a member twice or a name with escapes.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_proto_layout_make(lw_proto_layout *layout, lw_str json, lw_str document);
void lw_proto_layout_done(lw_proto_layout *layout);

/* The bytes of a leaf that are not those of its text. */
typedef struct lw_proto_leaf_room {
    char bytes[LW_PROTO_TIME_MAX];
} lw_proto_leaf_room;

/* Sets |*bytes| to the encoding of |text|, which is a valid JSON string without its quotes and
 * without escapes, or another JSON value, as a leaf of |form|.  False: only the encoder can tell
 * what it is. */
bool lw_proto_leaf_encode(lw_proto_place_form form, lw_str text, lw_proto_leaf_room *room,
                          lw_str *bytes);

#endif
