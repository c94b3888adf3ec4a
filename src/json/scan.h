/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h -- one pass over JSON bytes as they arrive: validates, splits into objects, finds
 * metadata.
 *
 * The scanner gets chunks of any size and keeps at most one object in memory.  It validates
 * everything (UTF-8, escapes, numbers, structure, depth) unless the input is trusted, and reports
 * each object without the dropped members and the positions of its metadata in it: a copy, or the
 * bytes of the chunk if that has all of it and nothing is dropped.
 * Results and error offsets do not depend on the sizes of the chunks.
 *
 * Of members with the same name, the last one is used, as everywhere in Kubernetes.  It does no
 * I/O; one thread at a time. */
#ifndef LW_JSON_SCAN_H
#define LW_JSON_SCAN_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

/* The shape of a document, which determines where the objects are. */
typedef enum lw_scan_shape {
    LW_SCAN_VALUE,  /* any JSON value: always validated, nothing is copied, no callbacks */
    LW_SCAN_OBJECT, /* the document is the object */
    LW_SCAN_LIST,   /* {"kind":"...List","metadata":{...},"items":[ objects ]} */
    LW_SCAN_EVENT,  /* {"type":"ADDED","object":{ object }} */
} lw_scan_shape;

/* A string inside lw_scan_item.json or in the envelope, between its quotes. */
typedef struct lw_scan_text {
    uint32_t at;     /* offset of its first byte */
    uint32_t len;    /* bytes, still escaped */
    bool is_present; /* false if absent or null */
    bool is_escaped; /* contains escapes: decode with lw_json_unescape */
} lw_scan_text;

typedef struct lw_scan_label {
    lw_scan_text key;
    lw_scan_text value; /* not present if null, which Kubernetes reads as "" */
} lw_scan_label;

typedef struct lw_scan_envelope lw_scan_envelope;

/* One complete object.  All of it is valid only during the callback. */
typedef struct lw_scan_item {
    lw_str json;                      /* its bytes without the dropped members; valid JSON */
    uint64_t offset;                  /* of its '{' in the input */
    const lw_scan_envelope *envelope; /* the part of the document before it */
    lw_scan_text api_version, kind;
    lw_scan_text ns, name, uid, resource_version;
    uint32_t metadata_at;        /* offset in json just after the '{' of metadata; 0: no metadata */
    uint32_t spec_at;            /* the same for the bracket of spec; 0: none, or not a container */
    const lw_scan_label *labels; /* in document order; of equal keys the last one counts */
    size_t label_count;
} lw_scan_item;

/* The document without its objects.  |json| contains the strings. */
struct lw_scan_envelope {
    lw_str json;
    lw_scan_text type;                             /* of an event */
    lw_scan_text api_version, kind;                /* of a list */
    lw_scan_text resource_version, continue_token; /* of a list's metadata */
    int64_t remaining_item_count;                  /* -1: absent */
    uint64_t item_count;
    uint64_t end;   /* of the document: offset just after its '}' in the input */
    bool has_items; /* "items" or "object" exists */
};

/* Called for each object, and at the end of each document.  Any status but LW_OK stops the scan,
 * and lw_scan_feed returns it. */
typedef lw_status (*lw_scan_item_fn)(const lw_scan_item *item, void *arg, lw_error *err);
typedef lw_status (*lw_scan_document_fn)(const lw_scan_envelope *envelope, void *arg,
                                         lw_error *err);

enum {
    LW_SCAN_DEPTH = 512,               /* default nesting limit */
    LW_SCAN_DEPTH_MAX = 1024,          /* maximum of the nesting limit */
    LW_SCAN_ITEM_LIMIT = 8 << 20,      /* default limit of one object after dropping, in bytes */
    LW_SCAN_ITEM_LIMIT_MAX = 1 << 30,  /* maximum of this limit */
    LW_SCAN_ENVELOPE_LIMIT = 64 << 10, /* bytes of a document without its objects */
};

/* Paths are JSON Pointers into each object; the segment "*" means every element of an array or
 * every member of an object.  |drop| removes these members; |keep| removes all others, except
 * apiVersion, kind and the namespace, name, uid, resourceVersion and labels in the metadata.  A
 * scalar member on a path to keep that goes deeper is kept.  A segment is never an index:
 * "/spec/containers/0" is a member "0", not an element. */
typedef struct lw_scan_options {
    lw_scan_shape shape;
    bool is_stream;          /* several documents, with or without white space between them */
    bool trusts_input;       /* skip validation; the result for a malformed document is undefined */
    unsigned max_depth;      /* 0: LW_SCAN_DEPTH */
    size_t max_item;         /* 0: LW_SCAN_ITEM_LIMIT; keys of dropped members need space, too */
    const char *const *drop; /* NULL-terminated; an empty list drops nothing */
    const char *const *keep; /* NULL-terminated */
    lw_scan_item_fn on_item; /* may be NULL */
    lw_scan_document_fn on_document; /* may be NULL */
    void *arg;
} lw_scan_options;

typedef struct lw_scan lw_scan;

/* Make and free a scanner.  LW_ERR_INVALID: a path is malformed, or would drop a part of the
 * identity of an object. */
lw_status lw_scan_new(lw_scan **out, const lw_scan_options *options, lw_error *err);
void lw_scan_free(lw_scan *scan);

/* Scans the next |len| bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (well-formed, but not of
 * this shape, e.g. a name that is not a string), LW_ERR_LIMIT (nested too deeply or too large),
 * each with the offset of the byte; LW_ERR_NOMEM; or the status that a callback returned.  After an
 * error the scanner returns the same error until it is reset. */
lw_status lw_scan_feed(lw_scan *scan, const char *bytes, size_t len, lw_error *err);

/* Ends the input.  LW_ERR_SYNTAX: a document is incomplete, or there was none (a stream may be
 * empty). */
lw_status lw_scan_finish(lw_scan *scan, lw_error *err);

/* Resets the scanner with the same options; it keeps its memory. */
void lw_scan_reset(lw_scan *scan);

/* Selects the implementation: "scalar", "sse2", "avx2", "avx512" or "neon"; NULL is the best one,
 * which is the default.  Returns false if the build or the machine does not support it.  For tests
 * and benchmarks: the results are the same. */
bool lw_scan_use_simd(lw_scan *scan, const char *name);

/* Validates that |json| is one JSON value that is not nested deeper than |max_depth| (0:
 * LW_SCAN_DEPTH). */
lw_status lw_json_validate(lw_str json, unsigned max_depth, lw_error *err);

#endif
