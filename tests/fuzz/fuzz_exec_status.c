/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_exec_status.c -- the Status at the end of a command: an exit code from 0 to 255, or an error
 * with a message. */
#include <stdlib.h>

#include "client/stream/stream_internal.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_error err = LW_ERROR_INIT;
    int code = -1;
    lw_status st = lw_exec_status_read(lw_str_make((const char *)data, size), &code, &err);
    if (st == LW_OK ? code < 0 || code > 255 : code != -1 || err.code != st)
        abort();
    return 0;
}
