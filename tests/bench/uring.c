/* SPDX-License-Identifier: Apache-2.0 */
/* uring.c -- io_uring by its system calls. */
#include "bench/uring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    COMPLETIONS_PER_ENTRY = 4,
};

static void *map(const uring *ring, size_t size, off_t what)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, what);
    return at == MAP_FAILED ? NULL : at;
}

static unsigned *word(void *base, uint32_t offset)
{
    return (unsigned *)(void *)((char *)base + offset);
}

bool uring_open(uring *ring, unsigned entries)
{
    struct io_uring_params params = {
        .flags = IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
        .cq_entries = entries * COMPLETIONS_PER_ENTRY,
    };
    memset(ring, 0, sizeof(*ring));
    ring->fd = (int)syscall(SYS_io_uring_setup, entries, &params);
    if (ring->fd < 0)
        return false;
    void *sq =
        map(ring, params.sq_off.array + params.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    void *cq = map(ring, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
                   IORING_OFF_CQ_RING);
    ring->sqes = map(ring, params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
    if (!sq || !cq || !ring->sqes)
        return false;
    ring->entries = params.sq_entries;
    ring->sq_head = word(sq, params.sq_off.head);
    ring->sq_tail = word(sq, params.sq_off.tail);
    ring->sq_mask = *word(sq, params.sq_off.ring_mask);
    for (unsigned i = 0; i < params.sq_entries; i++)
        word(sq, params.sq_off.array)[i] = i;
    ring->cq_head = word(cq, params.cq_off.head);
    ring->cq_tail = word(cq, params.cq_off.tail);
    ring->cq_mask = *word(cq, params.cq_off.ring_mask);
    ring->cqes = (struct io_uring_cqe *)(void *)((char *)cq + params.cq_off.cqes);
    return true;
}

static bool enlist(const uring *ring, unsigned what, const void *arg, unsigned count)
{
    return syscall(SYS_io_uring_register, ring->fd, what, arg, count) >= 0;
}

bool uring_register_files(uring *ring, const int *fds, unsigned count)
{
    return enlist(ring, IORING_REGISTER_FILES, fds, count);
}

bool uring_register_buffer(uring *ring, void *bytes, size_t len)
{
    const struct iovec buffer = { .iov_base = bytes, .iov_len = len };
    return enlist(ring, IORING_REGISTER_BUFFERS, &buffer, 1);
}

void uring_give_back(uring *ring, unsigned buffer)
{
    unsigned short tail = ring->buffers->tail;
    struct io_uring_buf *entry = &ring->buffers->bufs[tail & (ring->buffer_count - 1)];
    entry->addr = (uint64_t)(uintptr_t)(ring->bytes + (size_t)buffer * ring->buffer_size);
    entry->len = ring->buffer_size;
    entry->bid = (unsigned short)buffer;
    __atomic_store_n(&ring->buffers->tail, (unsigned short)(tail + 1), __ATOMIC_RELEASE);
}

bool uring_provide(uring *ring, unsigned count, unsigned size)
{
    ring->bytes = calloc(count, size);
    ring->buffers = aligned_alloc(4096, count * sizeof(struct io_uring_buf));
    if (!ring->bytes || !ring->buffers)
        return false;
    memset(ring->buffers, 0, count * sizeof(struct io_uring_buf));
    ring->buffer_count = count;
    ring->buffer_size = size;
    const struct io_uring_buf_reg group = { .ring_addr = (uint64_t)(uintptr_t)ring->buffers,
                                            .ring_entries = count };
    if (!enlist(ring, IORING_REGISTER_PBUF_RING, &group, 1))
        return false;
    for (unsigned i = 0; i < count; i++)
        uring_give_back(ring, i);
    return true;
}

struct io_uring_sqe *uring_next(uring *ring)
{
    unsigned tail = *ring->sq_tail;
    if (tail - __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE) == ring->entries)
        uring_submit(ring, 0);
    struct io_uring_sqe *sqe = &ring->sqes[tail & ring->sq_mask];
    memset(sqe, 0, sizeof(*sqe));
    __atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
    ring->unsent++;
    return sqe;
}

void uring_submit(uring *ring, unsigned completions)
{
    long taken = syscall(SYS_io_uring_enter, ring->fd, ring->unsent, completions,
                         IORING_ENTER_GETEVENTS, NULL, 0);
    if (taken > 0)
        ring->unsent -= (unsigned)taken;
    else if (taken < 0)
        perror("io_uring_enter");
}

const struct io_uring_cqe *uring_peek(const uring *ring)
{
    unsigned head = *ring->cq_head;
    if (head == __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE))
        return NULL;
    return &ring->cqes[head & ring->cq_mask];
}

void uring_seen(uring *ring)
{
    __atomic_store_n(ring->cq_head, *ring->cq_head + 1, __ATOMIC_RELEASE);
}
