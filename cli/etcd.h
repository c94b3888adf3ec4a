/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- connects to the etcd cluster of a command line. */
#ifndef LISTWATCH_CLI_ETCD_H
#define LISTWATCH_CLI_ETCD_H

#include <listwatch/etcd.h>

#include "arguments.h"

/* Creates a provider for a factory from the --etcd options; sends nothing yet.  Returns false after
 * it has printed an error. */
bool etcd_open(lw_provider **out, const arguments *args);

#endif
