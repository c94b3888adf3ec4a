/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h -- JSON out, in the two forms Kubernetes uses: compact, and indented by two spaces.
 *
 * The writer places commas, colons and line breaks; the caller names what comes.  Failures stick
 * in the buffer: write freely, look at lw_json_writer_status once. */
#ifndef LW_JSON_WRITER_H
#define LW_JSON_WRITER_H

#include <stdint.h>

#include "base/buf.h"

typedef enum lw_json_form {
    LW_JSON_COMPACT,
    LW_JSON_INDENTED, /* as Go's MarshalIndent with two spaces; empty containers stay {} and [] */
} lw_json_form;

enum {
    LW_JSON_WRITER_DEPTH = 1024, /* deeper nesting is LW_ERR_LIMIT */
};

typedef struct lw_json_writer {
    lw_buf *out; /* borrowed */
    lw_json_form form;
    unsigned depth;
    bool is_empty;  /* nothing written yet in the container at hand */
    bool after_key; /* a key was written, its value comes next */
    lw_status st;   /* LW_ERR_LIMIT when nested too deep; else see out->st */
} lw_json_writer;

void lw_json_writer_init(lw_json_writer *w, lw_buf *out, lw_json_form form);

/* The first failure of the writer or its buffer, or LW_OK. */
lw_status lw_json_writer_status(const lw_json_writer *w);

void lw_json_write_object_begin(lw_json_writer *w);
void lw_json_write_object_end(lw_json_writer *w);
void lw_json_write_array_begin(lw_json_writer *w);
void lw_json_write_array_end(lw_json_writer *w);

/* A member's name; its value must follow. */
void lw_json_write_key(lw_json_writer *w, lw_str key);

/* The name |prefix| and |rest| together make; both are ASCII without anything to escape. */
void lw_json_write_plain_key(lw_json_writer *w, const char *prefix, lw_str rest);

void lw_json_write_string(lw_json_writer *w, lw_str value);
void lw_json_write_int(lw_json_writer *w, int64_t value);
void lw_json_write_bool(lw_json_writer *w, bool value);
void lw_json_write_null(lw_json_writer *w);

/* A number by its JSON text, kept to the digit. */
void lw_json_write_number(lw_json_writer *w, lw_str text);

/* A whole value as valid JSON text: copied as it is in compact form (it is not squeezed), laid out
 * anew in indented form. */
void lw_json_write_raw(lw_json_writer *w, lw_str json);

/* Shorthands for a member. */
void lw_json_write_member_string(lw_json_writer *w, const char *key, lw_str value);
void lw_json_write_member_int(lw_json_writer *w, const char *key, int64_t value);

#endif
