/* SPDX-License-Identifier: Apache-2.0 */
/* object.h -- how an object lies in memory, and its way in from the scanner and out to the wire.
 *
 * One block: the struct, the label index, the decoded texts, the JSON.  Places in the block are
 * uint32 offsets, not pointers: a cache holds a hundred thousand of these. */
#ifndef LW_OBJECT_OBJECT_H
#define LW_OBJECT_OBJECT_H

#include <stdatomic.h>
#include <stddef.h>

#include <listwatch/object.h>

#include "base/buf.h"
#include "base/ref.h"
#include "object/form_budget.h"
#include "json/cursor.h"
#include "json/scan.h"

/* The texts decoded into the block, in the order they lie there.  The resourceVersion is last so
 * that lw_object_with_revision copies what is before it as one piece. */
typedef enum lw_object_field {
    LW_OBJECT_API_VERSION,
    LW_OBJECT_KIND,
    LW_OBJECT_NAMESPACE,
    LW_OBJECT_NAME,
    LW_OBJECT_UID,
    LW_OBJECT_RESOURCE_VERSION,
    LW_OBJECT_FIELD_COUNT,
} lw_object_field;

/* What a resourceVersion needs around it where it is spliced into the JSON. */
typedef enum lw_object_splice {
    LW_SPLICE_VALUE,         /* the value is there (or null): replace it */
    LW_SPLICE_MEMBER,        /* metadata lacks it: a member, and a comma before the next one */
    LW_SPLICE_ONLY_MEMBER,   /* metadata is empty */
    LW_SPLICE_NULL_METADATA, /* metadata is null: replace it by an object */
    LW_SPLICE_METADATA,      /* no metadata: add it, and a comma before the next member */
    LW_SPLICE_ONLY_METADATA, /* the object is {} */
} lw_object_splice;

/* One label.  The value's text follows the key's terminator. */
typedef struct lw_object_label_entry {
    uint32_t key_at; /* in the block */
    uint32_t value_at;
    uint32_t value_len;
} lw_object_label_entry;

/* A string decoded on demand, or the kept form; see object_kept.h. */
typedef struct lw_object_string_node lw_object_string_node;

struct lw_object {
    lw_ref refs;
    uint32_t json_at; /* in the block */
    uint64_t revision;
    _Atomic(lw_object_string_node *) strings; /* the only thing that changes, besides refs */
    uint32_t json_len;
    uint32_t text_at[LW_OBJECT_FIELD_COUNT + 1]; /* in the block; the last is where labels begin */
    uint32_t metadata_at; /* in the JSON, just after the '{' of metadata; 0: no metadata */
    uint32_t spec_at;     /* in the JSON: the bracket of spec; 0: look for it */
    uint32_t splice_at;   /* in the JSON: where a resourceVersion is spliced in ... */
    uint32_t splice_cut;  /* ... in place of this many bytes */
    uint32_t splice : 3;  /* lw_object_splice */
    uint32_t label_count : 29;
    lw_object_label_entry labels[]; /* sorted by key, no key twice */
};

/* Bytes before the labels: sizeof would count padding behind them. */
#define LW_OBJECT_HEAD offsetof(lw_object, labels)

/* A new object out of |item|.  LW_ERR_NOMEM, LW_ERR_LIMIT (larger than 4 GiB). */
lw_status lw_object__from_item(const lw_scan_item *item, lw_object **out);

/* The same for an item of a typed list: where it lacks its apiVersion or kind it reports the ones
 * given, as client-go fills them in.  Its JSON stays as it came. */
lw_status lw_object__from_list_item(const lw_scan_item *item, lw_str api_version, lw_str kind,
                                    lw_object **out);

/* Records why an object could not be made: LW_ERR_NOMEM or LW_ERR_LIMIT.  Returns |st|. */
lw_status lw_object__error(lw_error *err, lw_status st);

/* The options of a scan that reads as |options| (NULL: the defaults) say. */
lw_scan_options lw_object__scan_options(const lw_read_options *options, lw_scan_shape shape);

/* The label |key|; false when there is none. */
bool lw_object__find_label(const lw_object *obj, lw_str key, lw_str *value);

/* The text of |field|, with its length. */
lw_str lw_object__field(const lw_object *obj, lw_object_field field);

/* A cursor in metadata, before its first member.  False: there is no metadata. */
bool lw_object__enter_metadata(const lw_object *obj, lw_json_cursor *c);

/* Another encoding of the whole object, made when it was first needed and shared from then on;
 * lives as long as the object.  What the bytes are is for those who keep them to agree on: there is
 * one such form.  False: none was kept. */
bool lw_object__kept_form(const lw_object *obj, lw_str *out);

/* Keeps a copy of |begin| and |rest|, one behind the other, as that form, and counts it in |budget|
 * (NULL: nowhere); who was first stays.  |*out| is what is kept.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_object__keep_form(const lw_object *obj, lw_str begin, lw_str rest,
                                             lw_form_budget *budget, lw_str *out);

/* Frees the strings decoded on demand, and the kept form. */
void lw_object__free_kept(lw_object *obj);

/* Bytes of the strings decoded on demand, and of the kept form. */
size_t lw_object__kept_memory(const lw_object *obj);

/* Finds where a resourceVersion goes in the JSON of |obj|, whose other fields are set; |rv| is
 * what the scanner found of it. */
void lw_object__find_splice(lw_object *obj, lw_scan_text rv);

#endif
