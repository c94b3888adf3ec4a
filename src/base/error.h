/* SPDX-License-Identifier: Apache-2.0 */
/* error.h -- sets an lw_error, and formats one line of text for people.
 *
 * Messages and lines of a log are one line in a buffer of fixed size.  Control characters,
 * including newlines, become spaces: text from a server must not forge lines of a log.  Text that
 * does not fit ends in "...", not inside a UTF-8 sequence. */
#ifndef LW_BASE_ERROR_H
#define LW_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>

/* As lw_error_set with the byte |offset| in the document. */
lw_status lw_error_set_at(lw_error *err, lw_status st, uint64_t offset, const char *format, ...)
    LW_PRINTF(4, 5);

/* Sets LW_ERR_NOMEM with its standard message and returns it. */
lw_status lw_error_nomem(lw_error *err);

/* Copies |len| bytes of |text| into the NUL-terminated field |dst| of |size| (>= 4) bytes like
 * lw_line_copy: one line, truncated with "..." and never inside a UTF-8 sequence. */
void lw_error_copy_text(char *dst, size_t size, const char *text, size_t len);

/* Formats a line into |out|, NUL-terminated, of |size| (>= 4) bytes.  Returns the length written.
 */
size_t lw_line_format(char *out, size_t size, const char *format, va_list args) LW_PRINTF(3, 0);

/* Copies |len| bytes of |text|, which must not overlap |out|, in the same way. */
size_t lw_line_copy(char *out, size_t size, const char *text, size_t len);

#endif
