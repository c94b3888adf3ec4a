/* SPDX-License-Identifier: Apache-2.0 */
/* check.c -- checks that the file is complete.
 *
 * The file contains the number of its last page.  It may be shorter and still complete: LMDB does
 * not write a page at the end that was allocated and freed in one transaction.  So if the file is
 * shorter, the trees are traversed, with reads instead of a mapping: each referenced page must
 * exist.
 *
 * The layout is that of LMDB 0.9 (data version 1) on 64-bit little-endian machines:
 *
 *   page   { u64 number; u16 pad, flags; u16 lower, upper | u32 pages (overflow) } u16 nodes[] ...
 *   meta   page { u32 magic, version; u64 address, map size; db free, main; u64 last page, txn id }
 *   db     { u32 page size; u16 flags, depth; u64 branch, leaf, overflow, entries, root }
 *   node   { u16 low, high, flags, key size } key, data */
#include "store/lmdb/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
    META_MAGIC_AT = 16,
    META_VERSION_AT = 20,
    META_FREE_AT = 40,
    META_MAIN_AT = 88,
    META_LAST_PAGE_AT = 136,
    META_TXN_ID_AT = 144,
    META_SIZE = 152,
    DB_ROOT_AT = 40,
    DB_SIZE = 48,
    PAGE_FLAGS_AT = 10,
    PAGE_LOWER_AT = 12,
    PAGE_COUNT_AT = 12,
    PAGE_HEAD = 16,
    PAGE_BRANCH = 1,
    PAGE_LEAF = 2,
    PAGE_OVERFLOW = 4,
    PAGE_META = 8,
    NODE_FLAGS_AT = 4,
    NODE_KEY_SIZE_AT = 6,
    NODE_HEAD = 8,
    NODE_BIG = 1,  /* the data is the number of an overflow page */
    NODE_TREE = 2, /* the data is a db */
    DATA_VERSION = 1,
    DEPTH_MAX = 64, /* nesting of trees; LMDB's own limit is 32 */
    PAGE_SIZE_MAX = 65536,
};

#define META_MAGIC UINT32_C(0xBEEFC0DE)
#define NO_ROOT    UINT64_MAX

typedef struct check {
    int fd;
    uint64_t size; /* size of the file */
    uint32_t page_size;
    bool is_unread;
} check;

/* Uses memcpy, because the data may be unaligned. */
static uint64_t u64_at(const unsigned char *bytes, size_t at)
{
    uint64_t number = 0;
    memcpy(&number, bytes + at, sizeof(number));
    return number;
}

static uint32_t u32_at(const unsigned char *bytes, size_t at)
{
    uint32_t number = 0;
    memcpy(&number, bytes + at, sizeof(number));
    return number;
}

static uint32_t u16_at(const unsigned char *bytes, size_t at)
{
    uint16_t number = 0;
    memcpy(&number, bytes + at, sizeof(number));
    return number;
}

/* Reads |len| bytes at |offset|; they must exist. */
static bool check_read(check *c, void *out, size_t len, uint64_t offset)
{
    size_t done = 0;
    while (done < len) {
        ssize_t got = pread(c->fd, (char *)out + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            c->is_unread = got < 0;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static bool has_pages(const check *c, uint64_t first, uint64_t count)
{
    uint64_t pages = c->size / c->page_size;
    return first < pages && count <= pages - first;
}

/* Reads |len| bytes of page |number|, if the file contains it and its number is right. */
static bool check_page(check *c, uint64_t number, unsigned char *out, size_t len)
{
    return has_pages(c, number, 1) && check_read(c, out, len, number * c->page_size) &&
           u64_at(out, 0) == number;
}

static bool check_overflow(check *c, uint64_t number)
{
    unsigned char head[PAGE_HEAD];
    return check_page(c, number, head, sizeof(head)) &&
           u16_at(head, PAGE_FLAGS_AT) & PAGE_OVERFLOW &&
           has_pages(c, number, u32_at(head, PAGE_COUNT_AT));
}

static bool check_tree(check *c, uint64_t root, int depth);

static bool check_leaf_node(check *c, const unsigned char *page, size_t at, int depth)
{
    uint32_t flags = u16_at(page, at + NODE_FLAGS_AT);
    size_t data = at + NODE_HEAD + u16_at(page, at + NODE_KEY_SIZE_AT);
    if (flags & NODE_BIG)
        return data + 8 <= c->page_size && check_overflow(c, u64_at(page, data));
    if (flags & NODE_TREE)
        return data + DB_SIZE <= c->page_size &&
               check_tree(c, u64_at(page, data + DB_ROOT_AT), depth + 1);
    return true;
}

static bool check_node(check *c, const unsigned char *page, size_t at, int depth)
{
    if (at + NODE_HEAD > c->page_size)
        return false;
    if (u16_at(page, PAGE_FLAGS_AT) & PAGE_LEAF)
        return check_leaf_node(c, page, at, depth);
    uint64_t child = u32_at(page, at) | (uint64_t)u16_at(page, at + NODE_FLAGS_AT) << 32;
    return check_tree(c, child, depth + 1);
}

static bool check_nodes(check *c, const unsigned char *page, int depth)
{
    if (!(u16_at(page, PAGE_FLAGS_AT) & (PAGE_BRANCH | PAGE_LEAF)))
        return false;
    uint32_t lower = u16_at(page, PAGE_LOWER_AT);
    if (lower < PAGE_HEAD || lower > c->page_size)
        return false;
    for (size_t at = PAGE_HEAD; at + 2 <= lower; at += 2) {
        if (!check_node(c, page, u16_at(page, at), depth))
            return false;
    }
    return true;
}

static bool check_tree(check *c, uint64_t root, int depth)
{
    if (root == NO_ROOT)
        return true;
    if (depth == DEPTH_MAX)
        return false;
    unsigned char *page = lw_alloc(c->page_size);
    if (!page) {
        c->is_unread = true;
        errno = ENOMEM;
        return false;
    }
    bool is_whole = check_page(c, root, page, c->page_size) && check_nodes(c, page, depth);
    lw_free(page);
    return is_whole;
}

static bool is_meta(const unsigned char *page)
{
    return u16_at(page, PAGE_FLAGS_AT) & PAGE_META && u32_at(page, META_MAGIC_AT) == META_MAGIC &&
           u32_at(page, META_VERSION_AT) == DATA_VERSION;
}

/* True if the file, which is shorter than a meta page, may be the start of one: its page number is
 * 0. */
static bool is_start_of_meta(check *c)
{
    unsigned char start[META_SIZE] = { 0 };
    if (!check_read(c, start, (size_t)c->size, 0))
        return false;
    return u64_at(start, 0) == 0 &&
           (c->size < META_VERSION_AT || u32_at(start, META_MAGIC_AT) == META_MAGIC);
}

static bool is_page_size(uint32_t size)
{
    return size >= 512 && size <= PAGE_SIZE_MAX && (size & (size - 1)) == 0;
}

static lw_lmdb_file_state check_file(check *c)
{
    unsigned char metas[2][META_SIZE];
    if (c->size == 0)
        return LW_LMDB_EMPTY;
    if (c->size < META_SIZE)
        return is_start_of_meta(c) ? LW_LMDB_CUT : LW_LMDB_FOREIGN;
    if (!check_read(c, metas[0], META_SIZE, 0) || !is_meta(metas[0]))
        return LW_LMDB_FOREIGN;
    c->page_size = u32_at(metas[0], META_FREE_AT);
    if (!is_page_size(c->page_size))
        return LW_LMDB_FOREIGN;
    if (!has_pages(c, 0, 2) || !check_read(c, metas[1], META_SIZE, c->page_size))
        return LW_LMDB_CUT;
    if (!is_meta(metas[1]))
        return LW_LMDB_FOREIGN;
    bool is_second_newer = u64_at(metas[1], META_TXN_ID_AT) > u64_at(metas[0], META_TXN_ID_AT);
    const unsigned char *meta = metas[is_second_newer ? 1 : 0];
    uint64_t last = u64_at(meta, META_LAST_PAGE_AT);
    if (last < UINT64_MAX && has_pages(c, 0, last + 1))
        return LW_LMDB_WHOLE;
    bool is_whole = check_tree(c, u64_at(meta, META_FREE_AT + DB_ROOT_AT), 0) &&
                    check_tree(c, u64_at(meta, META_MAIN_AT + DB_ROOT_AT), 0);
    return is_whole ? LW_LMDB_WHOLE : LW_LMDB_CUT;
}

lw_lmdb_file_state lw_lmdb_check(const char *file)
{
    check c = { .fd = open(file, O_RDONLY | O_CLOEXEC) };
    if (c.fd < 0)
        return errno == ENOENT ? LW_LMDB_ABSENT : LW_LMDB_UNREAD;
    struct stat status;
    if (fstat(c.fd, &status) < 0) {
        (void)close(c.fd);
        return LW_LMDB_UNREAD;
    }
    c.size = (uint64_t)status.st_size;
    lw_lmdb_file_state verdict = check_file(&c);
    int why = errno;
    (void)close(c.fd);
    errno = why;
    return c.is_unread ? LW_LMDB_UNREAD : verdict;
}
