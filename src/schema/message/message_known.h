/* SPDX-License-Identifier: Apache-2.0 */
/* message_known.h -- messages that were good: the same bytes of the same type are good again.
 *
 * Objects of a kind have many messages in common: tolerations, probes, resources, the sources of
 * volumes.  Comparing one costs less than reading its fields.  The memory is fixed. */
#ifndef LW_SCHEMA_MESSAGE_MESSAGE_KNOWN_H
#define LW_SCHEMA_MESSAGE_MESSAGE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/types/type_table.h"

enum {
    LW_KNOWN_MIN = 24,  /* bytes of a message: a shorter one is read as fast ... */
    LW_KNOWN_MAX = 192, /* ... and a longer one is seldom the same again */
    LW_KNOWN_SLOTS = 128,
};

typedef struct lw_known_message {
    const lw_wire_span *span; /* its type; NULL: none */
    uint16_t len;
    uint16_t depth; /* how deep it was nested */
    unsigned char bytes[LW_KNOWN_MAX];
} lw_known_message;

typedef struct lw_known_messages {
    lw_known_message slots[LW_KNOWN_SLOTS];
} lw_known_messages;

/* Returns the slot of messages of this type and length; NULL: they are not kept. */
static inline lw_known_message *lw_known_slot(lw_known_messages *known, const lw_wire_span *span,
                                              size_t len)
{
    if (!known || len < LW_KNOWN_MIN || len > LW_KNOWN_MAX)
        return NULL;
    uint32_t mixed = (uint32_t)(span - lw_wire_spans) * UINT32_C(0x9E3779B1) ^
                     (uint32_t)len * UINT32_C(0x85EBCA6B);
    return &known->slots[(mixed >> 16) % LW_KNOWN_SLOTS];
}

/* Returns true if |slot| has this message, nested as deep or deeper. */
static inline bool lw_known_has(const lw_known_message *slot, const lw_wire_span *span,
                                const unsigned char *bytes, size_t len, size_t depth)
{
    return slot->span == span && slot->len == len && slot->depth >= depth &&
           memcmp(slot->bytes, bytes, len) == 0;
}

static inline void lw_known_set(lw_known_message *slot, const lw_wire_span *span,
                                const unsigned char *bytes, size_t len, size_t depth)
{
    slot->span = span;
    slot->len = (uint16_t)len;
    slot->depth = (uint16_t)depth;
    memcpy(slot->bytes, bytes, len);
}

#endif
