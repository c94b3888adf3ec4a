/* SPDX-License-Identifier: Apache-2.0 */
/* type.h -- what a kind has in it: its fields, their types, and how they are merged.
 *
 * A type is known by its form.  Structs have fields in the order in which Go declares them, which
 * is that of JSON written by kube-apiserver, and members: the names an object may have in JSON,
 * with those of inline structs, in the order of their names.
 *
 *     type of Volume ─ fields:  name, VolumeSource (inline, number 2)
 *                    └ members: awsElasticBlockStore (via VolumeSource), ..., name, ...
 *
 * Types of the built-in kinds are constant and made from src/schema/fields/ when the library is
 * built (docs/internals/fields.md).  Nothing here depends on that: a custom resource's types may be
 * the same structures, allocated.  Types never change; any thread may read them. */
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
    LW_TYPE_MICRO_TIME,    /* RFC 3339, six digits of a second */
    LW_TYPE_DURATION,      /* "1m30s" */
    LW_TYPE_RAW,           /* any JSON */
    LW_TYPE_FIELDS_V1,     /* any JSON: who owns which fields */
    LW_TYPE_LIST,
    LW_TYPE_MAP, /* from strings to |element| */
    LW_TYPE_STRUCT,
    LW_TYPE_EITHER, /* in JSON, the value of one of its fields, told apart by what JSON it is */
} lw_type_form;

enum {
    LW_TYPE_MEMBERS_MAX = 512, /* members of one struct; tools/fields.py and whoever makes types
                                  at run time refuse more */
};

typedef struct lw_type lw_type;
typedef struct lw_field lw_field;
typedef struct lw_member lw_member;

/* Where structs come from. */
typedef struct lw_package {
    lw_str proto; /* "k8s.io.api.core.v1" */
} lw_package;

struct lw_type {
    lw_type_form form;
    bool is_atomic;            /* of a struct or map: apply replaces it as a whole */
    bool takes_others;         /* of a struct made at run time: it may have more than it names */
    uint16_t field_count;      /* structs and eithers */
    uint16_t member_count;     /* the same; at most LW_TYPE_MEMBERS_MAX */
    uint16_t numbered_count;   /* fields that protobuf has */
    lw_str name;               /* "PodSpec"; empty for what is neither struct nor either */
    lw_str go;                 /* "v1.PodSpec", "[]v1.Container", "int32": for messages */
    lw_str description;        /* one line; may be empty */
    const lw_package *package; /* structs and eithers; NULL: made at run time */
    const lw_type *element;    /* lists and maps */
    const lw_field *fields;    /* in the order of Go's; of a list or map made at run time: the one
                                  that its elements are like, or NULL */
    const lw_member *members;  /* in the order of their names */
    const uint16_t *numbered;  /* places in |fields|, in the order of their numbers in protobuf */
};

/* How a field behaves. */
enum {
    LW_FIELD_IS_REQUIRED = 1 << 0,
    LW_FIELD_ALWAYS = 1 << 1,  /* written to JSON also when it is empty */
    LW_FIELD_POINTER = 1 << 2, /* absent and zero are two things */
    LW_FIELD_INLINE = 1 << 3,  /* a struct whose members stand among ours in JSON, and which is a
                                  message of its own in protobuf; its name is the struct's */
    LW_FIELD_ATOMIC = 1 << 4,  /* apply: a map or struct that is replaced as a whole */
    /* Lists, for apply.  One of them, or none, which counts as atomic. */
    LW_FIELD_LIST_ATOMIC = 1 << 5,
    LW_FIELD_LIST_SET = 1 << 6, /* each value once */
    LW_FIELD_LIST_MAP = 1 << 7, /* by the keys in the rules */
    /* Strategic merge patches, whose rules are older and differ.  Without these, lists are replaced
     * and structs merged. */
    LW_FIELD_PATCH_MERGE = 1 << 8,    /* by the rules' key; without one, of plain values */
    LW_FIELD_RETAIN_KEYS = 1 << 9,    /* the patch may say which members remain */
    LW_FIELD_PATCH_REPLACE = 1 << 10, /* of a struct: replaced, not merged */
    LW_FIELD_OMIT_ZERO = 1 << 11      /* of a struct or time: not written to JSON when it is zero */
};

/* What only some fields have. */
typedef struct lw_field_rules {
    const lw_str *list_keys; /* of LW_FIELD_LIST_MAP: members of the elements; ends with an empty
                                one, and is never NULL */
    lw_str patch_key;        /* of LW_FIELD_PATCH_MERGE; may be empty */
    lw_str fallback;         /* JSON that an absent field counts as; may be empty */
} lw_field_rules;

struct lw_field {
    lw_str name; /* in JSON */
    const lw_type *type;
    const lw_field_rules *rules; /* NULL: none */
    lw_str description;          /* one line; may be empty */
    uint16_t number;             /* in protobuf; 0: not there */
    uint16_t flags;              /* LW_FIELD_ */
};

/* A name that an object may have in JSON. */
struct lw_member {
    const lw_field *field;
    const lw_field *via; /* the inline field it comes through; NULL: a field of the struct itself */
    uint64_t start;      /* lw_type_name_start of its name */
};

/* The first eight bytes of |name|, zeros behind it, as a number that is in the order of names. */
static inline uint64_t lw_type_name_start(lw_str name)
{
    const unsigned char *p = (const unsigned char *)name.ptr;
    uint64_t start = 0;
    if (name.len >= sizeof(start))
        return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
               (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
               (uint64_t)p[6] << 8 | p[7];
    for (size_t i = 0; i < name.len; i++)
        start |= (uint64_t)p[i] << (56 - 8 * i);
    return start;
}

/* What values of |type| are in JSON: of an either with one field, which is a message in protobuf
 * alone, those of the field. */
static inline const lw_type *lw_type_in_json(const lw_type *type)
{
    return type->form == LW_TYPE_EITHER && type->field_count == 1 ? type->fields[0].type : type;
}

/* The type of a built-in kind, or of its list; NULL: not one of ours. */
const lw_type *lw_type_of_kind(lw_gvk gvk);

/* The member |name| of a struct; NULL: it has none, or |type| is no struct. */
const lw_member *lw_type_member(const lw_type *type, lw_str name);

/* The field of that member; NULL as above. */
const lw_field *lw_type_field(const lw_type *type, lw_str name);

/* The field of |number| in protobuf, inline ones too; NULL: there is none. */
const lw_field *lw_type_field_numbered(const lw_type *type, unsigned number);

#endif
