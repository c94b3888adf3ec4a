/* SPDX-License-Identifier: Apache-2.0 */
/* uring.h -- an io_uring for measurements: requests are collected, submitted together, and their
 * completions taken one after the other.  One thread. */
#ifndef LW_TESTS_BENCH_URING_H
#define LW_TESTS_BENCH_URING_H

#include <linux/io_uring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uring {
    int fd;
    unsigned *sq_head, *sq_tail, *cq_head, *cq_tail;
    unsigned sq_mask, cq_mask, entries;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    unsigned unsent; /* requests that are not submitted */
    /* Buffers that a receive takes when something comes. */
    struct io_uring_buf_ring *buffers;
    char *bytes;
    unsigned buffer_count, buffer_size;
} uring;

/* False, with errno: the kernel has none, or not of this kind. */
bool uring_open(uring *ring, unsigned entries);

/* Registers descriptors: requests name them by their index. */
bool uring_register_files(uring *ring, const int *fds, unsigned count);

/* Registers |bytes|, for sends that copy nothing. */
bool uring_register_buffer(uring *ring, void *bytes, size_t len);

/* Provides |count| buffers, a power of two, of |size| bytes, as group 0. */
bool uring_provide(uring *ring, unsigned count, unsigned size);
void uring_give_back(uring *ring, unsigned buffer);

/* Returns an empty request; submits those that wait when there is no room. */
struct io_uring_sqe *uring_next(uring *ring);

/* Submits what waits, and waits for |completions| of them. */
void uring_submit(uring *ring, unsigned completions);

/* Returns the next completion, or NULL; it is valid until uring_seen. */
const struct io_uring_cqe *uring_peek(const uring *ring);
void uring_seen(uring *ring);

#endif
