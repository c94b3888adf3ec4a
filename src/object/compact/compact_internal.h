/* SPDX-License-Identifier: Apache-2.0 */
/* compact_internal.h -- the parts of lw_compact. */
#ifndef LW_OBJECT_COMPACT_COMPACT_INTERNAL_H
#define LW_OBJECT_COMPACT_COMPACT_INTERNAL_H

#include <stdatomic.h>

#include "base/hash.h"
#include "base/pack/pack.h"
#include "base/ref.h"
#include "base/sync.h"
#include "object/compact/compact.h"
#include "object/object_body.h"

/* What an object is unpacked with.  Each object that was packed with it has a reference to it. */
typedef struct lw_compact_origin {
    lw_object_origin base; /* |sibling| is a reference; it has no sibling itself */
    lw_ref refs;
    lw_compact *compact; /* a reference */
    uint64_t number;     /* which slot its objects use */
} lw_compact_origin;

/* An unpacked body, or none.  Layout: see pack.h. */
typedef struct lw_compact_slot {
    lw_mutex mu;             /* guards the following members; held while somebody reads the body */
    const lw_object *object; /* whose body it is; NULL: none */
    const lw_compact_origin *origin; /* whose sibling is at the beginning; NULL: none */
    size_t sibling_len;
    char *bytes;
    size_t capacity;
} lw_compact_slot;

/* The first object of a group, which others are packed with. */
typedef struct lw_compact_group {
    uint64_t hash;
    lw_object *first;          /* a reference; NULL: unused */
    lw_compact_origin *origin; /* a reference; NULL: there was no second object yet */
    char *bytes;               /* its body, and space for another one */
    size_t len, capacity;
    unsigned unlike;     /* so many more are not compared in order */
    lw_pack_heads heads; /* if there is an origin */
} lw_compact_group;

struct lw_compact {
    lw_ref refs;
    lw_compact_options options;
    lw_compact_slot slots[LW_COMPACT_SLOTS];

    /* Only for the thread that packs. */
    lw_hash_seed seed;
    uint64_t origins;        /* that were made so far */
    lw_compact_origin *root; /* without a sibling; NULL: none yet */
    lw_compact_group groups[LW_COMPACT_GROUPS];
    lw_compact_group *last; /* that of the object before; NULL: there was none */
    char *packed;
    size_t packed_capacity;
    lw_pack_heads heads; /* of no sibling: all zero */

    lw_pack_dictionary dictionary; /* it grows, but what objects were packed with does not change */
    atomic_uint_least32_t dictionary_len; /* any thread may read so many of its bytes */
};

lw_compact *lw_compact__ref(lw_compact *compact);
void lw_compact__unref(lw_compact *compact);

/* Gives a new packer |bytes| as its dictionary, at most LW_PACK_DICTIONARY_MAX. */
void lw_compact__set_dictionary(lw_compact *compact, lw_str bytes);

/* Makes an origin with a reference to |sibling|, which may be NULL; NULL: out of memory. */
lw_compact_origin *lw_compact__origin_new(lw_compact *compact, const lw_message_ops *ops,
                                          const void *type, lw_object *sibling);
lw_compact_origin *lw_compact__origin_ref(lw_compact_origin *origin);
void lw_compact__origin_unref(lw_compact_origin *origin); /* NULL does nothing */

/* Returns the origin of a packed object. */
lw_compact_origin *lw_compact__origin_of(const lw_object *obj);

/* Unpacks |obj| into |slot| and sets |*body|.  The caller has the lock of the
 * slot.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_compact__fill(lw_compact_slot *slot, const lw_object *obj, lw_str *body);

/* The same for a body at |body|, after which LW_PACK_SLACK more bytes are written. */
LW_MUST_CHECK lw_status lw_compact__fill_at(lw_compact_slot *slot, const lw_object *obj,
                                            char *body);

/* What an object with JSON has in the place where a packed one has its origin; kept before the
 * packed body (LW_PACK_BODY_MAX is less than 1 << 16). */
typedef struct lw_compact_marks {
    uint16_t metadata_at, spec_at, splice_at, splice_cut;
} lw_compact_marks;

/* Returns true if |obj| is packed and its body is JSON. */
bool lw_compact__has_marks(const lw_object *obj);

/* Returns where the labels of |obj| end. */
uint32_t lw_compact__labels_end(const lw_object *obj);

/* Returns the text that the body of |obj| is likely to contain. */
lw_str lw_compact__hint(const lw_object *obj);

/* Makes |*bytes| at least |wanted| long; its contents stay.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_compact__reserve(char **bytes, size_t *capacity, size_t wanted);

/* How packed JSON is read. */
extern const lw_message_ops lw_compact__json_ops;

#endif
