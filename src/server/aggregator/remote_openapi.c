/* SPDX-License-Identifier: Apache-2.0 */
/* remote_openapi.c -- keeps what one version of a group needs from a document: two walks along the
 * references, from all paths and from those of the version. */
#include "server/aggregator/remote_openapi.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "json/fields.h"
#include "json/tree.h"
#include "json/writer.h"

enum {
    PREFIX_MAX = 1024,
    MODELS_MAX = 100000, /* definitions and parameters */
};

static const lw_hash_seed seed = { 0x6f70656e61706932, 0 };

/* A definition, or a parameter that paths share. */
typedef struct model {
    lw_str ref; /* "#/definitions/NAME" */
    lw_str name;
    const lw_node *node;
    unsigned seen;      /* the last walk that came here */
    bool was_used;      /* by some path of the document */
    struct model *next; /* to be walked through */
} model;

typedef struct reading {
    const lw_node *root;
    lw_buf refs; /* what the views model.ref are of */
    model *models;
    size_t count, definitions; /* those come first */
    lw_map by_ref;
    unsigned walk;
    model *found; /* not walked through yet */
} reading;

static const lw_map_type models_by_ref = LW_MAP_STR_TYPE(model, ref);

static bool is_nested_deeper(const lw_node *node, unsigned depth)
{
    if (depth == 0)
        return lw_node_count(node) > 0;
    for (size_t i = 0; i < lw_node_count(node); i++) {
        if (is_nested_deeper(lw_node_at(node, i), depth - 1))
            return true;
    }
    return false;
}

/* Finds what the texts "$ref" in |node| refer to. */
static void walk(reading *r, const lw_node *node)
{
    const lw_node *ref =
        lw_node_is(node, LW_JSON_OBJECT) ? lw_node_get(node, LW_STR("$ref")) : NULL;
    model *found =
        lw_node_is(ref, LW_JSON_STRING) ? lw_map_get_str(&r->by_ref, lw_node_text(ref)) : NULL;
    if (found && found->seen != r->walk) {
        found->seen = r->walk;
        found->next = r->found;
        r->found = found;
    }
    for (size_t i = 0; i < lw_node_count(node); i++)
        walk(r, lw_node_at(node, i));
}

static void walk_found(reading *r)
{
    while (r->found) {
        const model *next = r->found;
        r->found = next->next;
        walk(r, next->node);
    }
}

/* The members of |key| that are objects. */
static lw_status add_models(reading *r, const char *key)
{
    const lw_node *all = lw_node_get(r->root, lw_str_of(key));
    lw_status st = LW_OK;
    for (size_t i = 0; lw_node_is(all, LW_JSON_OBJECT) && i < lw_node_count(all); i++) {
        model *added = &r->models[r->count];
        size_t start = r->refs.len;
        void *present = NULL;
        if (!lw_node_is(lw_node_at(all, i), LW_JSON_OBJECT))
            continue;
        added->node = lw_node_at(all, i);
        added->name = lw_node_key_at(all, i);
        lw_buf_append_text(&r->refs, "#/");
        lw_buf_append_text(&r->refs, key);
        lw_buf_append_char(&r->refs, '/');
        lw_buf_append_str(&r->refs, added->name);
        if (r->refs.st < 0)
            return r->refs.st;
        added->ref = lw_str_make(r->refs.data + start, r->refs.len - start);
        st = lw_map_add(&r->by_ref, &added->ref, added, &present);
        if (st < 0)
            return st;
        r->count++;
    }
    return LW_OK;
}

/* The bytes of all references; enough for them to stay where they are. */
static size_t room_for_refs(const lw_node *all, const char *key)
{
    size_t room = 0;
    for (size_t i = 0; i < lw_node_count(all); i++)
        room += lw_node_key_at(all, i).len + strlen(key) + 3;
    return room;
}

static lw_status collect(reading *r)
{
    static const char *const keys[] = { "definitions", "parameters" };
    size_t room = 1, count = 1;
    for (size_t i = 0; i < 2; i++) {
        const lw_node *all = lw_node_get(r->root, lw_str_of(keys[i]));
        count += lw_node_count(all);
        if (lw_node_is(all, LW_JSON_OBJECT))
            room += room_for_refs(all, keys[i]);
    }
    if (count > MODELS_MAX)
        return LW_ERR_LIMIT;
    r->models = lw_alloc_zero(count, sizeof(*r->models));
    lw_buf_init(&r->refs, room);
    lw_map_init(&r->by_ref, &models_by_ref, lw_hash_seed_random(), count);
    if (!r->models || lw_buf_reserve(&r->refs, room) < 0)
        return LW_ERR_NOMEM;
    lw_status st = add_models(r, keys[0]);
    r->definitions = r->count;
    return st == LW_OK ? add_models(r, keys[1]) : st;
}

static void write_models(const reading *r, const char *key, size_t from, size_t to,
                         lw_json_writer *w)
{
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_object_begin(w);
    for (size_t i = from; i < to; i++) {
        const model *one = &r->models[i];
        if (one->was_used && one->seen != r->walk)
            continue;
        lw_json_write_key(w, one->name);
        lw_node_write(one->node, w);
    }
    lw_json_write_object_end(w);
}

/* Writes the paths below |prefix| with what they need. */
static lw_status write_kept(reading *r, lw_str prefix, lw_buf *out)
{
    const lw_node *paths = lw_node_get(r->root, LW_STR("paths"));
    size_t kept = 0;
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_key(&w, LW_STR("paths"));
    lw_json_write_object_begin(&w);
    r->walk++;
    for (size_t i = 0; i < lw_node_count(paths); i++) {
        const lw_node *item = lw_node_at(paths, i);
        if (!lw_node_is(item, LW_JSON_OBJECT) ||
            !lw_str_starts_with(lw_node_key_at(paths, i), prefix))
            continue;
        lw_json_write_key(&w, lw_node_key_at(paths, i));
        lw_node_write(item, &w);
        walk(r, item);
        kept++;
    }
    walk_found(r);
    lw_json_write_object_end(&w);
    write_models(r, "definitions", 0, r->definitions, &w);
    write_models(r, "parameters", r->definitions, r->count, &w);
    lw_json_write_object_end(&w);
    return kept == 0 ? LW_ERR_NOT_FOUND : lw_json_writer_status(&w);
}

static lw_status pick(reading *r, lw_str prefix, lw_buf *out)
{
    const lw_node *paths = lw_node_get(r->root, LW_STR("paths"));
    if (!lw_node_is(r->root, LW_JSON_OBJECT) || !lw_node_is(paths, LW_JSON_OBJECT))
        return LW_ERR_INVALID;
    if (is_nested_deeper(r->root, LW_REMOTE_OPENAPI_DEPTH))
        return LW_ERR_LIMIT;
    lw_status st = collect(r);
    if (st < 0)
        return st;
    r->walk++;
    walk(r, paths);
    walk_found(r);
    for (size_t i = 0; i < r->count; i++)
        r->models[i].was_used = r->models[i].seen == r->walk;
    return write_kept(r, prefix, out);
}

static lw_status read_answer(lw_remote_openapi *openapi, lw_str answer, lw_str group,
                             lw_str version)
{
    reading r = { .count = 0 };
    lw_tree *tree = NULL;
    lw_buf prefix;
    lw_status st = lw_tree_parse(&tree, answer, LW_REMOTE_OPENAPI_TREE_MAX, NULL);
    if (st < 0)
        return st;
    lw_buf_init(&prefix, PREFIX_MAX);
    lw_buf_printf(&prefix, "/apis/%.*s/%.*s/", LW_STR_ARG(group), LW_STR_ARG(version));
    lw_buf_init(&r.refs, 1);
    lw_map_init(&r.by_ref, &models_by_ref, seed, 1);
    r.root = lw_tree_root(tree);
    st = prefix.st < 0 ? prefix.st : pick(&r, lw_buf_view(&prefix), &openapi->json);
    lw_map_done(&r.by_ref);
    lw_buf_done(&r.refs);
    lw_free(r.models);
    lw_buf_done(&prefix);
    lw_tree_free(tree);
    return st;
}

lw_status lw_remote_openapi_read(lw_remote_openapi **out, lw_str answer, lw_str group,
                                 lw_str version, lw_remote_openapi *before)
{
    uint64_t hash = lw_hash_str(seed, answer);
    if (before && before->answer == hash) {
        *out = lw_remote_openapi_ref(before);
        return LW_OK;
    }
    if (answer.len > LW_REMOTE_OPENAPI_MAX)
        return LW_ERR_LIMIT;
    lw_remote_openapi *openapi = lw_alloc_zero(1, sizeof(*openapi));
    if (!openapi)
        return LW_ERR_NOMEM;
    lw_ref_init(&openapi->refs);
    lw_buf_init(&openapi->json, LW_REMOTE_OPENAPI_MAX);
    openapi->answer = hash;
    lw_status st = read_answer(openapi, answer, group, version);
    if (st < 0) {
        lw_remote_openapi_unref(openapi);
        return st;
    }
    openapi->stamp = lw_hash_str(seed, lw_buf_view(&openapi->json));
    *out = openapi;
    return LW_OK;
}

lw_remote_openapi *lw_remote_openapi_ref(lw_remote_openapi *openapi)
{
    if (openapi)
        lw_ref_inc(&openapi->refs);
    return openapi;
}

void lw_remote_openapi_unref(lw_remote_openapi *openapi)
{
    if (!openapi || !lw_ref_dec(&openapi->refs))
        return;
    lw_buf_done(&openapi->json);
    lw_free(openapi);
}
