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

/* What files come from: ConfigMap "web", or DownwardAPI.  Few are shown, so few become a text. */
typedef struct source {
    const char *what; /* NULL: nothing that is shown */
    lw_str name;
    bool is_named;
} source;

/* A file, and which part of a projected volume it comes from, if the volume is one. */
typedef struct file {
    lw_str path;
    source source;
} file;

typedef struct files {
    lw_api_call *call;
    lw_str volume;
    source type; /* of the volume, as it is called in warnings */
    size_t count;
    file seen[PATHS_MAX];
} files;

static bool is_below(lw_str path, lw_str folder)
{
    return lw_str_starts_with(path, folder) &&
           (path.len == folder.len || path.ptr[folder.len] == '/');
}

static source source_of(const char *what, lw_str name)
{
    return (source){ .what = what, .name = name, .is_named = true };
}

static const char *source_text(char text[SOURCE_SIZE], const source *of)
{
    if (of->is_named)
        (void)snprintf(text, SOURCE_SIZE, "%s \"%.*s\"", of->what, LW_STR_ARG(of->name));
    else
        (void)snprintf(text, SOURCE_SIZE, "%s", of->what);
    return text;
}

static void write_file(lw_buf *text, const file *f)
{
    lw_buf_printf(text, "\"%.*s\"", LW_STR_ARG(f->path));
    char of[SOURCE_SIZE];
    if (f->source.what)
        lw_buf_printf(text, " (%s)", source_text(of, &f->source));
}

static void warn_overlap(const files *all, const file *one, const file *other)
{
    char type[SOURCE_SIZE];
    lw_buf text;
    lw_buf_init(&text, LW_WARNING_SIZE);
    lw_buf_printf(&text, "volume \"%.*s\" (%s): overlapping paths: ", LW_STR_ARG(all->volume),
                  source_text(type, &all->type));
    write_file(&text, one);
    lw_buf_append_str(&text, LW_STR(" with "));
    write_file(&text, other);
    if (text.st == LW_OK)
        lw_call_warn(all->call, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void add_file(files *all, lw_str path, source from)
{
    while (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    if (path.len == 0 || all->count == PATHS_MAX)
        return;
    file *fresh = &all->seen[all->count];
    *fresh = (file){ path, from };
    for (size_t i = 0; i < all->count; i++) {
        if (is_below(path, all->seen[i].path) || is_below(all->seen[i].path, path))
            warn_overlap(all, fresh, &all->seen[i]);
    }
    all->count++;
}

static void add_items(files *all, const lw_node *object, source from)
{
    const lw_node *items = lw_node_get(object, LW_STR("items"));
    for (size_t i = 0; i < lw_node_count(items); i++)
        add_file(all, lw_fields_text(lw_node_at(items, i), "path"), from);
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
    const lw_node *from;
    if ((from = lw_node_get(part, LW_STR("configMap")))) {
        add_items(all, from, source_of("ConfigMap", lw_fields_text(from, "name")));
    } else if ((from = lw_node_get(part, LW_STR("secret")))) {
        add_items(all, from, source_of("Secret", lw_fields_text(from, "name")));
    } else if ((from = lw_node_get(part, LW_STR("downwardAPI")))) {
        add_items(all, from, (source){ .what = "DownwardAPI" });
    } else if ((from = lw_node_get(part, LW_STR("serviceAccountToken")))) {
        add_file(all, lw_fields_text(from, "path"), (source){ .what = "ServiceAccountToken" });
    } else if ((from = lw_node_get(part, LW_STR("clusterTrustBundle")))) {
        lw_str name = lw_fields_text(from, "name");
        if (name.len == 0)
            name = lw_fields_text(from, "signerName");
        add_file(all, lw_fields_text(from, "path"), source_of("ClusterTrustBundle", name));
    } else if ((from = lw_node_get(part, LW_STR("podCertificate")))) {
        for (size_t i = 0; i < sizeof(certificate) / sizeof(certificate[0]); i++)
            add_file(all, lw_fields_text(from, certificate[i].member),
                     (source){ .what = certificate[i].source });
    }
}

static void look_at_parts(files *all, const lw_node *projected)
{
    char text[LW_WARNING_SIZE];
    const lw_node *parts = lw_node_get(projected, LW_STR("sources"));
    all->type = (source){ .what = "Projected" };
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
    const lw_node *from;
    for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
        from = lw_node_get(volume, lw_str_of(simple[i].member));
        if (!from)
            continue;
        all->type = source_of(simple[i].text, lw_fields_text(from, simple[i].name));
        add_items(all, from, (source){ .what = NULL });
    }
    if ((from = lw_node_get(volume, LW_STR("downwardAPI")))) {
        all->type = (source){ .what = "DownwardAPI" };
        add_items(all, from, (source){ .what = NULL });
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
