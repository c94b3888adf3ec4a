/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- from a command line to an etcd. */
#ifndef LISTWATCH_CLI_ETCD_H
#define LISTWATCH_CLI_ETCD_H

#include <listwatch/etcd.h>

#include "arguments.h"

/* The etcd of --etcd and its kin, for a factory.  Nothing is sent yet.  On failure it has
 * complained. */
bool etcd_open(lw_provider **out, const arguments *args);

#endif
