/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_state_file.c -- a saved cache: any bytes are refused with a reason, or give as many objects
 * as the head says.  The checksum is put right as well, so that what is behind it is reached. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "state/state_file.h"

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)err;
    ++*(size_t *)arg;
    return obj ? LW_OK : LW_ERR_INVALID;
}

static void parse(const char *bytes, size_t size, lw_str identity)
{
    lw_state state;
    size_t count = 0;
    const lw_state_sink sink = { on_object, &count };
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_state_parse(lw_str_make(bytes, size), identity, &sink, &state, &err);
    if (st < 0 ? err.message[0] == '\0' : state.resource_version[0] == '\0')
        abort();
    if (st == LW_OK && count > size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse((const char *)data, size, LW_STR("i"));
    if (size < LW_STATE_HEAD + 1)
        return 0;
    char *bytes = lw_alloc(size);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    memcpy(bytes, "LWSTATE\n\1\0\0\0", 12);
    uint32_t sum = lw_crc32c(0, bytes + LW_STATE_HEAD, size - LW_STATE_HEAD);
    sum = lw_crc32c(sum, bytes + 16, LW_STATE_HEAD - 16);
    for (int i = 0; i < 4; i++)
        bytes[12 + i] = (char)(unsigned char)(sum >> (8 * i));
    parse(bytes, size, lw_str_make(bytes + LW_STATE_HEAD, 1));
    lw_free(bytes);
    return 0;
}
