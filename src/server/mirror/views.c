/* SPDX-License-Identifier: Apache-2.0 */
/* views.c -- reads the file of a mirror's views. */
#include "server/mirror/views.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "json/tree.h"
#include "json/yaml/yaml.h"

enum {
    TREE_MAX = 16 << 20,
    NAME_LENGTH_MAX = 63,
};

struct lw_mirror_views {
    lw_buf text;
    lw_tree *tree; /* of the names */
    lw_mirror_view at[LW_MIRROR_VIEWS_MAX];
    size_t count;
};

/* Reads a path: a JSON Pointer as it is, or "a.b" as "/a/b".  NULL: out of memory. */
static char *read_path(lw_str text)
{
    lw_buf path;
    lw_buf_init(&path, LW_MIRROR_VIEWS_FILE_MAX);
    if (text.len > 0 && text.ptr[0] == '/') {
        lw_buf_append_str(&path, text);
    } else {
        lw_buf_append_char(&path, '/');
        for (size_t i = 0; i < text.len; i++)
            lw_buf_append_char(&path, text.ptr[i] == '.' ? '/' : text.ptr[i]);
    }
    char *made = lw_buf_take_text(&path);
    lw_buf_done(&path);
    return made;
}

static lw_status read_paths(lw_mirror_view_resource *out, lw_str view, const lw_node *paths,
                            lw_error *err)
{
    if (!lw_node_is(paths, LW_JSON_ARRAY) || lw_node_count(paths) > LW_MIRROR_VIEW_PATHS_MAX)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "views.%.*s.%.*s must be a list of at most %d paths, or a map with such "
            "a list as \"keep\" or \"drop\"",
            LW_STR_ARG(view), LW_STR_ARG(out->name), LW_MIRROR_VIEW_PATHS_MAX);
    for (size_t i = 0; i < lw_node_count(paths); i++) {
        lw_str text = lw_node_text(lw_node_at(paths, i));
        if (!lw_node_is(lw_node_at(paths, i), LW_JSON_STRING) || text.len == 0)
            return lw_error_set(err, LW_ERR_INVALID, "views.%.*s.%.*s[%zu] must be a path",
                                LW_STR_ARG(view), LW_STR_ARG(out->name), i);
        out->paths[i] = read_path(text);
        if (!out->paths[i])
            return lw_error_nomem(err);
    }
    return LW_OK;
}

static lw_status read_resource(lw_mirror_view_resource *out, lw_str view, const lw_node *value,
                               lw_error *err)
{
    const lw_node *drop = lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 1
                              ? lw_node_get(value, LW_STR("drop"))
                              : NULL;
    const lw_node *keep = lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 1
                              ? lw_node_get(value, LW_STR("keep"))
                              : NULL;
    out->drops = drop != NULL;
    return read_paths(out, view, drop ? drop : keep ? keep : value, err);
}

static bool is_name(lw_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!lw_char_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-')
            return false;
    }
    return name.len > 0 && name.len <= NAME_LENGTH_MAX;
}

static lw_status read_view(lw_mirror_view *out, const lw_node *resources, lw_error *err)
{
    size_t count = lw_node_count(resources);
    if (!is_name(out->name))
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%.*s\" is not a name of a view: use small letters, digits and '-'",
                            LW_STR_ARG(out->name));
    if (!lw_node_is(resources, LW_JSON_OBJECT) || count > LW_MIRROR_VIEW_RESOURCES_MAX)
        return lw_error_set(err, LW_ERR_INVALID,
                            "views.%.*s must be a map of at most %d resources to their paths",
                            LW_STR_ARG(out->name), LW_MIRROR_VIEW_RESOURCES_MAX);
    out->resources = lw_alloc_zero(count + 1, sizeof(*out->resources));
    if (!out->resources)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        out->resources[i].name = lw_node_key_at(resources, i);
        out->count = i + 1;
        st = read_resource(&out->resources[i], out->name, lw_node_at(resources, i), err);
    }
    return st;
}

static lw_status read_views(lw_mirror_views *views, lw_error *err)
{
    const lw_node *root = lw_tree_root(views->tree), *all = lw_node_get(root, LW_STR("views"));
    if (!lw_node_is(all, LW_JSON_OBJECT) || lw_node_count(root) != 1 ||
        lw_node_count(all) > LW_MIRROR_VIEWS_MAX)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the file must have one member, \"views\", with at most %d views",
                            LW_MIRROR_VIEWS_MAX);
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_node_count(all) && st == LW_OK; i++) {
        views->at[i].name = lw_node_key_at(all, i);
        views->count = i + 1;
        st = read_view(&views->at[i], lw_node_at(all, i), err);
    }
    return st;
}

static lw_status parse(lw_mirror_views *views, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_status st = lw_yaml_reader_new(&reader, lw_buf_view(&views->text));
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, TREE_MAX, &views->tree, err);
    else
        (void)lw_error_nomem(err);
    lw_yaml_reader_free(reader);
    if (st == LW_OK && !views->tree)
        st = lw_error_set(err, LW_ERR_INVALID, "the file is empty");
    return st;
}

lw_status lw_mirror_views_read(lw_mirror_views **out, const char *file, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_mirror_views *views = lw_alloc_zero(1, sizeof(*views));
    if (!views)
        return lw_error_nomem(err);
    lw_buf_init(&views->text, LW_MIRROR_VIEWS_FILE_MAX);
    lw_status st = lw_file_read(file, &views->text, err);
    if (st == LW_OK) {
        st = parse(views, &why);
        if (st == LW_OK)
            st = read_views(views, &why);
        if (st < 0)
            (void)lw_error_set(err, st, "%s: %s", file, why.message);
    }
    if (st < 0)
        lw_mirror_views_free(views);
    else
        *out = views;
    return st;
}

void lw_mirror_views_free(lw_mirror_views *views)
{
    if (!views)
        return;
    for (size_t i = 0; i < views->count; i++) {
        for (size_t j = 0; j < views->at[i].count; j++) {
            for (size_t k = 0; k < LW_MIRROR_VIEW_PATHS_MAX; k++)
                lw_free((char *)(uintptr_t)views->at[i].resources[j].paths[k]);
        }
        lw_free(views->at[i].resources);
    }
    lw_tree_free(views->tree);
    lw_buf_done(&views->text);
    lw_free(views);
}

const lw_mirror_view *lw_mirror_views_all(const lw_mirror_views *views, size_t *count)
{
    *count = views ? views->count : 0;
    return views ? views->at : NULL;
}
