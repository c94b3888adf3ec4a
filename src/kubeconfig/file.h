/* SPDX-License-Identifier: Apache-2.0 */
/* file.h -- kubeconfig files: their clusters, users and contexts by name, and the union of several
 * files.
 *
 * Only the lists and names are checked here.  An entry is checked when it is used, so an invalid
 * user that is not used does no harm.  One thread at a time. */
#ifndef LW_KUBECONFIG_FILE_H
#define LW_KUBECONFIG_FILE_H

#include "base/map.h"
#include "json/tree.h"

typedef enum lw_kube_list {
    LW_KUBE_CLUSTERS,
    LW_KUBE_USERS,
    LW_KUBE_CONTEXTS,
    LW_KUBE_LIST_COUNT,
} lw_kube_list;

enum {
    LW_KUBE_ENTRIES = 100000, /* entries of one list */
};

/* One named entry. */
typedef struct lw_kube_entry {
    lw_str name;
    const char *what; /* "cluster", "user", "context" */
    const struct lw_kube_file *file;
    const lw_node *body; /* an object, or NULL */
} lw_kube_entry;

typedef struct lw_kube_table {
    lw_kube_entry *entries; /* in the order of the file */
    size_t count;
    lw_map by_name;
} lw_kube_table;

typedef struct lw_kube_file {
    char *path; /* as specified, for messages */
    char *dir;  /* absolute: the base of relative paths */
    lw_tree *tree;
    lw_str current_context; /* part of the tree; empty: not set */
    lw_kube_table tables[LW_KUBE_LIST_COUNT];
} lw_kube_file;

/* Reads |path|.  LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_LIMIT, LW_ERR_SYNTAX, LW_ERR_INVALID (the
 * message names the field), LW_ERR_NOMEM.  Call lw_kube_file_done also after a failure. */
lw_status lw_kube_file_read(lw_kube_file *file, const char *path, lw_error *err);

/* As lw_kube_file_read with |text| as the content of |path|. */
lw_status lw_kube_file_parse(lw_kube_file *file, const char *path, lw_str text, lw_error *err);

void lw_kube_file_done(lw_kube_file *file);

/* Returns the entry |name|, or NULL.  Valid as long as the file. */
const lw_kube_entry *lw_kube_file_find(const lw_kube_file *file, lw_kube_list list, lw_str name);

enum {
    LW_KUBE_FILES = 256, /* files of $KUBECONFIG */
};

/* Several files: of entries with the same name, the one of the first file is used as a whole.
 * Starts zeroed. */
typedef struct lw_kube_files {
    lw_kube_file *files;
    size_t count;
} lw_kube_files;

void lw_kube_files_done(lw_kube_files *files);

/* Reads |path|, which must exist. */
lw_status lw_kube_files_read(lw_kube_files *files, const char *path, lw_error *err);

/* Reads the files of |list| ("a:b:c").  Files that do not exist are skipped; a file that is listed
 * twice is read once.  LW_ERR_LIMIT: more than LW_KUBE_FILES. */
lw_status lw_kube_files_read_list(lw_kube_files *files, const char *list, lw_error *err);

/* Returns the entry |name|, or NULL. */
const lw_kube_entry *lw_kube_files_find(const lw_kube_files *files, lw_kube_list list, lw_str name);

/* Returns the current-context of the first file that sets it; empty: none does. */
lw_str lw_kube_files_current_context(const lw_kube_files *files);

/* Writes the existing names to |text| for a message, as many as fit: "a, b, c"; or "none". */
void lw_kube_files_names(const lw_kube_files *files, lw_kube_list list, char *text, size_t size);

#endif
