/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h -- writes JSON in the two forms of Kubernetes: compact, and indented by two spaces.
 *
 * The writer adds commas, colons and line breaks.  The first failure is remembered: write freely
 * and check lw_json_writer_status once. */
#ifndef LW_JSON_WRITER_H
#define LW_JSON_WRITER_H

#include <stdint.h>

#include "base/buf.h"

typedef enum lw_json_form {
    LW_JSON_COMPACT,
    LW_JSON_INDENTED, /* like MarshalIndent of Go with two spaces; empty containers stay {} and []
                       */
} lw_json_form;

enum {
    LW_JSON_WRITER_DEPTH = 1024, /* deeper nesting is LW_ERR_LIMIT */
};

typedef struct lw_json_writer {
    lw_buf *out; /* borrowed */
    lw_json_form form;
    unsigned depth;
    bool is_empty;  /* nothing was written in the current container */
    bool after_key; /* a key was written, its value comes next */
    lw_status st;   /* LW_ERR_LIMIT if nested too deeply; see also out->st */
} lw_json_writer;

void lw_json_writer_init(lw_json_writer *w, lw_buf *out, lw_json_form form);

/* Returns the first failure of the writer or its buffer, or LW_OK. */
lw_status lw_json_writer_status(const lw_json_writer *w);

void lw_json_write_object_begin(lw_json_writer *w);
void lw_json_write_object_end(lw_json_writer *w);
void lw_json_write_array_begin(lw_json_writer *w);
void lw_json_write_array_end(lw_json_writer *w);

/* Writes the name of a member; its value must follow. */
void lw_json_write_key(lw_json_writer *w, lw_str key);

/* Writes the name |prefix| followed by |rest|; both are ASCII and need no escapes. */
void lw_json_write_plain_key(lw_json_writer *w, const char *prefix, lw_str rest);

void lw_json_write_string(lw_json_writer *w, lw_str value);
void lw_json_write_int(lw_json_writer *w, int64_t value);
void lw_json_write_bool(lw_json_writer *w, bool value);
void lw_json_write_null(lw_json_writer *w);

/* Writes a number as its JSON text, unchanged. */
void lw_json_write_number(lw_json_writer *w, lw_str text);

/* Writes a complete value that is valid JSON: unchanged in compact form, reformatted in indented
 * form. */
void lw_json_write_raw(lw_json_writer *w, lw_str json);

/* Begins a value whose text the caller appends to |w->out|.  In compact form only.  Returns false
 * if the writer has failed. */
bool lw_json_write_begin(lw_json_writer *w);

/* Writes members that are valid compact JSON, as between the braces of an object, unchanged; at
 * least one.  In compact form only. */
void lw_json_write_raw_members(lw_json_writer *w, lw_str members);

/* The same for members whose text is in |count| pieces. */
void lw_json_write_raw_pieces(lw_json_writer *w, const lw_str *pieces, size_t count);

/* Write a member: its name, which is ASCII and needs no escapes, and its value. */
void lw_json_write_member_string(lw_json_writer *w, const char *key, lw_str value);
void lw_json_write_member_int(lw_json_writer *w, const char *key, int64_t value);

#endif
