/* SPDX-License-Identifier: Apache-2.0 */
/* kube_apiserver.h -- this program started as kube-apiserver. */
#ifndef LISTWATCH_CLI_KUBE_APISERVER_H
#define LISTWATCH_CLI_KUBE_APISERVER_H

#include "go_flags.h"

/* All flags of kube-apiserver; ends with a NULL name. */
extern const go_flag kube_apiserver_flags[];

#endif
