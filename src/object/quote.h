/* SPDX-License-Identifier: Apache-2.0 */
/* quote.h -- a string in double quotes in a message, as %q of Go prints it. */
#ifndef LW_OBJECT_QUOTE_H
#define LW_OBJECT_QUOTE_H

#include <listwatch/str.h>

#include "base/buf.h"

/* Appends |s| in quotes.  Control characters, white space other than the space, invisible and
 * private characters are escaped (\n, \x00, \u00a0), as are bytes that are not UTF-8 (\xff).
 * Characters that Unicode has not assigned are not escaped, unlike in Go. */
void lw_quote_append(lw_buf *buf, lw_str s);

#endif
