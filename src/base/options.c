/* SPDX-License-Identifier: Apache-2.0 */
/* options.c -- reads a public options struct whose first member is its size. */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

enum {
    SIZE_MOST = 64 * 1024, /* a larger size is not the size of a struct */
};

static bool is_zero(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

lw_status lw_options_read(void *full, size_t full_size, const void *given, const char *name,
                          lw_error *err)
{
    size_t size = 0;
    if (!given)
        return LW_OK;
    memcpy(&size, given, sizeof(size));
    if (size < sizeof(size) || size > SIZE_MOST)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the size of %s is not set; initialise the struct with its _INIT macro",
                            name);
    size_t known = size < full_size ? size : full_size;
    if (!is_zero((const char *)given + known, size - known))
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "%s has a member that this version of the library does not support",
                            name);
    memcpy(full, given, known);
    memcpy(full, &full_size, sizeof(full_size));
    return LW_OK;
}
