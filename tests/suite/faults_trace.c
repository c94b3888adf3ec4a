/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trace.c -- the log of a trial and its digest. */
#include "suite/faults_trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"
#include "unit/test.h"

static struct {
    bool is_shown;
    uint64_t digest;
} trace;

void faults_trace_begin(bool is_shown)
{
    trace.is_shown = is_shown;
    trace.digest = 0;
}

void faults_trace(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (len >= (int)sizeof(line))
        len = (int)sizeof(line) - 1;
    lw_hash_seed seed = { .k0 = trace.digest, .k1 = 0 };
    trace.digest = lw_hash_bytes(seed, line, (size_t)len);
    if (trace.is_shown)
        print_message("# %s\n", line);
}

uint64_t faults_trace_digest(void)
{
    return trace.digest;
}
