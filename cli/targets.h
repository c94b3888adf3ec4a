/* SPDX-License-Identifier: Apache-2.0 */
/* targets.h -- the objects that a command line names. */
#ifndef LISTWATCH_CLI_TARGETS_H
#define LISTWATCH_CLI_TARGETS_H

#include <listwatch.h>

#include "connection.h"
#include "text.h"

/* One object, or all objects of a resource. */
typedef struct target {
    lw_resource resource;
    const char *ns;   /* NULL: the resource is cluster-scoped, or all namespaces are meant */
    const char *name; /* NULL: all objects, or those that match the selectors */
} target;

enum {
    TARGETS_MAX = 512,
};

typedef struct targets {
    target at[TARGETS_MAX];
    size_t count;
    bool has_names;
    bool has_several_resources;
} targets;

/* Parses the words after the command and finds the resources on the server:
 *     pods | pods NAME NAME | pods,services | all | pods/NAME services/NAME
 * A word that is not a resource may be a category, such as all.  Returns EXIT_OK, or another exit
 * code after it has printed an error. */
int targets_find(targets *out, connection *conn, char *const *words, size_t count);

/* As targets_find, if the words must name one resource at most once, and need a name if
 * |needs_name|. */
int targets_find_one(target *out, connection *conn, char *const *words, size_t count,
                     bool needs_name);

/* Writes how a target is named, e.g. "deployment.apps/web". */
void target_text(const target *t, const char *name, char *text, size_t size);

/* Appends the path of |resource| on the server; |ns|, |name| and |subresource| may be NULL. */
void target_path(const lw_resource *resource, const char *ns, const char *name,
                 const char *subresource, text_buf *out);

#endif
