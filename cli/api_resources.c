/* SPDX-License-Identifier: Apache-2.0 */
/* api_resources.c -- all resources of a server, from its discovery documents. */
#include "api_resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"
#include "text.h"

enum {
    GROUPS_MAX = 512,
    MISSING_SIZE = 700,
    PATH_SIZE = 512,
};

struct api_resources {
    lw_document *docs[GROUPS_MAX]; /* the strings point into these */
    size_t doc_count;
    api_resource *at;
    size_t count, size;
    char missing[MISSING_SIZE];
};

void api_resources_free(api_resources *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->doc_count; i++)
        lw_document_free(all->docs[i]);
    free(all->at);
    free(all);
}

size_t api_resources_count(const api_resources *all)
{
    return all->count;
}

const api_resource *api_resources_at(const api_resources *all, size_t index)
{
    return &all->at[index];
}

const char *api_resources_missing(const api_resources *all)
{
    return all->missing[0] ? all->missing : NULL;
}

/* Joins the strings of an array; the result belongs to the document. */
static const char *join(lw_document *doc, const lw_value *of, const char *pointer)
{
    const lw_value *array = lw_document_find(doc, of, pointer);
    text_buf joined = { 0 };
    for (size_t i = 0; i < lw_document_count(array); i++) {
        if (i > 0)
            text_add(&joined, ",");
        text_add(&joined, lw_document_string(doc, lw_document_item(array, i), "", ""));
    }
    const lw_value *kept = lw_document_set_string(doc, NULL, "/joined", text_of(&joined));
    text_done(&joined);
    return kept ? lw_document_string(doc, kept, "", "") : "";
}

static lw_status add_resource(api_resources *all, lw_document *doc, const lw_value *of,
                              lw_str group, lw_str version)
{
    const char *name = lw_document_string(doc, of, "/name", "");
    if (!name[0] || strchr(name, '/')) /* a subresource */
        return LW_OK;
    if (all->count == all->size) {
        size_t size = all->size ? all->size * 2 : 64;
        api_resource *grown = realloc(all->at, size * sizeof(*grown));
        if (!grown)
            return LW_ERR_NOMEM;
        all->at = grown;
        all->size = size;
    }
    all->at[all->count++] = (api_resource){
        .group = group,
        .version = version,
        .name = lw_str_of(name),
        .kind = lw_str_of(lw_document_string(doc, of, "/kind", "")),
        .singular = lw_document_string(doc, of, "/singularName", ""),
        .short_names = join(doc, of, "/shortNames"),
        .verbs = join(doc, of, "/verbs"),
        .categories = join(doc, of, "/categories"),
        .is_namespaced = lw_document_bool(doc, of, "/namespaced", false),
    };
    return LW_OK;
}

/* The strings of |doc| live as long as |all|. */
static lw_status load_document(api_resources *all, lw_client *client, const char *path,
                               lw_document **doc, lw_error *err)
{
    if (all->doc_count == GROUPS_MAX)
        return LW_ERR_LIMIT;
    lw_status st = fetch_document(client, path, NULL, doc, err);
    if (st == LW_OK)
        all->docs[all->doc_count++] = *doc;
    return st;
}

/* Reads the resources of one group and version, "apps/v1" or "v1". */
static lw_status load_group(api_resources *all, lw_client *client, const char *group_version,
                            lw_error *err)
{
    char path[PATH_SIZE];
    lw_document *doc = NULL;
    const char *slash = strchr(group_version, '/');
    (void)snprintf(path, sizeof(path), "/%s/%s", slash ? "apis" : "api", group_version);
    lw_status st = load_document(all, client, path, &doc, err);
    if (st < 0)
        return st;
    const lw_value *list = lw_document_find(doc, NULL, "/resources");
    const char *version = slash ? slash + 1 : group_version;
    char group[PATH_SIZE];
    (void)snprintf(group, sizeof(group), "%.*s", slash ? (int)(slash - group_version) : 0,
                   group_version);
    const lw_value *kept = lw_document_set_string(doc, NULL, "/keptGroup", group);
    lw_str group_str = lw_str_of(kept ? lw_document_string(doc, kept, "", "") : "");
    kept = lw_document_set_string(doc, NULL, "/keptVersion", version);
    lw_str version_str = lw_str_of(kept ? lw_document_string(doc, kept, "", "") : "");
    for (size_t i = 0; st == LW_OK && i < lw_document_count(list); i++)
        st = add_resource(all, doc, lw_document_item(list, i), group_str, version_str);
    return st < 0 ? st : lw_document_status(doc);
}

static lw_status load_all(api_resources *all, lw_client *client, lw_error *err)
{
    lw_document *groups = NULL;
    lw_status st = load_group(all, client, "v1", err);
    if (st == LW_OK)
        st = load_document(all, client, "/apis", &groups, err);
    const lw_value *list = st == LW_OK ? lw_document_find(groups, NULL, "/groups") : NULL;
    for (size_t i = 0; st == LW_OK && i < lw_document_count(list); i++) {
        lw_error trouble = LW_ERROR_INIT;
        const char *name = lw_document_string(groups, lw_document_item(list, i),
                                              "/preferredVersion/groupVersion", "");
        lw_status one = name[0] ? load_group(all, client, name, &trouble) : LW_OK;
        if (one == LW_ERR_NOMEM)
            st = one;
        else if (one < 0 && !all->missing[0])
            (void)snprintf(all->missing, sizeof(all->missing), "%.100s: %s", name, trouble.message);
    }
    return st;
}

lw_status api_resources_load(api_resources **out, lw_client *client, lw_error *err)
{
    api_resources *all = calloc(1, sizeof(*all));
    lw_status st = all ? load_all(all, client, err) : LW_ERR_NOMEM;
    if (st < 0) {
        api_resources_free(all);
        return st;
    }
    *out = all;
    return LW_OK;
}
