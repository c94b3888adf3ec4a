/* SPDX-License-Identifier: Apache-2.0 */
/* line.h -- text for people in a buffer of fixed size: one line, with visible truncation.
 *
 * Control characters, including newlines, become spaces: text from a server must not forge lines of
 * a log.  Text that does not fit ends in "...", not inside a UTF-8 sequence. */
#ifndef LW_BASE_LINE_H
#define LW_BASE_LINE_H

#include <stdarg.h>
#include <stddef.h>

#include <listwatch/api.h>

/* Formats into |out|, NUL-terminated, of |size| (>= 4) bytes.  Returns the length written. */
size_t lw_line_format(char *out, size_t size, const char *format, va_list args) LW_PRINTF(3, 0);

/* Copies |len| bytes of |text|, which must not overlap |out|, in the same way. */
size_t lw_line_copy(char *out, size_t size, const char *text, size_t len);

#endif
