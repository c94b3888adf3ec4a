/* SPDX-License-Identifier: Apache-2.0 */
/* volume_paths.c -- files of one volume that hide one another: the same path twice, or a file where
 * another one needs a folder. */
#include <stdio.h>

#include "api/warnings/pod_warnings.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    PATHS_MAX = 64, /* of one volume that are compared with one another */
    SOURCE_SIZE = 320,
};

/* A file, and which part of a projected volume it comes from; empty: the volume is no such. */
typedef struct file {
    lw_str path;
    char source[SOURCE_SIZE];
} file;

typedef struct files {
    lw_api_call *call;
    lw_str volume;
    const char *type; /* of the volume, as it is called in warnings */
    size_t count;
    file seen[PATHS_MAX];
} files;

static bool is_below(lw_str path, lw_str folder)
{
    return lw_str_starts_with(path, folder) &&
           (path.len == folder.len || path.ptr[folder.len] == '/');
}

static void write_file(lw_buf *text, const file *f)
{
    lw_buf_printf(text, "\"%.*s\"", LW_STR_ARG(f->path));
    if (f->source[0])
        lw_buf_printf(text, " (%s)", f->source);
}

static void warn_overlap(const files *all, const file *one, const file *other)
{
    lw_buf text;
    lw_buf_init(&text, LW_WARNING_SIZE);
    lw_buf_printf(&text, "volume \"%.*s\" (%s): overlapping paths: ", LW_STR_ARG(all->volume),
                  all->type);
    write_file(&text, one);
    lw_buf_append_str(&text, LW_STR(" with "));
    write_file(&text, other);
    if (text.st == LW_OK)
        lw_call_warn(all->call, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void add_file(files *all, lw_str path, const char *source)
{
    while (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    if (path.len == 0 || all->count == PATHS_MAX)
        return;
    file *fresh = &all->seen[all->count];
    fresh->path = path;
    (void)snprintf(fresh->source, sizeof(fresh->source), "%s", source);
    for (size_t i = 0; i < all->count; i++) {
        if (is_below(path, all->seen[i].path) || is_below(all->seen[i].path, path))
            warn_overlap(all, fresh, &all->seen[i]);
    }
    all->count++;
}

static void add_items(files *all, const lw_node *from, const char *source)
{
    const lw_node *items = lw_node_get(from, LW_STR("items"));
    for (size_t i = 0; i < lw_node_count(items); i++)
        add_file(all, lw_fields_text(lw_node_at(items, i), "path"), source);
}

static void look_at_part(files *all, const lw_node *part)
{
    static const struct {
        const char *member, *source;
    } certificate[] = {
        { "certificateChainPath", "PodCertificate chain" },
        { "keyPath", "PodCertificate key" },
        { "credentialBundlePath", "PodCertificate credential bundle" },
    };
    char source[SOURCE_SIZE];
    const lw_node *from;
    if ((from = lw_node_get(part, LW_STR("configMap")))) {
        (void)snprintf(source, sizeof(source), "ConfigMap \"%.*s\"",
                       LW_STR_ARG(lw_fields_text(from, "name")));
        add_items(all, from, source);
    } else if ((from = lw_node_get(part, LW_STR("secret")))) {
        (void)snprintf(source, sizeof(source), "Secret \"%.*s\"",
                       LW_STR_ARG(lw_fields_text(from, "name")));
        add_items(all, from, source);
    } else if ((from = lw_node_get(part, LW_STR("downwardAPI")))) {
        add_items(all, from, "DownwardAPI");
    } else if ((from = lw_node_get(part, LW_STR("serviceAccountToken")))) {
        add_file(all, lw_fields_text(from, "path"), "ServiceAccountToken");
    } else if ((from = lw_node_get(part, LW_STR("clusterTrustBundle")))) {
        lw_str name = lw_fields_text(from, "name");
        (void)snprintf(source, sizeof(source), "ClusterTrustBundle \"%.*s\"",
                       LW_STR_ARG(name.len > 0 ? name : lw_fields_text(from, "signerName")));
        add_file(all, lw_fields_text(from, "path"), source);
    } else if ((from = lw_node_get(part, LW_STR("podCertificate")))) {
        for (size_t i = 0; i < sizeof(certificate) / sizeof(certificate[0]); i++)
            add_file(all, lw_fields_text(from, certificate[i].member), certificate[i].source);
    }
}

static void look_at_parts(files *all, const lw_node *projected)
{
    char text[LW_WARNING_SIZE];
    const lw_node *parts = lw_node_get(projected, LW_STR("sources"));
    all->type = "Projected";
    for (size_t i = 0; i < lw_node_count(parts); i++) {
        if (lw_node_count(lw_node_at(parts, i)) > 0) {
            look_at_part(all, lw_node_at(parts, i));
            continue;
        }
        (void)snprintf(text, sizeof(text), "volume \"%.*s\" (Projected) has no sources provided",
                       LW_STR_ARG(all->volume));
        lw_call_warn(all->call, lw_str_of(text));
    }
}

static void look_at_volume(files *all, const lw_node *volume)
{
    static const struct {
        const char *member, *name, *text;
    } simple[] = {
        { "configMap", "name", "ConfigMap" },
        { "secret", "secretName", "Secret" },
    };
    char type[SOURCE_SIZE];
    const lw_node *from;
    all->type = type;
    for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
        from = lw_node_get(volume, lw_str_of(simple[i].member));
        if (!from)
            continue;
        (void)snprintf(type, sizeof(type), "%s \"%.*s\"", simple[i].text,
                       LW_STR_ARG(lw_fields_text(from, simple[i].name)));
        add_items(all, from, "");
    }
    if ((from = lw_node_get(volume, LW_STR("downwardAPI")))) {
        (void)snprintf(type, sizeof(type), "DownwardAPI");
        add_items(all, from, "");
    }
    if ((from = lw_node_get(volume, LW_STR("projected"))))
        look_at_parts(all, from);
}

void lw_volume_path_warnings(lw_api_call *call, const lw_node *volumes)
{
    files all;
    all.call = call;
    for (size_t i = 0; i < lw_node_count(volumes); i++) {
        all.count = 0;
        all.volume = lw_fields_text(lw_node_at(volumes, i), "name");
        look_at_volume(&all, lw_node_at(volumes, i));
    }
}
