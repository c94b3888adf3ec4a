/* SPDX-License-Identifier: Apache-2.0 */
/* gzip.c -- streaming gzip with zlib at level 1, which allocates through lw_alloc. */
#include "api/media/gzip.h"

#include <assert.h>
#include <limits.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    LEVEL = 1,             /* as in kube-apiserver: fast, because a list is sent only once */
    GZIP_WINDOW = 15 + 16, /* the largest window; 16: a gzip header instead of a zlib header */
    MEMORY_LEVEL = 8,
    OUTPUT_STEP = 16 * 1024, /* output bytes reserved at a time */
};

struct lw_gzip {
    z_stream z;
};

static void *z_alloc(void *arg, unsigned count, unsigned size)
{
    (void)arg;
    return lw_alloc_zero(count, size);
}

static void z_free(void *arg, void *ptr)
{
    (void)arg;
    lw_free(ptr);
}

lw_status lw_gzip_new(lw_gzip **out)
{
    lw_gzip *gzip = lw_alloc_zero(1, sizeof(*gzip));
    if (!gzip)
        return LW_ERR_NOMEM;
    gzip->z.zalloc = z_alloc;
    gzip->z.zfree = z_free;
    if (deflateInit2(&gzip->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        lw_free(gzip);
        return LW_ERR_NOMEM;
    }
    *out = gzip;
    return LW_OK;
}

void lw_gzip_free(lw_gzip *gzip)
{
    if (!gzip)
        return;
    (void)deflateEnd(&gzip->z);
    lw_free(gzip);
}

/* Runs the compressor into newly reserved bytes of |out|.  True: there may be more output. */
static bool run(lw_gzip *gzip, int flush, lw_buf *out)
{
    if (lw_buf_reserve(out, OUTPUT_STEP) < 0)
        return false;
    gzip->z.next_out = (unsigned char *)out->data + out->len;
    gzip->z.avail_out = OUTPUT_STEP;
    int result = deflate(&gzip->z, flush);
    assert(result != Z_STREAM_ERROR);
    out->len += OUTPUT_STEP - gzip->z.avail_out;
    return result == Z_OK && gzip->z.avail_out == 0;
}

lw_status lw_gzip_feed(lw_gzip *gzip, lw_str bytes, bool is_last, lw_buf *out)
{
    /* zlib counts in unsigned int. */
    do {
        size_t part = bytes.len < INT_MAX ? bytes.len : INT_MAX;
        bool ends = is_last && part == bytes.len;
        gzip->z.next_in = (const unsigned char *)bytes.ptr;
        gzip->z.avail_in = (unsigned)part;
        while (run(gzip, ends ? Z_FINISH : Z_NO_FLUSH, out))
            continue;
        bytes = lw_str_skip(bytes, part);
    } while (bytes.len > 0 && out->st == LW_OK);
    return out->st;
}

/* Runs the decompressor once and appends its output. */
static int expand_step(z_stream *z, lw_buf *out)
{
    unsigned char step[OUTPUT_STEP];
    z->next_out = step;
    z->avail_out = OUTPUT_STEP;
    int result = inflate(z, Z_NO_FLUSH);
    lw_buf_append(out, step, OUTPUT_STEP - z->avail_out);
    return out->st < 0 ? Z_BUF_ERROR : result;
}

lw_status lw_gzip_expand(lw_str bytes, lw_buf *out)
{
    z_stream z = { .zalloc = z_alloc, .zfree = z_free };
    if (bytes.len == 0 || bytes.len > INT_MAX)
        return LW_ERR_SYNTAX;
    if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return LW_ERR_NOMEM;
    z.next_in = (const unsigned char *)bytes.ptr;
    z.avail_in = (unsigned)bytes.len;
    int result = Z_OK;
    while (result == Z_OK)
        result = expand_step(&z, out);
    (void)inflateEnd(&z);
    if (out->st < 0)
        return out->st;
    if (result == Z_MEM_ERROR)
        return LW_ERR_NOMEM;
    return result == Z_STREAM_END ? LW_OK : LW_ERR_SYNTAX;
}
