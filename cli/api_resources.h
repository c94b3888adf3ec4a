/* SPDX-License-Identifier: Apache-2.0 */
/* api_resources.h -- all resources of a server, from its discovery documents. */
#ifndef LISTWATCH_CLI_API_RESOURCES_H
#define LISTWATCH_CLI_API_RESOURCES_H

#include <stdbool.h>

#include <listwatch.h>

/* One resource.  The strings are NUL-terminated and valid as long as the list; lists in them are
 * separated by commas. */
typedef struct api_resource {
    lw_str group; /* empty: the core group */
    lw_str version;
    lw_str name; /* "deployments" */
    lw_str kind;
    const char *singular;
    const char *short_names;
    const char *verbs;
    const char *categories;
    bool is_namespaced;
} api_resource;

typedef struct api_resources api_resources;

/* Reads the resources of the preferred version of each group, without subresources.  A group that
 * cannot be read is left out; api_resources_missing returns its name.  Errors as
 * lw_client_download. */
lw_status api_resources_load(api_resources **out, lw_client *client, lw_error *err);
void api_resources_free(api_resources *all);

size_t api_resources_count(const api_resources *all);
const api_resource *api_resources_at(const api_resources *all, size_t index);

/* Returns "group/version: reason" of the first group that could not be read, or NULL. */
const char *api_resources_missing(const api_resources *all);

#endif
