/* SPDX-License-Identifier: Apache-2.0 */
/* file.c -- reads kubeconfig files into tables of named entries. */
#include "kubeconfig/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/whole_file.h"
#include "json/yaml/yaml.h"

static const struct {
    const char *list; /* the member of the file */
    const char *what; /* the member of an entry that contains it, also used in messages */
} lists[LW_KUBE_LIST_COUNT] = {
    [LW_KUBE_CLUSTERS] = { "clusters", "cluster" },
    [LW_KUBE_USERS] = { "users", "user" },
    [LW_KUBE_CONTEXTS] = { "contexts", "context" },
};

static const lw_map_type entries_by_name = LW_MAP_STR_TYPE(lw_kube_entry, name);

static void file_init(lw_kube_file *file)
{
    *file = (lw_kube_file){ 0 };
    for (int i = 0; i < LW_KUBE_LIST_COUNT; i++)
        lw_map_init(&file->tables[i].by_name, &entries_by_name, lw_hash_seed_random(),
                    LW_KUBE_ENTRIES);
}

void lw_kube_file_done(lw_kube_file *file)
{
    for (int i = 0; i < LW_KUBE_LIST_COUNT; i++) {
        lw_map_done(&file->tables[i].by_name);
        lw_free(file->tables[i].entries);
    }
    lw_tree_free(file->tree);
    lw_free(file->path);
    lw_free(file->dir);
    *file = (lw_kube_file){ 0 };
}

const lw_kube_entry *lw_kube_file_find(const lw_kube_file *file, lw_kube_list list, lw_str name)
{
    return lw_map_get_str(&file->tables[list].by_name, name);
}

/* Gets the directory of |path|, absolute, so that it does not depend on the working directory. */
static lw_status folder_of(const char *path, char **out, lw_error *err)
{
    char here[PATH_MAX];
    lw_buf dir;
    lw_buf_init(&dir, 2 * (size_t)PATH_MAX);
    const char *slash = strrchr(path, '/');
    if (path[0] != '/') {
        if (!getcwd(here, sizeof(here)))
            return lw_error_set(err, LW_ERR_IO, "cannot determine the working directory: %s",
                                strerror(errno));
        lw_buf_append_text(&dir, here);
        if (slash)
            lw_buf_append_char(&dir, '/');
    }
    if (slash)
        lw_buf_append(&dir, path, (size_t)(slash - path));
    if (slash == path)
        lw_buf_append_char(&dir, '/');
    lw_status st = dir.st;
    char *text = lw_buf_take_text(&dir);
    lw_buf_done(&dir);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "%s: the path is too long", path);
    if (!text)
        return lw_error_nomem(err);
    *out = text;
    return LW_OK;
}

/* Gets a string member of the file; empty if it is absent or null. */
static lw_status top_text(const lw_kube_file *file, const char *field, lw_str *out, lw_error *err)
{
    const lw_node *node = lw_node_get(lw_tree_root(file->tree), lw_str_of(field));
    if (lw_node_type(node) != LW_JSON_NULL && !lw_node_is(node, LW_JSON_STRING))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s must be a string", file->path, field);
    *out = lw_node_text(node);
    if (out->len > 0 && memchr(out->ptr, '\0', out->len))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s contains a NUL byte", file->path, field);
    return LW_OK;
}

static lw_status check_kind(const lw_kube_file *file, lw_error *err)
{
    lw_str kind = { 0 };
    lw_str version = { 0 };
    lw_status st = top_text(file, "kind", &kind, err);
    if (st == LW_OK)
        st = top_text(file, "apiVersion", &version, err);
    if (st < 0)
        return st;
    if (kind.len > 0 && !lw_str_equal(kind, LW_STR("Config")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s: kind is \"%.*s\", not \"Config\"; is this a "
                            "kubeconfig file?",
                            file->path, LW_STR_ARG(kind));
    if (version.len > 0 && !lw_str_equal(version, LW_STR("v1")))
        return lw_error_set(err, LW_ERR_INVALID, "%s: apiVersion is \"%.*s\", not \"v1\"",
                            file->path, LW_STR_ARG(version));
    return LW_OK;
}

static lw_status entry_read(lw_kube_file *file, lw_kube_list list, size_t index,
                            const lw_node *node, lw_error *err)
{
    lw_kube_table *table = &file->tables[list];
    const lw_node *name = lw_node_get(node, LW_STR("name"));
    const lw_node *body = lw_node_get(node, lw_str_of(lists[list].what));
    const char *in = lists[list].list;
    lw_str text = lw_node_text(name);
    if (!lw_node_is(name, LW_JSON_STRING) || (text.len > 0 && memchr(text.ptr, '\0', text.len)))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s[%zu] must have a name that is a string",
                            file->path, in, index);
    if (lw_node_type(body) != LW_JSON_NULL && !lw_node_is(body, LW_JSON_OBJECT))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s[%zu].%s must be an object", file->path, in,
                            index, lists[list].what);
    lw_kube_entry *entry = &table->entries[index];
    *entry = (lw_kube_entry){ .name = text, .what = lists[list].what, .file = file };
    entry->body = lw_node_is(body, LW_JSON_OBJECT) ? body : NULL;
    if (lw_map_get_str(&table->by_name, text))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s has two entries named \"%.*s\"",
                            file->path, in, LW_STR_ARG(text));
    void *replaced = NULL;
    lw_status st = lw_map_put(&table->by_name, &entry->name, entry, &replaced);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status table_read(lw_kube_file *file, lw_kube_list list, lw_error *err)
{
    const char *in = lists[list].list;
    lw_kube_table *table = &file->tables[list];
    const lw_node *array = lw_node_get(lw_tree_root(file->tree), lw_str_of(in));
    if (lw_node_type(array) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(array, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID, "%s: %s must be a list", file->path, in);
    size_t count = lw_node_count(array);
    if (count > LW_KUBE_ENTRIES)
        return lw_error_set(err, LW_ERR_LIMIT, "%s: %s has more than %d entries", file->path, in,
                            LW_KUBE_ENTRIES);
    table->entries = lw_alloc_zero(count, sizeof(*table->entries));
    if (!table->entries)
        return lw_error_nomem(err);
    for (size_t i = 0; i < count; i++) {
        lw_status st = entry_read(file, list, i, lw_node_at(array, i), err);
        if (st < 0)
            return st;
        table->count++;
    }
    return LW_OK;
}

static lw_status tree_check(lw_kube_file *file, lw_error *err)
{
    const lw_node *root = lw_tree_root(file->tree);
    if (lw_node_type(root) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(root, LW_JSON_OBJECT))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s: the document is not an object; is this a kubeconfig "
                            "file?",
                            file->path);
    lw_status st = check_kind(file, err);
    if (st == LW_OK)
        st = top_text(file, "current-context", &file->current_context, err);
    for (int i = 0; st == LW_OK && i < LW_KUBE_LIST_COUNT; i++)
        st = table_read(file, (lw_kube_list)i, err);
    return st;
}

/* Reads the first document; others must be empty, because they would be ignored. */
static lw_status read_documents(lw_yaml_reader *reader, lw_kube_file *file, lw_error *err)
{
    for (;;) {
        lw_tree *tree = NULL;
        lw_error cause = LW_ERROR_INIT;
        lw_status st = lw_yaml_reader_next(reader, 0, &tree, &cause);
        if (st == LW_ERR_NOMEM)
            return lw_error_nomem(err);
        if (st < 0)
            return lw_error_set_at(err, st, cause.offset, "%s: %s", file->path, cause.message);
        if (!tree)
            return LW_OK;
        bool is_empty = lw_node_type(lw_tree_root(tree)) == LW_JSON_NULL;
        if (is_empty || file->tree) {
            lw_tree_free(tree);
            if (!is_empty)
                return lw_error_set(err, LW_ERR_INVALID,
                                    "%s: the file contains more than one document; put each one "
                                    "into its own file and list the files in KUBECONFIG",
                                    file->path);
            continue;
        }
        file->tree = tree;
    }
}

static lw_status file_parse(lw_kube_file *file, lw_str text, lw_error *err)
{
    if (text.len > 0 && memchr(text.ptr, '\0', text.len))
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "%s: the file contains NUL bytes, so it is not YAML", file->path);
    lw_yaml_reader *reader = NULL;
    if (lw_yaml_reader_new(&reader, text) < 0)
        return lw_error_nomem(err);
    lw_status st = read_documents(reader, file, err);
    lw_yaml_reader_free(reader);
    return st < 0 || !file->tree ? st : tree_check(file, err);
}

static lw_status file_name(lw_kube_file *file, const char *path, lw_error *err)
{
    file_init(file);
    file->path = lw_str_dup(lw_str_of(path));
    return file->path ? folder_of(path, &file->dir, err) : lw_error_nomem(err);
}

lw_status lw_kube_file_parse(lw_kube_file *file, const char *path, lw_str text, lw_error *err)
{
    lw_status st = file_name(file, path, err);
    return st < 0 ? st : file_parse(file, text, err);
}

lw_status lw_kube_file_read(lw_kube_file *file, const char *path, lw_error *err)
{
    lw_status st = file_name(file, path, err);
    if (st < 0)
        return st;
    lw_buf text;
    lw_buf_init(&text, LW_WHOLE_FILE_LIMIT);
    st = lw_whole_file_read_once(path, &text, err);
    if (st == LW_OK)
        st = file_parse(file, lw_buf_view(&text), err);
    lw_secret_done(&text);
    return st;
}

/* The files of $KUBECONFIG, in their order.
 * Invariant: a file in |files| does not move, because its entries point to it. */

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
