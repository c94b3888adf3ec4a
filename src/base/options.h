/* SPDX-License-Identifier: Apache-2.0 */
/* options.h -- reads a public options struct whose first member is its size.
 *
 * So members can be added at the end without breaking programs that were compiled earlier
 * (docs/reference/abi.md). */
#ifndef LW_BASE_OPTIONS_H
#define LW_BASE_OPTIONS_H

#include <stddef.h>

#include <listwatch/error.h>

/* Copies the members that |given| has over |full|, which has the defaults and |full_size| bytes.
 * NULL |given| copies nothing.  |name| is the name of the type for messages.  LW_ERR_INVALID: the
 * size is not set.  LW_ERR_UNSUPPORTED: a member is set that this version does not know. */
LW_MUST_CHECK lw_status lw_options_read(void *full, size_t full_size, const void *given,
                                        const char *name, lw_error *err);

#endif
