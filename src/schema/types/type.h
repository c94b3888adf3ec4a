/* SPDX-License-Identifier: Apache-2.0 */
/* type.h -- the fields of a kind, their types, and how they are merged.
 *
 * The form of a type says what its values are.  A struct has fields, in the order of the Go
 * declaration, which is the order in which kube-apiserver writes JSON.  It also has members: all
 * names that its JSON object may have, including those of inline structs, sorted by name.
 *
 *     type of Volume ─ fields:  name, VolumeSource (inline, number 2)
 *                    └ members: awsElasticBlockStore (via VolumeSource), ..., name, ...
 *
 * The types of built-in kinds are constants that the build generates from src/schema/fields/
 * (docs/internals/fields.md).  The types of custom resources have the same structures, allocated at
 * run time. Threads: any; types are immutable. */
#ifndef LW_SCHEMA_TYPES_TYPE_H
#define LW_SCHEMA_TYPES_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/gvk.h>
#include <listwatch/str.h>

typedef enum lw_type_form {
    LW_TYPE_BOOL,
    LW_TYPE_INT32,
    LW_TYPE_INT64,
    LW_TYPE_DOUBLE,
    LW_TYPE_STRING,
    LW_TYPE_BYTES,         /* base64 in JSON */
    LW_TYPE_QUANTITY,      /* "100m", or a number */
    LW_TYPE_INT_OR_STRING, /* 80 or "http" */
    LW_TYPE_TIME,          /* RFC 3339 */
    LW_TYPE_MICRO_TIME,    /* RFC 3339 with microseconds */
    LW_TYPE_DURATION,      /* "1m30s" */
    LW_TYPE_RAW,           /* any JSON */
    LW_TYPE_FIELDS_V1,     /* any JSON: a field set of managedFields */
    LW_TYPE_LIST,
    LW_TYPE_MAP, /* keys are strings, values are |element| */
    LW_TYPE_STRUCT,
    LW_TYPE_EITHER, /* the JSON value of one of its fields, which the JSON type selects */
} lw_type_form;

enum {
    LW_TYPE_MEMBERS_MAX = 512, /* members of one struct; tools/fields.py and code that makes types
                                  at run time enforce it */
};

typedef struct lw_type lw_type;
typedef struct lw_field lw_field;
typedef struct lw_member lw_member;

/* The Go package of a struct. */
typedef struct lw_package {
    lw_str proto; /* "k8s.io.api.core.v1" */
} lw_package;

struct lw_type {
    lw_type_form form;
    bool is_atomic;            /* structs and maps: apply replaces it as a whole */
    bool takes_others;         /* structs made at run time: may have undeclared members */
    uint16_t field_count;      /* structs and eithers */
    uint16_t member_count;     /* structs and eithers; at most LW_TYPE_MEMBERS_MAX */
    uint16_t numbered_count;   /* number of fields that protobuf has */
    uint16_t wire;             /* built-in types: position in lw_wire_spans */
    uint32_t description;      /* for lw_type_text */
    lw_str name;               /* "PodSpec"; empty unless it is a struct or either */
    lw_str go;                 /* "v1.PodSpec", "[]v1.Container", "int32": for error messages */
    const lw_package *package; /* structs and eithers; NULL: made at run time */
    const lw_type *element;    /* lists and maps */
    const lw_field *fields;    /* in the order of Go; of a list or map made at run time: the field
                                  whose rules apply to its elements, or NULL */
    const lw_member *members;  /* sorted by name */
    const uint16_t *added;     /* built-in types: positions in |members| of those with
                                  LW_FIELD_ADDED, but not via a pointer */
    uint16_t added_count;
    const uint16_t *numbered; /* positions in |fields|, sorted by protobuf number */
    const uint8_t *places;    /* a hash table of the members, at most half full: 1 plus the position
                                 of each at the hash of its start (type.c), or after it;
                                 0: free.  NULL: made at run time, or too many members */
    uint8_t place_shift;      /* 64 minus the binary logarithm of its size */
};

/* How a field behaves. */
enum {
    LW_FIELD_IS_REQUIRED = 1 << 0,
    LW_FIELD_ALWAYS = 1 << 1,  /* written to JSON even if it is empty */
    LW_FIELD_POINTER = 1 << 2, /* absent and zero are different */
    LW_FIELD_INLINE = 1 << 3,  /* a struct whose members are inlined into this one in JSON; a
                                  separate message in protobuf; its name is that of the struct */
    LW_FIELD_ATOMIC = 1 << 4,  /* apply: a map or struct that is replaced as a whole */
    /* Lists, for apply.  At most one of these; none means atomic. */
    LW_FIELD_LIST_ATOMIC = 1 << 5,
    LW_FIELD_LIST_SET = 1 << 6, /* each value once */
    LW_FIELD_LIST_MAP = 1 << 7, /* elements are identified by the keys in the rules */
    /* Strategic merge patch, whose rules are older and differ.  Without these flags lists are
     * replaced and structs are merged. */
    LW_FIELD_PATCH_MERGE = 1 << 8,    /* by the merge key in the rules; scalars if there is none */
    LW_FIELD_RETAIN_KEYS = 1 << 9,    /* the patch may list the members to keep */
    LW_FIELD_PATCH_REPLACE = 1 << 10, /* structs: replaced, not merged */
    LW_FIELD_OMIT_ZERO = 1 << 11,     /* structs and times: omitted from JSON if zero */
    LW_FIELD_ADDED = 1 << 12          /* added to JSON if it is absent: with LW_FIELD_ALWAYS, and
                                         structs and other types that Go never omits */
};

/* Attributes that only some fields have. */
typedef struct lw_field_rules {
    const lw_str *list_keys; /* for LW_FIELD_LIST_MAP: key members of the elements; never NULL,
                                terminated by an empty string */
    lw_str patch_key;        /* for LW_FIELD_PATCH_MERGE; may be empty */
    lw_str fallback;         /* default value for merge keys, as JSON; may be empty */
} lw_field_rules;

struct lw_field {
    lw_str name; /* in JSON */
    const lw_type *type;
    const lw_field_rules *rules; /* NULL: none */
    uint32_t description;        /* for lw_type_text */
    uint16_t number;             /* in protobuf; 0: not in protobuf */
    uint16_t flags;              /* LW_FIELD_* flags */
};

/* A member name that a JSON object may have. */
struct lw_member {
    const lw_field *field;
    const lw_field *via; /* the innermost inline field that contains it; NULL: a field of the
                            struct itself */
    uint64_t start;      /* lw_type_name_start of the name */
};

/* The first four bytes at |p|. */
static inline uint32_t lw_type__four_bytes(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Returns the first eight bytes of |name|, padded with zeros, as a number that sorts like names. */
static inline uint64_t lw_type_name_start(lw_str name)
{
    uint64_t start = 0;
    if (name.len >= 4) { /* two halves, which overlap if there are fewer than eight bytes */
        size_t len = name.len < sizeof(start) ? name.len : sizeof(start);
        return (uint64_t)lw_type__four_bytes(name.ptr) << 32 |
               (uint64_t)lw_type__four_bytes(name.ptr + len - 4) << (64 - 8 * len);
    }
    for (size_t i = 0; i < name.len; i++)
        start |= (uint64_t)(unsigned char)name.ptr[i] << (56 - 8 * i);
    return start;
}

/* Returns the type of the JSON values of |type|.  An either with one field is a message only in
 * protobuf; in JSON it is the value of the field. */
static inline const lw_type *lw_type_in_json(const lw_type *type)
{
    return type->form == LW_TYPE_EITHER && type->field_count == 1 ? type->fields[0].type : type;
}

/* Returns a description, one line; empty if there is none, and for types made at run time. */
lw_str lw_type_text(uint32_t description);

/* Returns the type of a built-in kind or of its list; NULL: not a built-in kind. */
const lw_type *lw_type_of_kind(lw_gvk gvk);

/* Returns the member |name| of a struct; NULL: not a struct, or no such member. */
const lw_member *lw_type_member(const lw_type *type, lw_str name);

/* Returns the field of that member; NULL as above. */
const lw_field *lw_type_field(const lw_type *type, lw_str name);

/* Returns the field with protobuf number |number|, including inline fields; NULL: none. */
const lw_field *lw_type_field_numbered(const lw_type *type, unsigned number);

#endif
