/* SPDX-License-Identifier: Apache-2.0 */
/* error.h -- filling in an lw_error where a failure is found. */
#ifndef LW_BASE_ERROR_H
#define LW_BASE_ERROR_H

#include <stddef.h>

#include <listwatch/error.h>

/* Resets |err| (may be NULL) and records |st| with a formatted message; what is retriable follows
 * from |st|.  Returns |st|, so that a failure is one line: return lw_error_set(err, ...).  The
 * arguments may point into |err| itself, to put an error into a wider one. */
lw_status lw_error_set(lw_error *err, lw_status st, const char *format, ...) LW_PRINTF(3, 4);

/* The same with the byte |offset| in the document at fault. */
lw_status lw_error_set_at(lw_error *err, lw_status st, uint64_t offset, const char *format, ...)
    LW_PRINTF(4, 5);

/* Records LW_ERR_NOMEM with its standard message and returns it. */
lw_status lw_error_nomem(lw_error *err);

/* Copies |len| bytes of |text| into the NUL-terminated field |dst| of |size| (>= 4) bytes as
 * lw_line_copy does: one line, a cut marked with "..." and never inside a UTF-8 sequence. */
void lw_error_copy_text(char *dst, size_t size, const char *text, size_t len);

#endif
