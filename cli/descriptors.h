/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h -- the limit of open file descriptors: each connection needs one. */
#ifndef LISTWATCH_CLI_DESCRIPTORS_H
#define LISTWATCH_CLI_DESCRIPTORS_H

#include <stdint.h>

/* Raises the limit as far as allowed. */
void descriptors_raise(void);

/* Returns the limit; UINT64_MAX: none. */
uint64_t descriptors_limit(void);

#endif
