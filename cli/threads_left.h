/* SPDX-License-Identifier: Apache-2.0 */
/* threads_left.h -- lists the threads of this process that are still running, for the log. */
#ifndef LISTWATCH_CLI_THREADS_LEFT_H
#define LISTWATCH_CLI_THREADS_LEFT_H

#include <stddef.h>

/* Writes for example "lw-loop-00 (R), lw-store (S)": the name and the state of each thread: R is
 * running, S is waiting, D is waiting for a disk.  Writes as many as fit.  Allocates nothing. */
void threads_left(char *text, size_t size);

#endif
