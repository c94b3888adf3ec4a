/* SPDX-License-Identifier: Apache-2.0 */
/* pod_choice.h -- the pod that a word of the command line means: POD, pod/POD, or a pod of a
 * workload or a service such as deployment/web. */
#ifndef LISTWATCH_CLI_STREAMS_POD_CHOICE_H
#define LISTWATCH_CLI_STREAMS_POD_CHOICE_H

#include <listwatch.h>

#include "connection.h"

enum {
    POD_SELECTOR_MAX = 4096,
};

typedef struct pod_choice {
    const char *ns;
    char name[256];
    lw_object *service; /* NULL: the word does not name a service */
    lw_object *pod;     /* NULL: it was named, and not read */
} pod_choice;

/* Finds the pod.  Returns EXIT_OK, or another exit code after it has printed an error. */
int pod_choice_find(pod_choice *out, connection *conn, char *word);
void pod_choice_done(pod_choice *choice);

/* Writes the labels at |pointer|, e.g. /spec/selector/matchLabels, as "a=b,c=d"; false: there are
 * none. */
bool pod_selector_of(const lw_object *obj, const char *pointer, char text[POD_SELECTOR_MAX]);

#endif
