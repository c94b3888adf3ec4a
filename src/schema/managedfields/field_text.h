/* SPDX-License-Identifier: Apache-2.0 */
/* field_text.h -- writes a field set as text, in the order of Kubernetes, in one walk of a
 * document.
 *
 * The members or items of the current value are on a stack next to each other.  They are sorted and
 * written one by one, each with its own members above it on the stack.  A part without fields is
 * removed from the output again. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_TEXT_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_TEXT_H

#include "schema/managedfields/field_place.h"

enum {
    LW_FIELD_FIRST_PARTS = 64,
};

/* A member of an object, or an item of a list. */
typedef struct lw_field_part {
    union {
        const char *name; /* of a member */
        size_t at;        /* of an item: its path element in |elements| */
    };
    size_t len;
    lw_place place;       /* the place of its value */
    const lw_node *value; /* NULL: present without a node, a zero of Go */
    uint16_t rank;        /* a declared member: its position in the type, which is sorted by name */
    bool is_item;
    bool is_plain;  /* declared by a built-in type: the name needs no escapes */
    bool is_twin;   /* for an item: another item has the same element */
    bool is_self;   /* it is in the set itself, not only what is below */
    bool was_there; /* in a new object: it was present before that was created */
} lw_field_part;

typedef struct lw_field_text lw_field_text;

/* What distinguishes one kind of walk from another. */
typedef struct lw_field_walker {
    /* Pushes the member |name| of |parent|, unless it is absent or no field. */
    void (*push_member)(lw_field_text *text, const lw_field_part *parent, lw_str name,
                        const lw_node *value);

    /* Pushes the fields that |parent| has besides those that were pushed above |start|.  NULL:
     * there are none. */
    void (*push_others)(lw_field_text *text, const lw_field_part *parent, size_t start);

    /* Writes |part| and what is below it; false: it has no fields, and nothing is written. */
    bool (*write_part)(lw_field_text *text, const lw_field_part *part, unsigned depth);
} lw_field_walker;

struct lw_field_text {
    const lw_field_walker *walker;
    lw_buf *out;     /* borrowed */
    bool is_empty;   /* the current object of the output */
    lw_buf elements; /* of the items on the stack */
    lw_field_part first[LW_FIELD_FIRST_PARTS];
    lw_field_part *parts; /* |first|, or on the heap */
    size_t count, cap;
    lw_status st;
};

/* The text must stay where it is. */
void lw_field_text_init(lw_field_text *text, const lw_field_walker *walker, lw_buf *out);

/* Returns the first failure, also of |out|. */
lw_status lw_field_text_done(lw_field_text *text);

/* Describes the member |name| of |parent| without its value.  False: there is no such field. */
bool lw_field_part_of(lw_place parent, lw_str name, lw_field_part *out);

/* A struct whose members are those of a built-in type, and no others. */
static inline bool lw_field_is_declared(lw_place place)
{
    return place.type && place.type->form == LW_TYPE_STRUCT && place.type->package;
}

/* The part of lw_field_text_push for a full stack. */
lw_field_part *lw_field_text__grow(lw_field_text *text);

/* Returns the room above the stack for a part, which counts from lw_field_text_push on; NULL: the
 * text has failed. */
static inline lw_field_part *lw_field_text_room(lw_field_text *text)
{
    return text->count < text->cap ? &text->parts[text->count] : lw_field_text__grow(text);
}

static inline void lw_field_text_push(lw_field_text *text)
{
    text->count++;
}

/* Writes the managed fields of |document|, except |ignored| (a set of members of the document;
 * NULL: none), as a set.  False: there are none, and the set is {}. */
bool lw_field_text_write(lw_field_text *text, const lw_type *type, const lw_node *document,
                         const lw_node *ignored);

/* Write a part whose value is below an element: one that has nothing below, and one with the items
 * or members of |value| (NULL: none), if it has some or is in the set itself. */
void lw_field_text_leaf(lw_field_text *text, const lw_field_part *part);
bool lw_field_text_container(lw_field_text *text, const lw_field_part *part, const lw_node *value,
                             bool is_list, unsigned depth);

#endif
