/* SPDX-License-Identifier: Apache-2.0 */
/* unzip.h -- what a client makes of a compressed body. */
#ifndef LW_TESTS_UNIT_API_UNZIP_H
#define LW_TESTS_UNIT_API_UNZIP_H

#define ZLIB_CONST
#include <zlib.h>

#include "base/buf.h"
#include "unit/test.h"

/* Appends what |packed|, one whole gzip stream, holds; fails the test when it is none. */
static inline void unzip(lw_str packed, lw_buf *out)
{
    z_stream z = { .next_in = (const unsigned char *)packed.ptr, .avail_in = (unsigned)packed.len };
    unsigned char part[4096];
    int result = Z_OK;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    while (result == Z_OK) {
        z.next_out = part;
        z.avail_out = sizeof(part);
        result = inflate(&z, Z_NO_FLUSH);
        lw_buf_append(out, part, sizeof(part) - z.avail_out);
    }
    assert_int_equal(result, Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(inflateEnd(&z), Z_OK);
    assert_int_equal(out->st, LW_OK);
}

#endif
