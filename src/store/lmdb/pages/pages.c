/* SPDX-License-Identifier: Apache-2.0 */
/* pages.c -- reads the trees of an LMDB file with plain reads, and checks their structure. */
#include "store/lmdb/pages/pages.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    META_MAGIC_AT = 16,
    META_VERSION_AT = 20,
    META_ADDRESS_AT = 24,
    META_MAP_SIZE_AT = 32,
    META_FREE_AT = 40,
    META_MAIN_AT = 88,
    META_LAST_PAGE_AT = 136,
    META_TXN_ID_AT = 144,
    DB_FLAGS_AT = 4,
    DB_DEPTH_AT = 6,
    DB_BRANCHES_AT = 8,
    DB_LEAVES_AT = 16,
    DB_OVERFLOWS_AT = 24,
    DB_ENTRIES_AT = 32,
    DB_ROOT_AT = 40,
    PAGE_FLAGS_AT = 10,
    PAGE_LOWER_AT = 12,
    PAGE_UPPER_AT = 14,
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
    KEY_MAX = 511,
    DEPTH_MAX = 32, /* as in LMDB */
};

#define META_MAGIC UINT32_C(0xBEEFC0DE)

/* Use memcpy, because the data may be unaligned. */
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

lw_lmdb_db lw_lmdb_db_decode(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    return (lw_lmdb_db){
        .page_size = u32_at(bytes, 0),
        .flags = u16_at(bytes, DB_FLAGS_AT),
        .depth = u16_at(bytes, DB_DEPTH_AT),
        .branches = u64_at(bytes, DB_BRANCHES_AT),
        .leaves = u64_at(bytes, DB_LEAVES_AT),
        .overflows = u64_at(bytes, DB_OVERFLOWS_AT),
        .entries = u64_at(bytes, DB_ENTRIES_AT),
        .root = u64_at(bytes, DB_ROOT_AT),
    };
}

lw_lmdb_meta lw_lmdb_meta_decode(const unsigned char *bytes, uint64_t number)
{
    const char *text = (const char *)bytes;
    return (lw_lmdb_meta){
        .is_valid = u64_at(bytes, 0) == number && u16_at(bytes, PAGE_FLAGS_AT) == PAGE_META &&
                    u32_at(bytes, META_MAGIC_AT) == META_MAGIC &&
                    u32_at(bytes, META_VERSION_AT) == DATA_VERSION,
        .address = u64_at(bytes, META_ADDRESS_AT),
        .map_size = u64_at(bytes, META_MAP_SIZE_AT),
        .free = lw_lmdb_db_decode(text + META_FREE_AT),
        .main = lw_lmdb_db_decode(text + META_MAIN_AT),
        .last_page = u64_at(bytes, META_LAST_PAGE_AT),
        .txn_id = u64_at(bytes, META_TXN_ID_AT),
    };
}

bool lw_lmdb_pages_has(const lw_lmdb_pages *pages, uint64_t first, uint64_t count)
{
    uint64_t in_file = pages->size / pages->page_size;
    return first < in_file && count <= in_file - first;
}

lw_status lw_lmdb_pages_record(lw_lmdb_pages *pages)
{
    size_t bytes = (size_t)(pages->size / pages->page_size / 8 + 1);
    lw_buf_init(&pages->used, bytes);
    if (lw_buf_grow(&pages->used, bytes) < 0)
        return LW_ERR_NOMEM;
    memset(pages->used.data, 0, bytes);
    pages->used.len = bytes;
    return LW_OK;
}

bool lw_lmdb_pages_mark(lw_lmdb_pages *pages, uint64_t number)
{
    if (pages->used.len == 0 || number / 8 >= pages->used.len)
        return true;
    char *byte = &pages->used.data[number / 8];
    char bit = (char)(1 << number % 8);
    bool is_new = (*byte & bit) == 0;
    *byte = (char)(*byte | bit);
    return is_new;
}

/* One traversal of a tree. */
typedef struct walk {
    lw_lmdb_pages *pages;
    const lw_lmdb_visitor *visitor;
    const lw_lmdb_db *db;
    lw_lmdb_db seen; /* the counts so far */
    bool is_damaged;
} walk;

/* The keys that a page may have: at least |low|, less than |high|; NULL pointers: no bound. */
typedef struct bounds {
    lw_str low, high;
} bounds;

/* A node in its page. */
typedef struct raw_node {
    lw_str key;
    uint32_t flags;
    size_t data_size; /* of the value, wherever it is */
    size_t data_at;   /* in the page */
    size_t size;      /* in the page */
    uint64_t child;   /* of a branch */
} raw_node;

static void walk_damage(walk *w, uint64_t page, const char *what)
{
    w->is_damaged = true;
    w->visitor->on_damage(page, what, w->visitor->arg);
}

static bool walk_is_over(const walk *w)
{
    return w->pages->error != 0;
}

static int compare_keys(const walk *w, lw_str a, lw_str b)
{
    if (!w->visitor->has_numbers)
        return lw_str_compare(a, b);
    uint64_t x = u64_at((const unsigned char *)a.ptr, 0);
    uint64_t y = u64_at((const unsigned char *)b.ptr, 0);
    return x < y ? -1 : x > y;
}

/* Takes |count| pages for the tree.  NULL, or what is wrong. */
static const char *walk_take(walk *w, uint64_t number, uint64_t count)
{
    lw_lmdb_pages *pages = w->pages;
    if (!lw_lmdb_pages_has(pages, number, count))
        return "the page is beyond the end of the file";
    if (number < 2 || number > pages->last_page || count > pages->last_page - number + 1)
        return "the page is beyond the last page of the store";
    for (uint64_t i = 0; i < count; i++) {
        if (!lw_lmdb_pages_mark(pages, number + i))
            return "the page is used twice";
    }
    return NULL;
}

/* Reads a value that is on pages of its own. */
static bool walk_overflow(walk *w, const unsigned char *page, const raw_node *node, lw_str *value)
{
    lw_lmdb_pages *pages = w->pages;
    uint64_t number = u64_at(page, node->data_at);
    uint64_t needed = (PAGE_HEAD - 1 + node->data_size) / pages->page_size + 1;
    uint64_t at = number * pages->page_size;
    const char *bytes = NULL, *start = NULL;
    if (number <= pages->last_page) {
        start = bytes = lw_lmdb_pages_view(pages, PAGE_HEAD + node->data_size, at);
        if (!bytes && !walk_is_over(w))
            start = lw_lmdb_pages_view(pages, PAGE_HEAD, at);
    }
    if (!start) {
        walk_damage(w, number, "the page of a value is beyond the end of the file");
        return false;
    }
    const unsigned char *head = (const unsigned char *)start;
    uint64_t count = u32_at(head, PAGE_COUNT_AT);
    const char *wrong = NULL;
    if (u64_at(head, 0) != number)
        wrong = "the page of a value has the number of another page";
    else if (u16_at(head, PAGE_FLAGS_AT) != PAGE_OVERFLOW || count < needed)
        wrong = "the page of a value is of another kind or size";
    else
        wrong = walk_take(w, number, count);
    if (wrong) {
        walk_damage(w, number, wrong);
        return false;
    }
    w->seen.overflows += count;
    if (!bytes) {
        walk_damage(w, number, "the page of a value is beyond the end of the file");
        return false;
    }
    *value = lw_str_make(bytes + PAGE_HEAD, node->data_size);
    return true;
}

static void walk_leaf_node(walk *w, const unsigned char *page, const raw_node *node)
{
    uint64_t number = u64_at(page, 0);
    lw_lmdb_node found = { .key = node->key,
                           .value = { (const char *)page + node->data_at, node->data_size },
                           .is_tree = node->flags == NODE_TREE,
                           .page = number };
    w->seen.entries++;
    if (node->flags == NODE_BIG && !walk_overflow(w, page, node, &found.value))
        return;
    w->visitor->on_node(&found, w->visitor->arg);
}

static bool page_is_leaf(const unsigned char *page)
{
    return u16_at(page, PAGE_FLAGS_AT) == PAGE_LEAF;
}

static size_t page_count(const unsigned char *page)
{
    return (u16_at(page, PAGE_LOWER_AT) - PAGE_HEAD) / 2;
}

/* Parses a node; false: it is not inside the page, or is of an unknown kind. */
static bool parse_node(const walk *w, const unsigned char *page, size_t index, raw_node *node)
{
    size_t page_size = w->pages->page_size, at = u16_at(page, PAGE_HEAD + 2 * index);
    bool is_leaf = page_is_leaf(page);
    if (at < u16_at(page, PAGE_UPPER_AT) || at + NODE_HEAD > page_size || at % 2 != 0)
        return false;
    size_t key_size = u16_at(page, at + NODE_KEY_SIZE_AT);
    node->flags = u16_at(page, at + NODE_FLAGS_AT);
    node->data_at = at + NODE_HEAD + key_size;
    if (node->data_at > page_size || key_size > KEY_MAX)
        return false;
    node->key = lw_str_make((const char *)page + at + NODE_HEAD, key_size);
    node->child = u32_at(page, at) | (uint64_t)node->flags << 32;
    node->data_size = is_leaf ? u32_at(page, at) : 0;
    size_t here = node->flags == NODE_BIG && is_leaf ? sizeof(uint64_t) : node->data_size;
    node->size = (NODE_HEAD + key_size + here + 1) & ~(size_t)1;
    if (!is_leaf)
        return true;
    return node->flags <= NODE_TREE && here <= page_size - node->data_at &&
           node->data_size <= w->visitor->value_max && key_size > 0 &&
           (node->flags != NODE_TREE || node->data_size == LW_LMDB_DB_SIZE);
}

/* True if the keys of a tree may be like this one. */
static bool is_key_possible(const walk *w, lw_str key, bool is_first_of_branch)
{
    if (is_first_of_branch)
        return true; /* LMDB does not read it */
    return !w->visitor->has_numbers || key.len == sizeof(uint64_t);
}

/* Checks the whole page before anything in it is followed.  NULL, or what is wrong. */
static const char *check_page(walk *w, const unsigned char *page, bounds limit)
{
    bool is_leaf = page_is_leaf(page);
    size_t page_size = w->pages->page_size;
    size_t lower = u16_at(page, PAGE_LOWER_AT), upper = u16_at(page, PAGE_UPPER_AT);
    if (!is_leaf && u16_at(page, PAGE_FLAGS_AT) != PAGE_BRANCH)
        return "the page is of another kind";
    if (lower < PAGE_HEAD || lower % 2 != 0 || lower > upper || upper > page_size)
        return "the table of the page is damaged";
    size_t count = page_count(page), total = 0;
    if (count < (is_leaf ? 1 : 2))
        return "the page has too few nodes";
    lw_str before = limit.low;
    for (size_t i = 0; i < count; i++) {
        raw_node node;
        bool is_first_of_branch = !is_leaf && i == 0;
        if (!parse_node(w, page, i, &node) || !is_key_possible(w, node.key, is_first_of_branch))
            return "a node of the page is damaged";
        total += node.size;
        if (is_first_of_branch)
            continue;
        int order = before.ptr ? compare_keys(w, node.key, before) : 1;
        if (order < 0 || (order == 0 && i > (is_leaf ? 0 : 1)) ||
            (limit.high.ptr && compare_keys(w, node.key, limit.high) >= 0))
            return "the keys of the page are not in order";
        before = node.key;
    }
    return total == page_size - upper ? NULL : "the nodes of the page overlap or are damaged";
}

static void walk_page(walk *w, uint64_t number, unsigned depth, bounds limit);

/* Follows the children of a branch, whose nodes were checked, from number |first| to |end|. */
static void walk_branch(walk *w, const unsigned char *page, unsigned depth, bounds limit,
                        size_t first, size_t end)
{
    size_t count = page_count(page);
    raw_node node, next;
    if (first < end)
        (void)parse_node(w, page, first, &next);
    for (size_t i = first; i < end && !walk_is_over(w); i++) {
        node = next;
        bounds below = { i > 0 ? node.key : limit.low, limit.high };
        if (i + 1 < count) {
            (void)parse_node(w, page, i + 1, &next);
            below.high = next.key;
        }
        walk_page(w, node.child, depth + 1, below);
    }
}

static void walk_leaf(walk *w, const unsigned char *page)
{
    size_t count = page_count(page);
    for (size_t i = 0; i < count && !walk_is_over(w); i++) {
        raw_node node;
        (void)parse_node(w, page, i, &node);
        walk_leaf_node(w, page, &node);
    }
}

/* Reads and checks the page.  NULL, or what is wrong. */
static const char *read_page(walk *w, uint64_t number, unsigned depth, bounds limit,
                             unsigned char *page)
{
    lw_lmdb_pages *pages = w->pages;
    const char *wrong = NULL;
    if (!lw_lmdb_pages_read(pages, page, pages->page_size, number * pages->page_size))
        wrong = "the page cannot be read";
    else if (u64_at(page, 0) != number)
        wrong = "the page has the number of another page";
    else
        wrong = check_page(w, page, limit);
    if (!wrong && page_is_leaf(page) != (depth == w->db->depth))
        wrong = "the page is at another level of its tree";
    return wrong;
}

static void walk_page_in(walk *w, uint64_t number, unsigned depth, bounds limit,
                         unsigned char *page)
{
    const char *wrong = read_page(w, number, depth, limit, page);
    if (wrong) {
        walk_damage(w, number, wrong);
    } else if (page_is_leaf(page)) {
        w->seen.leaves++;
        walk_leaf(w, page);
    } else {
        w->seen.branches++;
        walk_branch(w, page, depth, limit, 0, page_count(page));
    }
}

static void walk_page(walk *w, uint64_t number, unsigned depth, bounds limit)
{
    const char *wrong =
        depth > w->db->depth ? "the page is at another level of its tree" : walk_take(w, number, 1);
    if (wrong) {
        walk_damage(w, number, wrong);
        return;
    }
    unsigned char *page = lw_alloc(w->pages->page_size);
    if (page)
        walk_page_in(w, number, depth, limit, page);
    else
        w->pages->error = ENOMEM;
    lw_free(page);
}

/* Returns true if the tree has as many levels as it can have, and a first page if it has any. */
static bool has_possible_root(walk *w)
{
    const lw_lmdb_db *db = w->db;
    bool is_possible = db->depth <= DEPTH_MAX && (db->depth == 0) == (db->root == LW_LMDB_NO_ROOT);
    if (!is_possible)
        walk_damage(w, 0, "a tree has no first page, or more levels than a tree can have");
    return is_possible;
}

void lw_lmdb_pages_walk(lw_lmdb_pages *pages, const lw_lmdb_db *db, const lw_lmdb_visitor *visitor)
{
    walk w = { .pages = pages, .visitor = visitor, .db = db };
    if (!has_possible_root(&w))
        return;
    if (db->root != LW_LMDB_NO_ROOT)
        walk_page(&w, db->root, 1, (bounds){ { NULL, 0 }, { NULL, 0 } });
    if (w.is_damaged || walk_is_over(&w))
        return;
    if (w.seen.entries != db->entries || w.seen.leaves != db->leaves ||
        w.seen.branches != db->branches || w.seen.overflows != db->overflows)
        walk_damage(&w, db->root == LW_LMDB_NO_ROOT ? 0 : db->root,
                    "a tree has more or fewer pages or entries than its description says");
}

/* Follows the children of the root that belong to the part. */
static void walk_root(walk *w, size_t part, size_t parts, unsigned char *page)
{
    const bounds none = { { NULL, 0 }, { NULL, 0 } };
    const char *wrong = read_page(w, w->db->root, 1, none, page);
    if (!wrong && part == 0)
        wrong = walk_take(w, w->db->root, 1);
    if (wrong) {
        walk_damage(w, w->db->root, wrong);
        return;
    }
    size_t count = page_count(page);
    w->seen.branches += part == 0;
    walk_branch(w, page, 1, none, count * part / parts, count * (part + 1) / parts);
}

void lw_lmdb_pages_walk_part(lw_lmdb_pages *pages, const lw_lmdb_db *db,
                             const lw_lmdb_visitor *visitor, size_t part, size_t parts,
                             lw_lmdb_db *seen)
{
    walk w = { .pages = pages, .visitor = visitor, .db = db, .seen = *seen };
    assert(db->depth > 1);
    if (!has_possible_root(&w))
        return;
    unsigned char *page = lw_alloc(pages->page_size);
    if (page)
        walk_root(&w, part, parts, page);
    else
        pages->error = ENOMEM;
    lw_free(page);
    *seen = w.seen;
}
