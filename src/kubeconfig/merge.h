/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h -- merges several kubeconfig files: of entries with the same name, the one of the first
 * file is used as a whole.  One thread at a time. */
#ifndef LW_KUBECONFIG_MERGE_H
#define LW_KUBECONFIG_MERGE_H

#include "kubeconfig/file.h"

enum {
    LW_KUBE_FILES = 256, /* files of $KUBECONFIG */
};

/* Starts zeroed. */
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
