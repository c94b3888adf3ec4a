/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_open.c -- reads the configuration of PodSecurity from an AdmissionConfiguration,
 * where it stands itself or is named by its path. */
#include "server/setup/pod_security_open.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "json/fields.h"
#include "json/yaml/yaml.h"

enum {
    FILE_MAX = 1024 * 1024,
};

/* Reads the first document of a file in YAML or JSON. */
static lw_status read_document(const char *path, lw_tree **out, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_buf text;
    lw_buf_init(&text, FILE_MAX);
    lw_status st = lw_file_read(path, &text, err);
    if (st == LW_OK && lw_yaml_reader_new(&reader, lw_buf_view(&text)) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, FILE_MAX * 16, out, err);
    lw_yaml_reader_free(reader);
    lw_buf_done(&text);
    return st;
}

static lw_status read_from_path(lw_pod_security_config **out, const char *folder_of, lw_str name,
                                lw_error *err)
{
    lw_tree *tree = NULL;
    lw_buf path;
    lw_str folder = lw_str_of(folder_of);
    while (folder.len > 0 && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    lw_buf_init(&path, FILE_MAX);
    if (name.ptr[0] != '/')
        lw_buf_append_str(&path, folder);
    lw_buf_append_str(&path, name);
    lw_buf_append_char(&path, '\0');
    lw_status st = path.st < 0 ? lw_error_nomem(err) : read_document(path.data, &tree, err);
    if (st == LW_OK)
        st = lw_pod_security_config_new(out, lw_tree_root(tree), err);
    lw_tree_free(tree);
    lw_buf_done(&path);
    return st;
}

lw_status lw_pod_security_open(lw_pod_security_config **out, const lw_server_webhooks *options,
                               lw_error *err)
{
    const char *file = options ? options->admission_control_config_file : NULL;
    lw_tree *tree = NULL;
    *out = NULL;
    if (!file)
        return LW_OK;
    lw_status st = read_document(file, &tree, err);
    const lw_node *root = st == LW_OK ? lw_tree_root(tree) : NULL;
    const lw_node *plugins = lw_node_get(root, LW_STR("plugins"));
    if (st == LW_OK &&
        !lw_str_equal(lw_fields_text(root, "kind"), LW_STR("AdmissionConfiguration")))
        st = lw_error_set(err, LW_ERR_INVALID, "%s is not an AdmissionConfiguration", file);
    for (size_t i = 0; st == LW_OK && !*out && i < lw_node_count(plugins); i++) {
        const lw_node *plugin = lw_node_at(plugins, i);
        const lw_node *inline_config = lw_node_get(plugin, LW_STR("configuration"));
        lw_str path = lw_fields_text(plugin, "path");
        if (!lw_str_equal(lw_fields_text(plugin, "name"), LW_STR("PodSecurity")))
            continue;
        if (inline_config)
            st = lw_pod_security_config_new(out, inline_config, err);
        else if (path.len > 0)
            st = read_from_path(out, file, path, err);
    }
    lw_tree_free(tree);
    return st;
}
