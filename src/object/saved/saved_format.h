/* SPDX-License-Identifier: Apache-2.0 */
/* saved_format.h -- the records of saved objects, for both directions.
 *
 *   record      tag, length of what follows (words)
 *   DICTIONARY  bytes: those that a packer has collected.  Packers are numbered from 0
 *   TYPE        length of the apiVersion, bytes: apiVersion and kind of messages.  Numbered from 1;
 *               0 is JSON
 *   ORIGIN      packer, sibling, type: what objects are unpacked with.  Numbered from 0.  The
 *               sibling is the number of a BASE or HIDDEN plus one; 0: there is none
 *   OBJECT      an object, see below
 *   BASE        likewise; others may be packed with it.  Numbered from 0, together with HIDDEN
 *   HIDDEN      likewise, but not in the cache any more
 *   SHOWN       number of a HIDDEN that is in the cache after all
 *   NOTE        a word: what the writer knows of the object that is in the cache next
 *
 * A word is a little-endian uint32.  An object is its words (saved_word), three words for each of
 * its labels (position of the key, position and length of the value), its texts and its body.
 * Positions are relative to the texts.
 *
 * Whoever changes this, the format of packed bodies (base/pack/pack_format.h) or what belongs to a
 * packed object (compact_internal.h) must raise LW_STATE_VERSION (state/state_file.h). */
#ifndef LW_OBJECT_SAVED_SAVED_FORMAT_H
#define LW_OBJECT_SAVED_SAVED_FORMAT_H

#include <stdint.h>

#include "object/object.h"

typedef enum saved_tag {
    SAVED_DICTIONARY = 1,
    SAVED_TYPE,
    SAVED_ORIGIN,
    SAVED_OBJECT,
    SAVED_BASE,
    SAVED_HIDDEN,
    SAVED_SHOWN,
    SAVED_NOTE,
} saved_tag;

enum {
    SAVED_WORD = 4, /* bytes */
    SAVED_HEAD = 2 * SAVED_WORD,
    SAVED_LABEL_WORDS = 3,
    SAVED_ORIGIN_WORDS = 3,
    SAVED_MARKS = 4,
};

/* The words of an object. */
typedef enum saved_word {
    SAVED_FLAGS,    /* saved_flag, and the splice in the lowest bits */
    SAVED_FROM,     /* packed: its origin; a message: its type */
    SAVED_LABELS,   /* how many of its own */
    SAVED_TEXT_END, /* of each text, with its terminator */
    SAVED_TEXT_LEN = SAVED_TEXT_END + LW_OBJECT_FIELD_COUNT, /* of all texts, with the labels */
    SAVED_BODY_LEN,
    SAVED_OPEN_LEN, /* of the unpacked body */
    SAVED_REVISION,
    SAVED_REVISION_HIGH,
    SAVED_MARK, /* metadata_at, spec_at, splice_at, splice_cut; of JSON */
    SAVED_WORDS = SAVED_MARK + SAVED_MARKS,
} saved_word;

typedef enum saved_flag {
    SAVED_SPLICE = 7,
    SAVED_IS_STALE = 1 << 3,
    SAVED_IS_MESSAGE = 1 << 4,
    SAVED_IS_PACKED = 1 << 5,
    SAVED_SHARES_LABELS = 1 << 6,
    SAVED_IS_TYPED = 1 << 7,
    SAVED_FLAGS_END = 1 << 8,
} saved_flag;

static inline uint32_t saved_get(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void saved_set(char *at, uint32_t word)
{
    for (int i = 0; i < SAVED_WORD; i++)
        at[i] = (char)(unsigned char)(word >> (8 * i));
}

#endif
