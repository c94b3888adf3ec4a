/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c -- the files of $KUBECONFIG, in their order.
 * Invariant: a file in |files| does not move, because its entries point to it. */
#include "kubeconfig/merge.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

void lw_kube_files_done(lw_kube_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        lw_kube_file_done(&files->files[i]);
    lw_free(files->files);
    *files = (lw_kube_files){ 0 };
}

/* Reserves space for |count| files, which do not move afterwards. */
static lw_status files_reserve(lw_kube_files *files, size_t count, lw_error *err)
{
    files->files = lw_alloc_zero(count, sizeof(*files->files));
    return files->files ? LW_OK : lw_error_nomem(err);
}

lw_status lw_kube_files_read(lw_kube_files *files, const char *path, lw_error *err)
{
    lw_status st = files_reserve(files, 1, err);
    if (st < 0)
        return st;
    files->count = 1;
    return lw_kube_file_read(&files->files[0], path, err);
}

static bool is_read(const lw_kube_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].path, path) == 0)
            return true;
    }
    return false;
}

static lw_status read_next(lw_kube_files *files, const char *path, lw_error *err)
{
    if (is_read(files, path))
        return LW_OK;
    lw_kube_file *file = &files->files[files->count];
    lw_error cause = LW_ERROR_INIT;
    lw_status st = lw_kube_file_read(file, path, &cause);
    if (st == LW_OK) {
        files->count++;
        return LW_OK;
    }
    lw_kube_file_done(file);
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    if (err)
        *err = cause;
    return st;
}

lw_status lw_kube_files_read_list(lw_kube_files *files, const char *list, lw_error *err)
{
    size_t most = 1;
    for (const char *c = list; *c; c++)
        most += *c == ':';
    if (most > LW_KUBE_FILES)
        return lw_error_set(err, LW_ERR_LIMIT, "KUBECONFIG lists more than %d files",
                            LW_KUBE_FILES);
    lw_status st = files_reserve(files, most, err);
    lw_str rest = lw_str_of(list);
    while (st == LW_OK && rest.len > 0) {
        lw_str part;
        (void)lw_str_cut(rest, ':', &part, &rest);
        if (part.len == 0)
            continue;
        char *path = lw_str_dup(part);
        st = path ? read_next(files, path, err) : lw_error_nomem(err);
        lw_free(path);
    }
    return st;
}

const lw_kube_entry *lw_kube_files_find(const lw_kube_files *files, lw_kube_list list, lw_str name)
{
    for (size_t i = 0; i < files->count; i++) {
        const lw_kube_entry *entry = lw_kube_file_find(&files->files[i], list, name);
        if (entry)
            return entry;
    }
    return NULL;
}

lw_str lw_kube_files_current_context(const lw_kube_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->files[i].current_context.len > 0)
            return files->files[i].current_context;
    }
    return lw_str_make(NULL, 0);
}

/* Appends a name, or a mark that there are more.  Returns the new length; |size| means full. */
static size_t names_add(char *text, size_t size, size_t len, lw_str name)
{
    static const char more[] = ", ...";
    if (len + 2 + name.len + sizeof(more) > size) {
        (void)snprintf(text + len, size - len, "%s", len > 0 ? more : "...");
        return size;
    }
    return len + (size_t)snprintf(text + len, size - len, "%s%.*s", len > 0 ? ", " : "",
                                  LW_STR_ARG(name));
}

void lw_kube_files_names(const lw_kube_files *files, lw_kube_list list, char *text, size_t size)
{
    size_t len = 0;
    (void)snprintf(text, size, "none");
    for (size_t i = 0; i < files->count && len < size; i++) {
        const lw_kube_table *table = &files->files[i].tables[list];
        for (size_t j = 0; j < table->count && len < size; j++) {
            const lw_kube_entry *entry = &table->entries[j];
            if (lw_kube_files_find(files, list, entry->name) == entry)
                len = names_add(text, size, len, entry->name);
        }
    }
}
