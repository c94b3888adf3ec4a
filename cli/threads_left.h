/* SPDX-License-Identifier: Apache-2.0 */
/* threads_left.h -- which threads of this process there still are, for a last line in the log. */
#ifndef LISTWATCH_CLI_THREADS_LEFT_H
#define LISTWATCH_CLI_THREADS_LEFT_H

#include <stddef.h>

/* Writes "lw-loop-00 (R), lw-store (S)": names, and R for one that is running on a processor, S for
 * one that waits, D for one that waits for a disk.  As many as fit.  Allocates nothing. */
void threads_left(char *text, size_t size);

#endif
