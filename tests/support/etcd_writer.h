/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writer.h -- writes to a real etcd, done when the call returns. */
#ifndef LW_TESTS_SUPPORT_ETCD_WRITER_H
#define LW_TESTS_SUPPORT_ETCD_WRITER_H

#include "support/etcd_blocking.h"

/* The revision of the write.  One of which nobody knows is done again; 0: not even so. */
uint64_t etcd_writer_put(etcd_blocking *etcd, const char *key, lw_str value);
uint64_t etcd_writer_put_text(etcd_blocking *etcd, const char *key, const char *value);
uint64_t etcd_writer_delete(etcd_blocking *etcd, const char *key);

#endif
