/* SPDX-License-Identifier: Apache-2.0 */
/* text.h -- a text that grows.  The first failure is remembered: append freely, check once. */
#ifndef LISTWATCH_CLI_TEXT_H
#define LISTWATCH_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>

/* All zero is an empty text. */
typedef struct text_buf {
    char *at; /* NUL-terminated; NULL while nothing has been added */
    size_t len, size;
    lw_status st;
} text_buf;

enum {
    TEXT_MAX = 256 * 1024 * 1024, /* bytes */
};

void text_add(text_buf *t, const char *more);
void text_add_bytes(text_buf *t, const char *bytes, size_t len);

/* Adds |value| so that it may stand in the query or in one segment of a URL. */
void text_add_escaped(text_buf *t, const char *value);

/* LW_OK, LW_ERR_NOMEM, or LW_ERR_LIMIT (more than TEXT_MAX). */
lw_status text_status(const text_buf *t);

/* Returns the text, "" if nothing was added. */
const char *text_of(const text_buf *t);
void text_done(text_buf *t);

#endif
