/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writer.h -- writes to a real etcd that are done when the call returns. */
#ifndef LW_TESTS_SUPPORT_ETCD_WRITER_H
#define LW_TESTS_SUPPORT_ETCD_WRITER_H

#include "etcd/etcd.h"

typedef struct etcd_writer {
    lw_loop *loop;
    lw_etcd *etcd;
} etcd_writer;

/* False: no memory, or endpoints that cannot be used. */
bool etcd_writer_open(etcd_writer *writer, const char *endpoints);
void etcd_writer_close(etcd_writer *writer);

/* The revision of the write.  A write of which nobody knows is done again; 0: not even so. */
uint64_t etcd_writer_put(etcd_writer *writer, const char *key, lw_str value);
uint64_t etcd_writer_put_text(etcd_writer *writer, const char *key, const char *value);
uint64_t etcd_writer_delete(etcd_writer *writer, const char *key);

/* Forgets history before |revision|. */
bool etcd_writer_compact(etcd_writer *writer, uint64_t revision);

#endif
