/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h -- one pass over JSON bytes as they arrive: check, split into objects, find metadata.
 *
 * The scanner is fed chunks of any size and keeps no more than one object.  It checks everything
 * (UTF-8, escapes, numbers, structure, depth) unless told to trust its input, copies each object
 * out without the members nobody wants, and reports where its metadata stands in that copy.  The
 * answer, error offsets included, does not depend on how the bytes were cut into chunks.
 *
 * Members named twice: the last one counts, as everywhere in Kubernetes.  Sans-I/O, one thread. */
#ifndef LW_JSON_SCAN_H
#define LW_JSON_SCAN_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

/* What a document looks like, and so where the objects are. */
typedef enum lw_scan_shape {
    LW_SCAN_VALUE,  /* any JSON value: always checked, nothing copied, nobody called */
    LW_SCAN_OBJECT, /* the document is the object */
    LW_SCAN_LIST,   /* {"kind":"...List","metadata":{...},"items":[ objects ]} */
    LW_SCAN_EVENT,  /* {"type":"ADDED","object":{ object }} */
} lw_scan_shape;

/* A string inside lw_scan_item.json or in the envelope, between its quotes. */
typedef struct lw_scan_text {
    uint32_t at;     /* offset of its first byte */
    uint32_t len;    /* bytes, still escaped */
    bool is_present; /* false when absent or null */
    bool is_escaped; /* holds a backslash: decode with lw_json_unescape */
} lw_scan_text;

typedef struct lw_scan_label {
    lw_scan_text key;
    lw_scan_text value; /* not present when null, which Kubernetes reads as "" */
} lw_scan_label;

typedef struct lw_scan_envelope lw_scan_envelope;

/* One object, complete.  Everything dies when the callback returns. */
typedef struct lw_scan_item {
    lw_str json;                      /* its bytes without the dropped members; valid JSON */
    uint64_t offset;                  /* of its '{' in the input */
    const lw_scan_envelope *envelope; /* what stood before it in the document */
    lw_scan_text api_version, kind;
    lw_scan_text ns, name, uid, resource_version;
    uint32_t metadata_at;        /* offset in json just after the '{' of metadata; 0: no metadata */
    uint32_t spec_at;            /* the same of the bracket of spec; 0: none, or no container */
    const lw_scan_label *labels; /* in document order; a key may come twice, the last counts */
    size_t label_count;
} lw_scan_item;

/* What stood around the objects of one document.  |json| holds the strings. */
struct lw_scan_envelope {
    lw_str json;
    lw_scan_text type;                             /* of an event */
    lw_scan_text api_version, kind;                /* of a list */
    lw_scan_text resource_version, continue_token; /* of a list's metadata */
    int64_t remaining_item_count;                  /* -1: not said */
    uint64_t item_count;
    uint64_t end;   /* of the document: offset just after its '}' in the input */
    bool has_items; /* "items" or "object" was there */
};

/* Called for each object, and at the end of each document.  Any status but LW_OK stops the scan and
 * is what lw_scan_feed returns. */
typedef lw_status (*lw_scan_item_fn)(const lw_scan_item *item, void *arg, lw_error *err);
typedef lw_status (*lw_scan_document_fn)(const lw_scan_envelope *envelope, void *arg,
                                         lw_error *err);

enum {
    LW_SCAN_DEPTH = 512,               /* default nesting */
    LW_SCAN_DEPTH_MAX = 1024,          /* largest nesting that can be asked for */
    LW_SCAN_ITEM_LIMIT = 8 << 20,      /* default bytes of one object after dropping */
    LW_SCAN_ITEM_LIMIT_MAX = 1 << 30,  /* largest object that can be asked for */
    LW_SCAN_ENVELOPE_LIMIT = 64 << 10, /* bytes kept of what stands around the objects */
};

/* Paths are JSON Pointers into each object, where the segment "*" stands for every element of an
 * array or every member of an object.  |drop| leaves those members out; |keep| leaves out all
 * others, except apiVersion, kind and metadata's namespace, name, uid, resourceVersion and labels.
 * A scalar member where a path to keep goes deeper is kept.
 * An index is no segment: "/spec/containers/0" names a member "0", never an element.
 * Only one of the two may be given.  Both NULL: managedFields are dropped. */
typedef struct lw_scan_options {
    lw_scan_shape shape;
    bool is_stream;          /* documents follow one another, with blanks or nothing between them */
    bool trusts_input;       /* skip the checks; a malformed document may then give any answer */
    unsigned max_depth;      /* 0: LW_SCAN_DEPTH */
    size_t max_item;         /* 0: LW_SCAN_ITEM_LIMIT; a dropped member's key needs room, too */
    const char *const *drop; /* NULL-terminated; an empty list drops nothing */
    const char *const *keep; /* NULL-terminated */
    lw_scan_item_fn on_item; /* may be NULL */
    lw_scan_document_fn on_document; /* may be NULL */
    void *arg;
} lw_scan_options;

typedef struct lw_scan lw_scan;

/* LW_ERR_INVALID: a path is malformed, or would drop what identifies an object. */
lw_status lw_scan_new(lw_scan **out, const lw_scan_options *options, lw_error *err);
void lw_scan_free(lw_scan *scan);

/* Takes |len| further bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (well-formed, but not of
 * this shape, e.g. a name that is not a string), LW_ERR_LIMIT (too deep, too large), each with the
 * offset of the byte at fault; LW_ERR_NOMEM; or what a callback returned.  After an error the
 * scanner gives the same answer until it is reset. */
lw_status lw_scan_feed(lw_scan *scan, const char *bytes, size_t len, lw_error *err);

/* Says that the input ends here.  LW_ERR_SYNTAX when a document is incomplete, or there was none
 * (a stream may be empty). */
lw_status lw_scan_finish(lw_scan *scan, lw_error *err);

/* Starts afresh with the same options; keeps the memory. */
void lw_scan_reset(lw_scan *scan);

/* Chooses the code that sorts bytes: "scalar", "sse2", "avx2", "avx512" or "neon"; NULL is the best
 * one here, which a new scanner has already.  False when this build or machine lacks it.  For tests
 * and benchmarks: the answers are the same. */
bool lw_scan_use_simd(lw_scan *scan, const char *name);

/* Checks that |json| is one valid JSON value no deeper than |max_depth| (0: LW_SCAN_DEPTH).
 * Allocates nothing that outlives the call. */
lw_status lw_json_validate(lw_str json, unsigned max_depth, lw_error *err);

#endif
