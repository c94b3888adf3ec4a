/* SPDX-License-Identifier: Apache-2.0 */
/* object.h -- the memory layout of an object, and how it is made from the scanner and written.
 *
 * An object is one block: the struct, the label index, the decoded texts, and the body, which is
 * the JSON or a message of another encoding (object_message.h), or either of them packed
 * (object_body.h).  Positions in the block are uint32
 * offsets instead of pointers, because a cache has a hundred thousand objects. */
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

/* The decoded texts in the block, in their order.  The resourceVersion is last, so that
 * lw_object_with_revision copies everything before it at once. */
typedef enum lw_object_field {
    LW_OBJECT_API_VERSION,
    LW_OBJECT_KIND,
    LW_OBJECT_NAMESPACE,
    LW_OBJECT_NAME,
    LW_OBJECT_UID,
    LW_OBJECT_RESOURCE_VERSION,
    LW_OBJECT_FIELD_COUNT,
} lw_object_field;

/* How a resourceVersion is inserted into the JSON. */
typedef enum lw_object_splice {
    LW_SPLICE_VALUE,         /* the value exists (or is null): replace it */
    LW_SPLICE_MEMBER,        /* metadata does not have it: insert a member and a comma */
    LW_SPLICE_ONLY_MEMBER,   /* metadata is empty */
    LW_SPLICE_NULL_METADATA, /* metadata is null: replace it with an object */
    LW_SPLICE_METADATA,      /* no metadata: insert it and a comma */
    LW_SPLICE_ONLY_METADATA, /* the object is {} */
} lw_object_splice;

/* What is known of the spec and the status of an object of a built-in kind.  It is known only of
 * what this process has written: after a restart the rules may be others. */
typedef enum lw_object_check {
    LW_OBJECT_UNCHECKED,  /* nothing */
    LW_OBJECT_NORMALIZED, /* reading and writing them as Go does (schema/validation/typed.h) would
                             not change their texts, and their values have the right types */
    LW_OBJECT_ADMITTED,   /* and to default and validate the spec, as for an update that leaves it
                             as it is, would change nothing and find nothing */
} lw_object_check;

/* One label.  The text of the value follows the terminator of the key. */
typedef struct lw_object_label_entry {
    uint32_t key_at; /* in the block */
    uint32_t value_at;
    uint32_t value_len;
} lw_object_label_entry;

/* A string decoded on demand, or the kept form; see object_kept.h. */
typedef struct lw_object_string_node lw_object_string_node;

/* A block that can be used again; see object_spare.h. */
typedef struct lw_object_spare lw_object_spare;

/* How a message is read; see object_message.h. */
typedef struct lw_message_ops lw_message_ops;

/* What a packed body is unpacked with; see object_body.h. */
typedef struct lw_object_origin lw_object_origin;

struct lw_object {
    lw_ref refs;
    uint32_t json_at; /* in the block: the JSON, or the message */
    uint64_t revision;
    _Atomic(lw_object_string_node *) strings; /* the only member that changes, besides refs */
    uint32_t json_len;
    uint32_t text_at[LW_OBJECT_FIELD_COUNT +
                     1]; /* in the block; the last one is the beginning of the labels */
    union {
        struct {                  /* JSON */
            uint32_t metadata_at; /* just after the '{' of metadata; 0: no metadata */
            uint32_t spec_at;     /* the bracket of spec; 0: unknown */
            uint32_t splice_at;   /* where a resourceVersion is inserted ... */
            uint32_t splice_cut;  /* ... and how many bytes it replaces */
        };
        struct { /* a message */
            const lw_message_ops *message_ops;
            const void *message_type;
        };
        struct { /* a packed body, of either kind */
            const lw_object_origin *origin;
            uint32_t open_len;  /* bytes of the unpacked body */
            atomic_uint opened; /* how many times it was unpacked, up to a limit */
        };
    };
    uint32_t splice : 3;     /* lw_object_splice */
    uint32_t is_stale : 1;   /* see lw_object__mark_stale */
    uint32_t is_message : 1; /* the body is not JSON, or it is packed */
    uint32_t is_packed : 1;
    uint32_t shares_labels : 1; /* packed: it has the labels of the sibling of its origin */
    uint32_t is_typed : 1;      /* messages: the JSON begins with kind and apiVersion */
    uint32_t checked : 2;       /* lw_object_check */
    uint32_t label_count : 22;
    lw_object_label_entry labels[]; /* sorted by key, without duplicates */
};

enum {
    LW_OBJECT_LABELS_MAX = (1 << 22) - 1, /* what fits label_count */
};

/* Bytes before the labels: sizeof would include padding. */
#define LW_OBJECT_HEAD offsetof(lw_object, labels)

/* Makes an object from |item|.  LW_ERR_NOMEM, LW_ERR_LIMIT (larger than 4 GiB). */
lw_status lw_object__from_item(const lw_scan_item *item, lw_object **out);

/* As lw_object__from_item for an item of a typed list: if it has no apiVersion or kind, it reports
 * the given ones, like client-go.  Its JSON does not change.  |spare| (object_spare.h) may be
 * NULL. */
lw_status lw_object__from_list_item(const lw_scan_item *item, lw_str api_version, lw_str kind,
                                    lw_object_spare *spare, lw_object **out);

/* Returns the bytes of the body: the length of the JSON, or of the message. */
static inline size_t lw_object__body_len(const lw_object *obj)
{
    return obj->is_packed ? obj->open_len : obj->json_len;
}

/* Appends the JSON of |obj|, without keeping it if it has to be made.  LW_ERR_NOMEM, LW_ERR_LIMIT:
 * of |out|. */
LW_MUST_CHECK lw_status lw_object__append_json(const lw_object *obj, lw_buf *out);

/* Passes the string at |pointer| to |use|, if there is one: as lw_object_get_string, but neither
 * terminated nor kept if possible, and valid only during the call.  Errors likewise. */
LW_MUST_CHECK lw_status lw_object__use_string(const lw_object *obj, const char *pointer,
                                              void (*use)(void *arg, lw_str text), void *arg);

/* Sets the error of an object that could not be made: LW_ERR_NOMEM or LW_ERR_LIMIT.  Returns
 * |st|. */
lw_status lw_object__error(lw_error *err, lw_status st);

/* Returns the scan options for |options| (NULL: the defaults). */
lw_scan_options lw_object__scan_options(const lw_read_options *options, lw_scan_shape shape);

/* Marks an object that nobody else has a reference to: it is stored in a form that is to be
 * replaced, so that an update must be written even if it changes nothing. */
void lw_object__mark_stale(lw_object *obj);
bool lw_object__is_stale(const lw_object *obj);

/* Says what is known of an object that nobody else has a reference to.  Copies with another
 * resourceVersion and packed ones are alike; what is read from a file is LW_OBJECT_UNCHECKED. */
void lw_object__set_checked(lw_object *obj, lw_object_check checked);
lw_object_check lw_object__checked(const lw_object *obj);

/* Sorts the labels of a new object and drops duplicates. */
void lw_object__sort_labels(lw_object *obj);

/* Finds the label |key|; false if there is none. */
bool lw_object__find_label(const lw_object *obj, lw_str key, lw_str *value);

/* Returns the text of |field|. */
lw_str lw_object__field(const lw_object *obj, lw_object_field field);

/* Sets a cursor in metadata before its first member.  Returns false if there is no metadata. */
bool lw_object__enter_metadata(const lw_object *obj, lw_json_cursor *c);

/* Gets another encoding of the whole object, which is made on demand and shared; valid as long as
 * the object.  There is one such form; the users agree on its format.  Returns false if none was
 * kept. */
bool lw_object__kept_form(const lw_object *obj, lw_str *out);

/* Stores a copy of |begin| and |rest|, concatenated, as that form, and counts it in |budget| (may
 * be NULL); if there is one already, it stays.  |*out| is the stored form.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_object__keep_form(const lw_object *obj, lw_str begin, lw_str rest,
                                             lw_form_budget *budget, lw_str *out);

/* Frees the strings decoded on demand, and the kept form. */
void lw_object__free_kept(lw_object *obj);

/* Returns the bytes of the strings decoded on demand and of the kept form. */
size_t lw_object__kept_memory(const lw_object *obj);

/* As lw_object_with_revision, with a block from |spare| (object_spare.h), which may be NULL. */
LW_MUST_CHECK lw_status lw_object__with_revision(lw_object **out, const lw_object *obj, uint64_t rv,
                                                 lw_object_spare *spare);

/* Finds the position of the resourceVersion in the JSON of |obj|, whose other members are set; |rv|
 * is the result of the scanner. */
void lw_object__find_splice(lw_object *obj, lw_scan_text rv);

/* Appends the JSON of |obj|, which has been made from JSON with a resourceVersion, with |revision|
 * in its place; empty: without that member. */
void lw_object__append_with_revision(const lw_object *obj, lw_str revision, lw_buf *out);

#endif
