/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_stub.h -- this program started as etcd: the stand-in for test environments that start an
 * etcd before a kube-apiserver.
 *
 * It stores nothing.  It answers /health, /version and /metrics, and tells a kube-apiserver that is
 * this program, too, in which folder its embedded store belongs. */
#ifndef LISTWATCH_CLI_ETCD_STUB_H
#define LISTWATCH_CLI_ETCD_STUB_H

#include <stdbool.h>
#include <stddef.h>

#include "go_flags.h"

/* All flags of etcd; ends with a NULL name. */
extern const go_flag etcd_stub_flags[];

/* Asks the first of |servers| ("http://127.0.0.1:2379,...").  True: it is the stand-in, and
 * |folder| is where the store belongs.  False: it is something else, or it does not answer. */
bool etcd_stub_find(const char *servers, char *folder, size_t size);

#endif
