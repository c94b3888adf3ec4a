/* SPDX-License-Identifier: Apache-2.0 */
/* remote_port.h -- which port a word such as 8080:80, :https or 5432 means. */
#ifndef LISTWATCH_CLI_STREAMS_REMOTE_PORT_H
#define LISTWATCH_CLI_STREAMS_REMOTE_PORT_H

#include "pod_choice.h"

typedef struct port_pair {
    unsigned local;  /* 0: a free one */
    unsigned remote; /* of the pod */
    unsigned shown;  /* the number that the user knows: of the service, or of the pod */
} port_pair;

/* Parses [LOCAL:]REMOTE, where REMOTE is a number or the name of a port.  Ports of a service become
 * those of its pod.  Returns EXIT_OK, or another exit code after it has printed an error. */
int remote_port_parse(port_pair *out, connection *conn, pod_choice *pod, const char *word);

#endif
