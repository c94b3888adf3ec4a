/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writer.h -- blocking writes to a real etcd. */
#ifndef LW_TESTS_SUPPORT_ETCD_WRITER_H
#define LW_TESTS_SUPPORT_ETCD_WRITER_H

#include "support/etcd_blocking.h"

/* Returns the revision of the write.  A write with an unknown outcome is retried; 0: the retry
 * failed too. */
uint64_t etcd_writer_put(etcd_blocking *etcd, const char *key, lw_str value);
uint64_t etcd_writer_put_text(etcd_blocking *etcd, const char *key, const char *value);
uint64_t etcd_writer_delete(etcd_blocking *etcd, const char *key);

#endif
