/* SPDX-License-Identifier: Apache-2.0 */
/* oom.c -- an allocator that fails on demand, and the runs that use it.  Invariant: every block is
 * counted in |live| and has a known head and tail, so that a leak, a foreign pointer and a write
 * past the end are found at the end of the run at the latest. */
#include "oom/oom.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch/sys/alloc.h>

#include "base/sync.h"
#include "support/sanitized.h"

enum {
    HEAD_MAGIC = 0x6C772D61,
    FREED_MAGIC = 0x6C772D66,
    TAIL_SIZE = 8,
    FRESH_BYTE = 0xA5, /* fills new blocks */
    FREED_BYTE = 0xDD, /* fills freed blocks */
    TAIL_BYTE = 0x5A,
};

/* Beyond about this many allocations in all runs of a scenario, the failures are sampled.  Fewer
 * with a sanitizer: the build without one makes each of them fail. */
static const uint64_t WORK_LIMIT = IS_SANITIZED ? 1000000 : 20000000;

typedef struct block {
    alignas(max_align_t) size_t size;
    uint64_t number; /* number of the allocation in the run */
    struct block *previous, *next;
    uint32_t magic;
} block;

typedef struct failing_heap {
    lw_mutex mu;         /* a scenario may have threads */
    uint64_t count;      /* allocations in this run */
    uint64_t fail_first; /* the first allocation that fails; 0: none */
    bool fails_on;       /* all later ones fail too */
    size_t live;
    block *newest;      /* list of all live blocks */
    const char *damage; /* the damage found, or NULL */
} failing_heap;

static bool heap_refuses(failing_heap *heap)
{
    heap->count++;
    if (heap->fail_first == 0)
        return false;
    return heap->count == heap->fail_first || (heap->fails_on && heap->count > heap->fail_first);
}

static block *heap_add(failing_heap *heap, size_t size)
{
    block *made = malloc(sizeof(block) + size + TAIL_SIZE);
    if (!made)
        abort(); /* the machine is out of memory: no result would be meaningful */
    made->size = size;
    made->number = heap->count;
    made->previous = NULL;
    made->next = heap->newest;
    made->magic = HEAD_MAGIC;
    if (heap->newest)
        heap->newest->previous = made;
    heap->newest = made;
    heap->live++;
    memset(made + 1, FRESH_BYTE, size);
    memset((char *)(made + 1) + size, TAIL_BYTE, TAIL_SIZE);
    return made;
}

/* Returns the block of |ptr|; NULL: it is foreign or damaged. */
static block *heap_find(failing_heap *heap, void *ptr)
{
    block *found = (block *)ptr - 1;
    if (found->magic != HEAD_MAGIC) {
        heap->damage = found->magic == FREED_MAGIC ? "a block was freed twice"
                                                   : "a pointer was freed that was not allocated, "
                                                     "or the bytes before it were overwritten";
        return NULL;
    }
    const unsigned char *tail = (const unsigned char *)ptr + found->size;
    for (size_t i = 0; i < TAIL_SIZE; i++) {
        if (tail[i] != TAIL_BYTE)
            heap->damage = "the bytes after a block were overwritten";
    }
    return found;
}

static void heap_remove(failing_heap *heap, block *gone)
{
    if (gone->previous)
        gone->previous->next = gone->next;
    else
        heap->newest = gone->next;
    if (gone->next)
        gone->next->previous = gone->previous;
    heap->live--;
    gone->magic = FREED_MAGIC;
    memset(gone + 1, FREED_BYTE, gone->size);
    free(gone);
}

static void *heap_allocate(size_t size, void *arg)
{
    failing_heap *heap = arg;
    lw_mutex_lock(&heap->mu);
    void *made = heap_refuses(heap) ? NULL : heap_add(heap, size) + 1;
    lw_mutex_unlock(&heap->mu);
    return made;
}

static void heap_release(void *ptr, void *arg)
{
    failing_heap *heap = arg;
    lw_mutex_lock(&heap->mu);
    block *gone = ptr ? heap_find(heap, ptr) : NULL;
    if (gone)
        heap_remove(heap, gone);
    lw_mutex_unlock(&heap->mu);
}

/* Always moves the block, so that a pointer kept across a resize points to freed memory. */
static void *move_block(failing_heap *heap, void *ptr, size_t size)
{
    if (heap_refuses(heap))
        return NULL;
    block *old = ptr ? heap_find(heap, ptr) : NULL;
    block *made = heap_add(heap, size);
    if (old) {
        memcpy(made + 1, ptr, old->size < size ? old->size : size);
        heap_remove(heap, old);
    }
    return made + 1;
}

static void *heap_resize(void *ptr, size_t size, void *arg)
{
    failing_heap *heap = arg;
    lw_mutex_lock(&heap->mu);
    void *made = move_block(heap, ptr, size);
    lw_mutex_unlock(&heap->mu);
    return made;
}

/* Writes the problem of a run to |problem|; "" if there is none. */
static void run_judge(const failing_heap *heap, lw_status st, const lw_error *err,
                      oom_report *report)
{
    char *problem = report->problem;
    size_t size = sizeof(report->problem);
    if (heap->damage)
        snprintf(problem, size, "%s", heap->damage);
    else if (heap->live > 0)
        snprintf(problem, size,
                 "%zu blocks leaked, one of them made by allocation %llu of %zu bytes", heap->live,
                 (unsigned long long)heap->newest->number, heap->newest->size);
    else if (heap->fail_first == 0 && st != LW_OK)
        snprintf(problem, size, "answered \"%s\" (%s) though nothing failed", lw_status_name(st),
                 err->message);
    else if (st != LW_OK && st != LW_ERR_NOMEM)
        snprintf(problem, size, "answered \"%s\" (%s), not \"%s\"", lw_status_name(st),
                 err->message, lw_status_name(LW_ERR_NOMEM));
    else if (err->code != LW_OK && err->code != st)
        snprintf(problem, size, "returned \"%s\" but its error says \"%s\" (%s)",
                 lw_status_name(st), lw_status_name(err->code), err->message);
}

/* Frees what a failed run has left, so that the next run and LeakSanitizer start clean. */
static void heap_sweep(failing_heap *heap)
{
    while (heap->newest)
        heap_remove(heap, heap->newest);
}

/* Runs once; false: there was a problem, which report->problem describes. */
static bool run_once(const oom_scenario *scenario, uint64_t fail_first, bool fails_on,
                     oom_report *report, uint64_t *count)
{
    failing_heap heap = { .fail_first = fail_first, .fails_on = fails_on };
    const lw_allocator allocator = { heap_allocate, heap_resize, heap_release, &heap };
    lw_error err = LW_ERROR_INIT;
    lw_mutex_init(&heap.mu);
    lw_set_allocator(&allocator);
    lw_status st = scenario->run(&err);
    lw_set_allocator(NULL);
    lw_mutex_done(&heap.mu);
    run_judge(&heap, st, &err, report);
    if (heap.damage == NULL)
        heap_sweep(&heap);
    *count = heap.count;
    if (fail_first > 0 && st == LW_OK)
        report->tolerated++;
    if (report->problem[0] == '\0')
        return true;
    if (fail_first > 0) {
        size_t len = strlen(report->problem);
        snprintf(report->problem + len, sizeof(report->problem) - len,
                 " [allocation %llu%s failed]", (unsigned long long)fail_first,
                 fails_on ? " and all later ones" : " alone");
    }
    return false;
}

bool oom_check(const oom_scenario *scenario, oom_report *report)
{
    uint64_t ignored, again;
    *report = (oom_report){ 0 };
    if (!run_once(scenario, 0, false, report, &report->allocations))
        return false;

    uint64_t total = report->allocations;
    uint64_t affordable = total > 0 ? WORK_LIMIT / (2 * total) : 0;
    uint64_t stride = affordable >= total ? 1 : affordable > 0 ? total / affordable + 1 : total;
    for (uint64_t i = 1; i <= total; i += stride) {
        if (!run_once(scenario, i, false, report, &ignored) ||
            !run_once(scenario, i, true, report, &ignored))
            return false;
        report->points++;
    }

    if (!run_once(scenario, 0, false, report, &again))
        return false;
    if (again != total) {
        snprintf(
            report->problem, sizeof(report->problem),
            "made %llu allocations at first and %llu at the end: something is kept between runs",
            (unsigned long long)total, (unsigned long long)again);
        return false;
    }
    return true;
}
