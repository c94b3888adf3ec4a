/* SPDX-License-Identifier: Apache-2.0 */
/* check.c -- checks that the file is complete.
 *
 * The file contains the number of its last page.  It may be shorter and still complete: LMDB does
 * not write a page at the end that was allocated and freed in one transaction.  So if the file is
 * shorter, the trees are traversed: each referenced page must exist. */
#include "store/lmdb/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

enum {
    PAGE_SIZE_MIN = 512,
    PAGE_SIZE_MAX = 65536,
};

static bool is_page_size(uint32_t size)
{
    return size >= PAGE_SIZE_MIN && size <= PAGE_SIZE_MAX && (size & (size - 1)) == 0;
}

static bool read_meta(lw_lmdb_file *file, uint64_t number, uint32_t page_size, lw_lmdb_meta *meta)
{
    unsigned char bytes[LW_LMDB_META_SIZE];
    if (!lw_lmdb_pages_read(&file->pages, bytes, sizeof(bytes), number * page_size))
        return false;
    *meta = lw_lmdb_meta_decode(bytes, number);
    return true;
}

/* The first page is damaged: tries to find the second one at each possible place. */
static lw_lmdb_file_state find_second(lw_lmdb_file *file)
{
    for (uint32_t size = PAGE_SIZE_MIN; size <= PAGE_SIZE_MAX; size *= 2) {
        lw_lmdb_meta meta;
        if (read_meta(file, 1, size, &meta) && meta.is_valid && meta.free.page_size == size) {
            file->metas[1] = meta;
            file->pages.page_size = size;
            return LW_LMDB_HALF;
        }
    }
    return LW_LMDB_FOREIGN;
}

/* True if the file, which is shorter than a meta page, may be the start of one. */
static bool is_start_of_meta(lw_lmdb_file *file)
{
    unsigned char start[LW_LMDB_META_SIZE] = { 0 };
    static const unsigned char magic[] = { 0xde, 0xc0, 0xef, 0xbe };
    uint64_t number = 0;
    size_t size = (size_t)file->pages.size;
    if (!lw_lmdb_pages_read(&file->pages, start, size, 0))
        return false;
    memcpy(&number, start, sizeof(number));
    return number == 0 && (size < 20 || memcmp(start + 16, magic, sizeof(magic)) == 0);
}

static lw_lmdb_file_state read_metas(lw_lmdb_file *file)
{
    lw_lmdb_pages *pages = &file->pages;
    if (pages->size == 0)
        return LW_LMDB_EMPTY;
    if (pages->size < LW_LMDB_META_SIZE)
        return is_start_of_meta(file) ? LW_LMDB_CUT : LW_LMDB_FOREIGN;
    if (!read_meta(file, 0, 0, &file->metas[0]))
        return LW_LMDB_FOREIGN;
    if (!file->metas[0].is_valid || !is_page_size(file->metas[0].free.page_size)) {
        file->metas[0].is_valid = false;
        return find_second(file);
    }
    pages->page_size = file->metas[0].free.page_size;
    if (!lw_lmdb_pages_has(pages, 0, 2) || !read_meta(file, 1, pages->page_size, &file->metas[1])) {
        file->metas[1].is_valid = false;
        return LW_LMDB_CUT;
    }
    if (file->metas[1].free.page_size != pages->page_size)
        file->metas[1].is_valid = false;
    return file->metas[1].is_valid ? LW_LMDB_WHOLE : LW_LMDB_HALF;
}

lw_lmdb_file_state lw_lmdb_file_open(lw_lmdb_file *file, const char *path)
{
    *file = (lw_lmdb_file){ .metas = { { .is_valid = false } } };
    lw_lmdb_pages *pages = &file->pages;
    lw_lmdb_pages_init(pages, open(path, O_RDONLY | O_CLOEXEC));
    struct stat status;
    if (pages->fd < 0)
        return errno == ENOENT ? LW_LMDB_ABSENT : LW_LMDB_UNREAD;
    if (fstat(pages->fd, &status) < 0)
        return LW_LMDB_UNREAD;
    pages->size = (uint64_t)status.st_size;
    lw_lmdb_file_state state = read_metas(file);
    if (pages->error != 0) {
        errno = pages->error;
        return LW_LMDB_UNREAD;
    }
    return state;
}

void lw_lmdb_file_close(lw_lmdb_file *file)
{
    int why = errno;
    lw_lmdb_pages_done(&file->pages);
    errno = why;
}

const lw_lmdb_meta *lw_lmdb_file_newest(const lw_lmdb_file *file)
{
    const lw_lmdb_meta *metas = file->metas;
    if (!metas[0].is_valid || !metas[1].is_valid)
        return &metas[metas[1].is_valid ? 1 : 0];
    return &metas[metas[1].txn_id > metas[0].txn_id ? 1 : 0];
}

static bool is_readable(const lw_lmdb_trees *trees, const lw_lmdb_meta *meta)
{
    return trees->has_state && !trees->damage &&
           (trees->format != LW_LMDB_FORMAT || trees->state.txn_id == meta->txn_id);
}

void lw_lmdb_file_find_trees(lw_lmdb_file *file, lw_lmdb_trees *trees)
{
    const lw_lmdb_meta *newest = lw_lmdb_file_newest(file);
    const lw_lmdb_meta *other = &file->metas[newest == file->metas ? 1 : 0];
    lw_lmdb_trees_find(trees, &file->pages, newest);
    if (is_readable(trees, newest) || !other->is_valid)
        return;
    lw_lmdb_trees_find(trees, &file->pages, other);
    if (!is_readable(trees, other))
        lw_lmdb_trees_find(trees, &file->pages, newest);
}

/* The trees of a file that is shorter than it should be. */
typedef struct short_file {
    lw_lmdb_pages *pages;
    bool is_damaged;
    lw_buf trees; /* of lw_lmdb_db */
} short_file;

static void note_tree(const lw_lmdb_node *node, void *arg)
{
    short_file *s = arg;
    if (!node->is_tree)
        return;
    lw_lmdb_db db = lw_lmdb_db_decode(node->value.ptr);
    lw_buf_append(&s->trees, &db, sizeof(db));
}

static void note_damage(uint64_t page, const char *what, void *arg)
{
    (void)page;
    (void)what;
    ((short_file *)arg)->is_damaged = true;
}

static void walk(short_file *s, const lw_lmdb_db *db, bool has_numbers)
{
    const lw_lmdb_visitor visitor = { .has_numbers = has_numbers,
                                      .value_max = UINT32_MAX,
                                      .on_node = note_tree,
                                      .on_damage = note_damage,
                                      .arg = s };
    lw_lmdb_pages_walk(s->pages, db, &visitor);
}

static bool has_all_pages(lw_lmdb_file *file, const lw_lmdb_meta *meta)
{
    short_file s = { .pages = &file->pages };
    lw_buf_init(&s.trees, 64 * sizeof(lw_lmdb_db));
    walk(&s, &meta->free, true);
    walk(&s, &meta->main, false);
    size_t count = s.trees.len / sizeof(lw_lmdb_db);
    for (size_t i = 0; i < count; i++) {
        lw_lmdb_db db;
        memcpy(&db, s.trees.data + i * sizeof(db), sizeof(db));
        walk(&s, &db, false);
    }
    bool is_whole = !s.is_damaged && s.trees.st == LW_OK;
    lw_buf_done(&s.trees);
    return is_whole;
}

lw_lmdb_file_state lw_lmdb_check(const char *path)
{
    lw_lmdb_file file;
    lw_lmdb_file_state state = lw_lmdb_file_open(&file, path);
    if (state == LW_LMDB_WHOLE) {
        const lw_lmdb_meta *meta = lw_lmdb_file_newest(&file);
        file.pages.last_page = meta->last_page;
        bool is_long =
            meta->last_page < UINT64_MAX && lw_lmdb_pages_has(&file.pages, 0, meta->last_page + 1);
        if (!is_long && !has_all_pages(&file, meta))
            state = LW_LMDB_CUT;
        if (file.pages.error != 0) {
            errno = file.pages.error;
            state = LW_LMDB_UNREAD;
        }
    }
    lw_lmdb_file_close(&file);
    return state;
}
