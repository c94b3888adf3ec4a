/* SPDX-License-Identifier: Apache-2.0 */
/* pages_read.c -- reads bytes of the file.
 *
 * Values are in the file in the order in which they were written, or nearly so, and there may be
 * millions of them.  So where one read begins soon after the end of the last one, many bytes are
 * read at once, and the next reads find theirs there. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "store/lmdb/pages/pages.h"

enum {
    WINDOW = 128 * 1024, /* bytes read at once */
    GAP_MAX = 32 * 1024, /* from the last read to one that follows it */
    FOLLOWING_MIN = 4,   /* so many that follow each other, before any is read ahead */
};

void lw_lmdb_pages_init(lw_lmdb_pages *pages, int fd)
{
    *pages = (lw_lmdb_pages){ .fd = fd };
    lw_buf_init(&pages->used, 0);
    lw_buf_init(&pages->window, WINDOW);
    lw_buf_init(&pages->value, SIZE_MAX / 2);
}

void lw_lmdb_pages_done(lw_lmdb_pages *pages)
{
    if (pages->fd >= 0)
        (void)close(pages->fd);
    lw_buf_done(&pages->used);
    lw_buf_done(&pages->window);
    lw_buf_done(&pages->value);
}

/* Returns the bytes that could be read, and the errno in |*error|. */
static size_t read_some(const lw_lmdb_pages *pages, char *out, size_t len, uint64_t offset,
                        int *error)
{
    size_t done = 0;
    while (done < len) {
        ssize_t got = pread(pages->fd, out + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            *error = errno;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static bool read_all(lw_lmdb_pages *pages, char *out, size_t len, uint64_t offset)
{
    return read_some(pages, out, len, offset, &pages->error) == len;
}

static bool is_in_window(const lw_lmdb_pages *pages, size_t len, uint64_t offset)
{
    return offset >= pages->window_at && offset - pages->window_at <= pages->window.len &&
           len <= pages->window.len - (offset - pages->window_at);
}

/* Reads ahead from |offset| on.  What fails is read again without it, and then reported. */
static void fill_window(lw_lmdb_pages *pages, uint64_t offset)
{
    int ignored = 0;
    lw_buf_reset(&pages->window);
    if (lw_buf_reserve(&pages->window, WINDOW) < 0) {
        lw_buf_reset(&pages->window);
        return;
    }
    pages->window.len = read_some(pages, pages->window.data, WINDOW, offset, &ignored);
    pages->window_at = offset;
}

/* Returns the bytes in the window, which may be filled for them; NULL: they are not there. */
static const char *view_window(lw_lmdb_pages *pages, size_t len, uint64_t offset)
{
    bool follows = offset >= pages->read_end && offset - pages->read_end <= GAP_MAX;
    pages->read_end = offset + len;
    pages->following = follows ? pages->following + 1 : 0;
    if (!is_in_window(pages, len, offset) && pages->following >= FOLLOWING_MIN && len <= WINDOW)
        fill_window(pages, offset);
    return is_in_window(pages, len, offset)
               ? pages->window.data + (size_t)(offset - pages->window_at)
               : NULL;
}

bool lw_lmdb_pages_read(lw_lmdb_pages *pages, void *out, size_t len, uint64_t offset)
{
    const char *found = view_window(pages, len, offset);
    if (!found)
        return read_all(pages, out, len, offset);
    memcpy(out, found, len);
    return true;
}

const char *lw_lmdb_pages_view(lw_lmdb_pages *pages, size_t len, uint64_t offset)
{
    const char *found = view_window(pages, len, offset);
    if (found)
        return found;
    lw_buf_reset(&pages->value);
    if (lw_buf_reserve(&pages->value, len) < 0) {
        pages->error = ENOMEM;
        return NULL;
    }
    return read_all(pages, pages->value.data, len, offset) ? pages->value.data : NULL;
}
