/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h -- writes bytes as copies from similar bytes: delta encoding against a sibling and a
 * dictionary.
 *
 * All but the dictionary is in one block of memory, the room:
 *
 *     sibling | hint | body
 *
 * The sibling is the body of a similar object, the hint is a short text that is likely to be a part
 * of the body, and both may be empty.  A packed body is a sequence of
 *
 *     token  literal bytes  address
 *
 * The token has the number of literal bytes and of bytes to copy.  The address is where the copy
 * begins: most copies go on where the last one has ended, so that one byte is enough.  Runs of
 * hexadecimal digits, which are random in identifiers, need half a byte for each.
 *
 * lw_pack_aligned writes a body that is like its sibling in another form: in which places it
 * differs, and the bytes there (pack_format.h).  lw_unpack reads both.
 *
 * Threads: one thread packs, with a dictionary that only it extends; any number of threads unpack
 * what was packed before. */
#ifndef LW_BASE_PACK_PACK_H
#define LW_BASE_PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_PACK_BODY_MAX = 32000,
    LW_PACK_HINT_MAX = 1024,
    LW_PACK_SLACK = 32, /* bytes after a room that comparisons may read and copies overwrite */
    LW_PACK_DICTIONARY_MAX = 1 << 16,
    LW_PACK_HEAD_BITS = 11,
    LW_PACK_DICTIONARY_BITS = 13,
    LW_PACK_HEADS = 1 << LW_PACK_HEAD_BITS,
    LW_PACK_DICTIONARY_HEADS = 1 << LW_PACK_DICTIONARY_BITS,
};

/* Where each sequence of four bytes of a sibling was seen last: its position + 1. */
typedef struct lw_pack_heads {
    uint16_t at[LW_PACK_HEADS];
} lw_pack_heads;

/* Bytes that occur often, up to LW_PACK_DICTIONARY_MAX. */
typedef struct lw_pack_dictionary {
    uint32_t len;
    uint16_t at[LW_PACK_DICTIONARY_HEADS];
    char bytes[LW_PACK_DICTIONARY_MAX + LW_PACK_SLACK];
} lw_pack_dictionary;

/* Appends |bytes|; false: there is no space. */
bool lw_pack_dictionary_add(lw_pack_dictionary *dictionary, lw_str bytes);

/* What a body is packed or unpacked with. */
typedef struct lw_pack_room {
    const lw_pack_dictionary *dictionary;
    char *bytes;
    size_t sibling_len; /* <= LW_PACK_BODY_MAX */
    size_t hint_len;    /* <= LW_PACK_HINT_MAX */
    size_t body_len;    /* <= LW_PACK_BODY_MAX */
} lw_pack_room;

/* Fills |heads| from the sibling of |room|. */
void lw_pack_index(const lw_pack_room *room, lw_pack_heads *heads);

/* Returns the maximum length of a packed body. */
static inline size_t lw_pack_bound(size_t body_len)
{
    return body_len + body_len / 4 + 64;
}

/* Packs the body of |room|, after which LW_PACK_SLACK more bytes may be read, into |dst|, which has
 * lw_pack_bound bytes.  |heads| are those of its sibling, all zero without one; they are changed
 * meanwhile, and are the same afterwards.  Returns the length. */
size_t lw_pack(const lw_pack_room *room, lw_pack_heads *heads, char *packed);

/* The same in less time, with what differs from the sibling in more bytes, and also faster to
 * unpack.  Returns 0, and |dst| is garbage, if the length would be more than |most|, or if there is
 * no sibling and the dictionary, which then stands for it, still has space for the body. */
size_t lw_pack_aligned(const lw_pack_room *room, const lw_pack_heads *heads, char *dst,
                       size_t most);

/* Restores the body of |room| at |body|, after which LW_PACK_SLACK more bytes may be written.  Of
 * the room itself sibling and hint are read.  LW_PACK_SLACK more bytes may be read after them, and
 * after |packed|, which must not overlap what is written.  LW_ERR_INTERNAL: |packed| was not made
 * with this room. */
LW_MUST_CHECK lw_status lw_unpack(const lw_pack_room *room, lw_str packed, char *body);

#endif
