/* SPDX-License-Identifier: Apache-2.0 */
/* compact.h -- objects at rest: the body is packed against a sibling and a dictionary (base/pack).
 *
 * The objects of a cache share most of their bytes.  The first object of a group, whose names
 * differ in the last part only ("web-7d4b-x2p4z"), is packed with the dictionary, which is made of
 * the first objects that it does not cover; the others with the first one.  Names, uid,
 * resourceVersion and labels stay readable; labels that equal those of the sibling are shared with
 * it.
 *
 * Reading a packed object unpacks its body into one of a few slots (object_body.h): reading the
 * same object again, or another one with the same sibling, finds it there.
 *
 * A reader that needs the whole object more than once takes an open copy (lw_compact_open_ref),
 * which equals the object that was packed.
 *
 * Threads: one thread packs; any thread reads, opens and frees the objects. */
#ifndef LW_OBJECT_COMPACT_COMPACT_H
#define LW_OBJECT_COMPACT_COMPACT_H

#include <stdbool.h>

#include <listwatch/object.h>

typedef struct lw_compact lw_compact;

/* Which objects of a cache are packed. */
typedef enum lw_compact_mode {
    LW_COMPACT_AUTO, /* those of large caches; the cache says which */
    LW_COMPACT_ON,   /* all objects */
    LW_COMPACT_OFF,
} lw_compact_mode;

/* Reads "auto", "on", "off" or NULL, which is |fallback|.  LW_ERR_INVALID. */
LW_MUST_CHECK lw_status lw_compact_mode_read(const char *text, lw_compact_mode fallback,
                                             lw_compact_mode *out, lw_error *err);

typedef struct lw_compact_options {
    bool keeps_open; /* an object that is read again and again keeps its unpacked body */
    /* 0: to as few bytes as possible.  Otherwise an object is compared with its sibling in order,
     * which is faster, also to unpack, if at most 1/fast_part of it remains. */
    unsigned fast_part;
} lw_compact_options;

enum {
    LW_COMPACT_BODY_MIN = 256, /* smaller bodies are not packed; larger than */
                               /* LW_PACK_BODY_MAX neither */
    LW_COMPACT_OPENED_MAX = 4, /* with keeps_open: unpacked so often, it keeps its body */
    LW_COMPACT_SLOTS = 16,     /* bodies that stay unpacked for the next reader */
    LW_COMPACT_GROUPS = 8,     /* siblings that the next object can be packed with */
};

/* LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_compact_new(lw_compact **out, const lw_compact_options *options);

/* Frees it when the last object that was packed with it is freed.  NULL does nothing. */
void lw_compact_close(lw_compact *compact);

/* Returns a packed copy of |obj|, or |obj| itself if it cannot be packed, does not become much
 * smaller or memory runs out; with a reference. */
lw_object *lw_compact_pack(lw_compact *compact, const lw_object *obj);

/* As lw_compact_pack, but an object that was packed or opened this way before gives the same copy
 * again, as long as it exists.  One thread at a time for an object. */
lw_object *lw_compact_pack_once(lw_compact *compact, const lw_object *obj);

bool lw_compact_is_packed(const lw_object *obj);

/* Returns |obj| as it was before it was packed; itself if it is not packed, or if its body is not
 * JSON.  With a reference; NULL: out of memory.  The copy refers to |obj|, which keeps its form
 * (lw_object__keep_form). */
lw_object *lw_compact_open_ref(const lw_object *obj);

/* Opens |*slot|, which is a reference, in place.  LW_ERR_NOMEM: it stays. */
LW_MUST_CHECK lw_status lw_compact_open(lw_object **slot);

/* Frees what a packed object keeps for its readers, if nobody but the caller has a reference. */
void lw_compact_forget_reads(lw_object *obj);

#endif
