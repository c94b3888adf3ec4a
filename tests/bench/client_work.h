/* SPDX-License-Identifier: Apache-2.0 */
/* client_work.h -- the work that clients are measured by, done by this library.  Each piece runs in
 * a process of its own and prints one line of name=value; other clients print the same names. */
#ifndef LW_TESTS_BENCH_CLIENT_WORK_H
#define LW_TESTS_BENCH_CLIENT_WORK_H

#include <stdint.h>

/* |work|: "list", "stream", "projected": an informer's cold start on |pods| pods, and reading its
 * cache; "watch": |events| events on top; "restarts": |events| informers one after the other.
 * Returns the exit code. */
int client_work(const char *work, const char *url, uint64_t pods, uint64_t events);

#endif
