/* SPDX-License-Identifier: Apache-2.0 */
/* verify_log.c -- verifies the records of the log.
 *
 * Several threads read the parts of a large log, each the next one that nobody has taken.  They
 * only find out whether everything is right.  If anything is wrong, in a part or between two of
 * them, nothing that they have found is used: one thread has to read everything again, and reports
 * the damage in the order of the file. */
#include "store/lmdb/verify_log.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    PAGES_MIN = 4096, /* a smaller log is read by one thread */
    PARTS = 32,       /* their records differ in size, so there are more of them than threads */
};

/* The seed is fixed: nobody gains from a collision. */
uint64_t lw_lmdb_log_hash(lw_str key, uint64_t revision)
{
    return lw_hash_str((lw_hash_seed){ revision, UINT64_C(0x6c6973747761746b) }, key);
}

static void report(lw_lmdb_log_check *log, const lw_lmdb_damage *damage)
{
    log->is_damaged = true;
    if (log->report)
        log->report(damage, log->arg);
}

static void on_damage(uint64_t page, const char *what, void *arg)
{
    report(arg, &(lw_lmdb_damage){ .page = page, .what = what });
}

/* True if the record that |record| superseded must still be there (see engine.c: a sweep removes
 * what each change superseded, and deletes). */
static bool has_previous(const lw_lmdb_log_check *log, const lw_lmdb_record *record,
                         uint64_t revision)
{
    uint64_t swept = log->trees->state.marks.swept;
    bool was_deleted = record->create_revision == revision;
    return record->previous > 0 && revision > swept && !(was_deleted && record->previous <= swept);
}

/* True if no change is missing between |last|, which may be 0, and |revision|. */
static bool is_next(const lw_lmdb_log_check *log, uint64_t last, uint64_t revision)
{
    uint64_t swept = log->trees->state.marks.swept;
    return revision <= swept || revision == last + 1 || (last < swept && revision == swept + 1);
}

static void on_record(const lw_lmdb_node *node, void *arg)
{
    lw_lmdb_log_check *log = arg;
    lw_lmdb_record record;
    uint64_t revision = 0;
    if (node->key.len == LW_LMDB_REVISION_SIZE)
        revision = lw_lmdb_get_number((const unsigned char *)node->key.ptr, LW_LMDB_REVISION_SIZE);
    log->records++;
    if (revision == 0 || node->is_tree ||
        !lw_lmdb_record_decode(&record, revision, log->trees->format, node->value)) {
        report(log, &(lw_lmdb_damage){ .key = revision > 0 && !node->is_tree ? record.key
                                                                             : lw_str_make(NULL, 0),
                                       .revision = revision,
                                       .page = node->page,
                                       .what = "the checksum or the head of the record is wrong" });
        return;
    }
    bool is_first_of_part = log->is_part && log->first == 0;
    if (revision > log->trees->state.marks.current ||
        (!is_first_of_part && !is_next(log, log->last, revision)))
        report(log, &(lw_lmdb_damage){ .key = record.key,
                                       .revision = revision,
                                       .page = node->page,
                                       .what = "changes before this one are missing" });
    if (log->first == 0)
        log->first = revision;
    log->last = revision;
    log->latest += lw_lmdb_log_hash(record.key, revision);
    if (has_previous(log, &record, revision))
        log->latest -= lw_lmdb_log_hash(record.key, record.previous);
}

static lw_lmdb_visitor visitor_of(lw_lmdb_log_check *log)
{
    return (lw_lmdb_visitor){
        .value_max = LW_LMDB_RECORD_MAX, .on_node = on_record, .on_damage = on_damage, .arg = log
    };
}

void lw_lmdb_log_verify(lw_lmdb_log_check *log, lw_lmdb_pages *pages)
{
    const lw_lmdb_visitor visitor = visitor_of(log);
    lw_lmdb_pages_walk(pages, &log->trees->log, &visitor);
}

/* Parts. */

/* What the threads share. */
typedef struct log_parts {
    const lw_lmdb_trees *trees;
    atomic_size_t next; /* the part that nobody has taken */
    lw_lmdb_log_check found[PARTS];
} log_parts;

typedef struct log_reader {
    log_parts *parts;
    lw_lmdb_pages pages;
    lw_lmdb_db seen;
    bool has_thread;
    lw_thread thread;
} log_reader;

static void run(void *arg)
{
    log_reader *reader = arg;
    log_parts *parts = reader->parts;
    for (size_t i; (i = atomic_fetch_add(&parts->next, 1)) < PARTS;) {
        lw_lmdb_log_check *log = &parts->found[i];
        *log = (lw_lmdb_log_check){ .trees = parts->trees, .is_part = i > 0 };
        const lw_lmdb_visitor visitor = visitor_of(log);
        lw_lmdb_pages_walk_part(&reader->pages, &parts->trees->log, &visitor, i, PARTS,
                                &reader->seen);
    }
}

/* False: it cannot read. */
static bool reader_init(log_reader *reader, log_parts *parts, const lw_lmdb_pages *pages)
{
    *reader = (log_reader){ .parts = parts };
    lw_lmdb_pages_init(&reader->pages, fcntl(pages->fd, F_DUPFD_CLOEXEC, 0));
    reader->pages.size = pages->size;
    reader->pages.page_size = pages->page_size;
    reader->pages.last_page = pages->last_page;
    return reader->pages.fd >= 0 && lw_lmdb_pages_record(&reader->pages) == LW_OK;
}

/* Adds the pages that |reader| has used to those of |sum|; false: some are in both. */
static bool add_used(lw_lmdb_pages *sum, const lw_lmdb_pages *reader)
{
    char both = 0;
    for (size_t i = 0; i < sum->used.len; i++) {
        both = (char)(both | (sum->used.data[i] & reader->used.data[i]));
        sum->used.data[i] = (char)(sum->used.data[i] | reader->used.data[i]);
    }
    return both == 0;
}

/* Adds what was found in the next part to |sum|; false: something is wrong. */
static bool add_part(lw_lmdb_log_check *sum, const lw_lmdb_log_check *part)
{
    if (part->is_damaged ||
        (part->is_part && part->first > 0 && !is_next(sum, sum->last, part->first)))
        return false;
    sum->records += part->records;
    sum->latest += part->latest;
    if (part->first > 0) {
        sum->first = sum->first > 0 ? sum->first : part->first;
        sum->last = part->last;
    }
    return true;
}

static void add_seen(lw_lmdb_db *sum, const lw_lmdb_db *seen)
{
    sum->entries += seen->entries;
    sum->leaves += seen->leaves;
    sum->branches += seen->branches;
    sum->overflows += seen->overflows;
}

static bool is_complete(const lw_lmdb_db *db, const lw_lmdb_db *seen)
{
    return seen->entries == db->entries && seen->leaves == db->leaves &&
           seen->branches == db->branches && seen->overflows == db->overflows;
}

/* Adds everything that was found; false: something is wrong. */
static bool add_all(lw_lmdb_log_check *sum, log_reader *readers, size_t count)
{
    const log_parts *parts = readers[0].parts;
    lw_lmdb_db seen = { .entries = 0 };
    for (size_t i = 0; i < PARTS; i++) {
        if (!add_part(sum, &parts->found[i]))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        add_seen(&seen, &readers[i].seen);
        if (readers[i].pages.error != 0 ||
            (i > 0 && !add_used(&readers[0].pages, &readers[i].pages)))
            return false;
    }
    return is_complete(&parts->trees->log, &seen);
}

static bool run_all(log_reader *readers, size_t count,
                    bool (*other)(lw_lmdb_pages *pages, void *arg), void *arg)
{
    for (size_t i = 1; i < count; i++)
        readers[i].has_thread =
            lw_thread_start(&readers[i].thread, "lw-verify", run, &readers[i], NULL) == LW_OK;
    bool is_right = other(&readers[0].pages, arg);
    run(&readers[0]);
    for (size_t i = 1; i < count; i++) {
        if (readers[i].has_thread)
            lw_thread_join(&readers[i].thread);
    }
    return is_right;
}

bool lw_lmdb_log_verify_with(lw_lmdb_log_check *log, lw_lmdb_pages *pages, size_t threads,
                             bool (*other)(lw_lmdb_pages *pages, void *arg), void *arg)
{
    log_parts parts = { .trees = log->trees };
    log_reader readers[LW_LMDB_LOG_THREADS_MAX] = { { .parts = NULL } };
    lw_lmdb_log_check sum = *log;
    bool is_right = true;
    for (size_t i = 0; i < threads; i++)
        is_right = reader_init(&readers[i], &parts, pages) && is_right;
    if (is_right) /* the first one has the pages of the trees that were read before as well */
        memcpy(readers[0].pages.used.data, pages->used.data, pages->used.len);
    is_right = is_right && run_all(readers, threads, other, arg);
    is_right = is_right && add_all(&sum, readers, threads);
    if (is_right) {
        memcpy(pages->used.data, readers[0].pages.used.data, pages->used.len);
        *log = sum;
    }
    for (size_t i = 0; i < threads; i++)
        lw_lmdb_pages_done(&readers[i].pages);
    return is_right;
}

size_t lw_lmdb_log_threads(const lw_lmdb_db *db)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (db->depth < 2 || db->leaves + db->overflows < PAGES_MIN || processors < 2)
        return 1;
    return processors > LW_LMDB_LOG_THREADS_MAX ? LW_LMDB_LOG_THREADS_MAX : (size_t)processors;
}
