/* SPDX-License-Identifier: Apache-2.0 */
/* quote.h -- a string in double quotes inside a message, as Go's %q prints it. */
#ifndef LW_OBJECT_QUOTE_H
#define LW_OBJECT_QUOTE_H

#include <listwatch/str.h>

#include "base/buf.h"

/* Appends |s| with its quotes.  Controls, blanks other than the space, invisible and private
 * characters are escaped (\n, \x00, \u00a0), bytes that are not UTF-8 too (\xff).  Characters that
 * Unicode has not assigned stand for themselves, where Go escapes them. */
void lw_quote_append(lw_buf *buf, lw_str s);

#endif
