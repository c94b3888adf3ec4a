/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_merge.c -- merges OpenAPI 2.0 documents.
 *
 * Documents stay text: only what has the name of something else is parsed, to compare it, and the
 * whole document of a server whose references change. */
#include "server/aggregator/openapi_merge.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/dlist.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/fields.h"
#include "json/tree.h"
#include "json/writer.h"

#define KINDS "x-kubernetes-group-version-kind"

enum {
    PATHS,
    DEFINITIONS,
    PARAMETERS,
    SECTIONS,
    PARTS_MAX = 1 << 20, /* of a section */
    KIND_TEXT_MAX = 1024,
};

static const char *const section_keys[SECTIONS] = { "paths", "definitions", "parameters" };

/* A path, definition or parameter.  Names are JSON texts without quotes; the documents have them
 * from the same writer, so equal names have equal texts. */
typedef struct part {
    lw_dlist_node node;
    lw_str name, json; /* views of a document, or of |own_name| and |own_json| */
    char *own_name;
    lw_buf own_json;
    uint64_t content; /* hash, but for the kinds */
    bool has_content;
    lw_str renamed; /* of the document that is added: its name in the whole; empty: the same */
} part;

typedef struct section {
    lw_map by_name;
    lw_dlist parts; /* in order */
} section;

typedef struct merge {
    section sections[SECTIONS];
    lw_hash_seed seed;
    lw_buf *kept; /* texts of documents whose references were changed */
    size_t kept_count;
} merge;

static const lw_map_type parts_by_name = LW_MAP_STR_TYPE(part, name);

static void sections_init(section *sections)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        lw_map_init(&sections[i].by_name, &parts_by_name, lw_hash_seed_random(), PARTS_MAX);
        lw_dlist_init(&sections[i].parts);
    }
}

static void part_free(part *one)
{
    lw_free(one->own_name);
    lw_buf_done(&one->own_json);
    lw_free(one);
}

static void sections_done(section *sections)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        lw_map_done(&sections[i].by_name);
        LW_DLIST_FOR_EACH_SAFE(part, one, &sections[i].parts, node)
        {
            part_free(one);
        }
    }
}

/* Adds a part; the last one of several with the same name counts. */
static lw_status section_add(section *to, lw_str name, lw_str json, part **out)
{
    void *present = NULL;
    part *one = lw_alloc_zero(1, sizeof(*one));
    if (!one)
        return LW_ERR_NOMEM;
    lw_buf_init(&one->own_json, LW_REMOTE_OPENAPI_MAX);
    one->name = name;
    one->json = json;
    lw_status st = lw_map_add(&to->by_name, &one->name, one, &present);
    if (st < 0 || present) {
        part_free(one);
        if (present)
            ((part *)present)->json = json;
        one = present;
    } else {
        lw_dlist_push_back(&to->parts, &one->node);
    }
    if (out)
        *out = one;
    return st;
}

static size_t find_section(lw_str key)
{
    size_t i = 0;
    while (i < SECTIONS && !lw_str_equal(key, lw_str_of(section_keys[i])))
        i++;
    return i;
}

/* Adds everything in |json|, which must live as long; |w| (may be NULL) gets what is in no section.
 */
static lw_status read_document(section *sections, lw_str json, lw_json_writer *w)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_status st = LW_OK;
    lw_str key;
    lw_json_cursor_enter(&c);
    while (st == LW_OK && lw_json_cursor_next_member(&c, &key)) {
        size_t i = find_section(key);
        lw_str name;
        if (i == SECTIONS || lw_json_cursor_type(&c) != LW_JSON_OBJECT) {
            lw_str value = lw_json_cursor_skip(&c);
            if (w && i == SECTIONS) {
                lw_json_write_plain_key(w, "", key);
                lw_json_write_raw(w, value);
            }
            continue;
        }
        lw_json_cursor_enter(&c);
        while (st == LW_OK && lw_json_cursor_next_member(&c, &name))
            st = section_add(&sections[i], name, lw_json_cursor_skip(&c), NULL);
    }
    return st;
}

static lw_status find_content(const merge *m, part *one)
{
    lw_tree *tree = NULL;
    if (one->has_content)
        return LW_OK;
    lw_status st = lw_tree_parse(&tree, one->json, 0, NULL);
    if (st < 0)
        return st;
    lw_fields_remove(lw_tree_root(tree), KINDS);
    one->content = lw_node_hash(lw_tree_root(tree), m->seed);
    one->has_content = true;
    lw_tree_free(tree);
    return LW_OK;
}

/* Returns 1 if both have the same content, 0 if not, or an error. */
static int is_same(const merge *m, part *a, part *b)
{
    if (lw_str_equal(a->json, b->json))
        return 1;
    lw_status st = find_content(m, a);
    if (st == LW_OK)
        st = find_content(m, b);
    return st < 0 ? (int)st : a->content == b->content;
}

/* Finds the name under which |one| of |from| is added to |to|. */
static lw_status find_name(const merge *m, const section *to, const section *from, part *one)
{
    part *present = lw_map_get_str(&to->by_name, one->name);
    int same = present ? is_same(m, present, one) : 1;
    for (unsigned i = 2; same == 0; i++) {
        lw_buf name;
        if (i > LW_OPENAPI_VARIANTS_MAX)
            return LW_ERR_LIMIT;
        lw_buf_init(&name, one->name.len + 16);
        lw_buf_printf(&name, "%.*s_v%u", LW_STR_ARG(one->name), i);
        lw_free(one->own_name);
        one->own_name = lw_buf_take_text(&name);
        lw_buf_done(&name);
        if (!one->own_name)
            return LW_ERR_NOMEM;
        one->renamed = lw_str_of(one->own_name);
        present = lw_map_get_str(&to->by_name, one->renamed);
        same = present ? is_same(m, present, one)
                       : lw_map_get_str(&from->by_name, one->renamed) == NULL;
    }
    return same < 0 ? (lw_status)same : LW_OK;
}

/* Finds the names of what |from| adds; |*is_renamed|: some change. */
static lw_status find_names(const merge *m, section *from, bool *is_renamed)
{
    *is_renamed = false;
    for (size_t i = DEFINITIONS; i < SECTIONS; i++) {
        LW_DLIST_FOR_EACH(part, one, &from[i].parts, node)
        {
            lw_status st = find_name(m, &m->sections[i], &from[i], one);
            if (st < 0)
                return st;
            *is_renamed = *is_renamed || one->renamed.len > 0;
        }
    }
    return LW_OK;
}

/* The part that |ref| ("#/definitions/NAME") names. */
static const part *find_ref(const section *sections, lw_str ref)
{
    for (size_t i = DEFINITIONS; i < SECTIONS; i++) {
        lw_str key = lw_str_of(section_keys[i]);
        if (ref.len > key.len + 3 && lw_str_starts_with(ref, LW_STR("#/")) &&
            lw_str_starts_with(lw_str_skip(ref, 2), key) && ref.ptr[2 + key.len] == '/')
            return lw_map_get_str(&sections[i].by_name, lw_str_skip(ref, key.len + 3));
    }
    return NULL;
}

/* Makes the references in |node| lead to the new names. */
static void rename_refs(const section *from, lw_tree *tree, lw_node *node)
{
    const lw_node *ref =
        lw_node_is(node, LW_JSON_OBJECT) ? lw_node_get(node, LW_STR("$ref")) : NULL;
    if (lw_node_is(ref, LW_JSON_STRING)) {
        lw_str text = lw_node_text(ref);
        const part *target = find_ref(from, text);
        if (target && target->renamed.len > 0) {
            lw_buf renamed;
            lw_buf_init(&renamed, text.len + target->renamed.len);
            lw_buf_append(&renamed, text.ptr, text.len - target->name.len);
            lw_buf_append_str(&renamed, target->renamed);
            lw_node_put(tree, node, LW_STR("$ref"),
                        renamed.st < 0 ? NULL : lw_tree_string(tree, lw_buf_view(&renamed)));
            lw_buf_done(&renamed);
        }
    }
    for (size_t i = 0; i < lw_node_count(node); i++)
        rename_refs(from, tree, lw_node_at(node, i));
}

/* Writes |json| with the new references; its parts then are views of the new text. */
static lw_status rewrite(merge *m, section *from, lw_str json)
{
    lw_tree *tree = NULL;
    lw_buf *out = &m->kept[m->kept_count];
    lw_json_writer w;
    lw_status st = lw_tree_parse(&tree, json, LW_REMOTE_OPENAPI_TREE_MAX, NULL);
    if (st < 0)
        return st;
    rename_refs(from, tree, lw_tree_root(tree));
    st = lw_tree_status(tree);
    lw_buf_init(out, 2 * LW_REMOTE_OPENAPI_MAX);
    m->kept_count++;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(tree);
    if (st == LW_OK)
        st = lw_json_writer_status(&w);
    return st == LW_OK ? read_document(from, lw_buf_view(out), NULL) : st;
}

/* "group/version.kind", by which kinds are sorted. */
static void append_kind(const lw_node *kind, lw_buf *out)
{
    lw_buf_printf(out, "%.*s/%.*s.%.*s", LW_STR_ARG(lw_fields_text(kind, "group")),
                  LW_STR_ARG(lw_fields_text(kind, "version")),
                  LW_STR_ARG(lw_fields_text(kind, "kind")));
}

static int compare_kinds(const lw_node *a, const lw_node *b)
{
    lw_buf texts[2];
    lw_buf_init(&texts[0], KIND_TEXT_MAX);
    lw_buf_init(&texts[1], KIND_TEXT_MAX);
    append_kind(a, &texts[0]);
    append_kind(b, &texts[1]);
    int order = lw_str_compare(lw_buf_view(&texts[0]), lw_buf_view(&texts[1]));
    lw_buf_done(&texts[0]);
    lw_buf_done(&texts[1]);
    return order;
}

/* Puts |kind| in its place among |kinds|; false: it is there. */
static bool add_kind(lw_tree *tree, lw_node *kinds, const lw_node *kind)
{
    size_t at = 0;
    for (; at < lw_node_count(kinds); at++) {
        int order = compare_kinds(kind, lw_node_at(kinds, at));
        if (order == 0)
            return false;
        if (order < 0)
            break;
    }
    lw_node_insert(tree, kinds, at, lw_tree_copy(tree, kind));
    return true;
}

/* Adds the kinds of |b| to |a|, which has the same content otherwise. */
static lw_status share(part *a, const part *b)
{
    lw_tree *tree = NULL;
    lw_node *other = NULL;
    bool is_changed = false;
    if (lw_str_equal(a->json, b->json))
        return LW_OK;
    lw_status st = lw_tree_parse(&tree, a->json, 0, NULL);
    if (st == LW_OK)
        st = lw_tree_parse_node(tree, b->json, &other, NULL);
    lw_node *kinds = st == LW_OK ? lw_node_get(lw_tree_root(tree), LW_STR(KINDS)) : NULL;
    const lw_node *more = lw_node_get(other, LW_STR(KINDS));
    if (lw_node_is(more, LW_JSON_ARRAY) && !kinds) {
        kinds = lw_tree_array(tree);
        lw_node_put(tree, lw_tree_root(tree), LW_STR(KINDS), kinds);
    }
    for (size_t i = 0; lw_node_is(kinds, LW_JSON_ARRAY) && i < lw_node_count(more); i++) {
        if (lw_node_is(lw_node_at(more, i), LW_JSON_OBJECT))
            is_changed = add_kind(tree, kinds, lw_node_at(more, i)) || is_changed;
    }
    if (st == LW_OK)
        st = lw_tree_status(tree);
    if (st == LW_OK && is_changed) {
        lw_buf text;
        lw_json_writer w;
        lw_buf_init(&text, LW_REMOTE_OPENAPI_MAX);
        lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(tree), &w);
        st = lw_json_writer_status(&w);
        lw_buf_done(&a->own_json);
        a->own_json = text;
        a->json = lw_buf_view(&a->own_json);
    }
    lw_tree_free(tree);
    return st;
}

static lw_status add_part(section *to, size_t at, part *one)
{
    lw_str name = one->renamed.len > 0 ? one->renamed : one->name;
    part *present = lw_map_get_str(&to->by_name, name), *added = NULL;
    if (present)
        return at == PATHS ? LW_OK : share(present, one);
    lw_status st = section_add(to, name, one->json, &added);
    if (st < 0)
        return st;
    added->own_name = one->own_name;
    one->own_name = NULL;
    return LW_OK;
}

/* Adds the document of one server; one that does not fit is left out. */
static lw_status add_document(merge *m, lw_str json)
{
    section from[SECTIONS];
    bool is_renamed = false;
    sections_init(from);
    lw_status st = read_document(from, json, NULL);
    if (st == LW_OK)
        st = find_names(m, from, &is_renamed);
    if (st == LW_OK && is_renamed)
        st = rewrite(m, from, json);
    for (size_t i = 0; i < SECTIONS && st == LW_OK; i++) {
        LW_DLIST_FOR_EACH(part, one, &from[i].parts, node)
        {
            st = add_part(&m->sections[i], i, one);
            if (st < 0)
                break;
        }
    }
    sections_done(from);
    return st == LW_ERR_LIMIT ? LW_OK : st;
}

static void write_sections(const section *sections, lw_json_writer *w)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        if (i == PARAMETERS && lw_dlist_is_empty(&sections[i].parts))
            continue;
        lw_json_write_key(w, lw_str_of(section_keys[i]));
        lw_json_write_object_begin(w);
        LW_DLIST_FOR_EACH(part, one, &sections[i].parts, node)
        {
            lw_json_write_plain_key(w, "", one->name);
            lw_json_write_raw(w, one->json);
        }
        lw_json_write_object_end(w);
    }
}

/* A service with a document, and the priority of its group. */
typedef struct ranked {
    const lw_apiservice *service;
    int64_t priority;
} ranked;

/* Groups of a higher priority first; what has the same stands by its name, VERSION.GROUP. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked *first = a, *second = b;
    if (first->priority != second->priority)
        return first->priority > second->priority ? -1 : 1;
    int order = lw_str_compare(first->service->version, second->service->version);
    return order != 0 ? order : lw_str_compare(first->service->group, second->service->group);
}

static int64_t priority_of(const lw_apiservice_table *table, lw_str group)
{
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < table->count; i++) {
        const lw_apiservice *service = table->at[i];
        if (lw_str_equal(service->group, group) && service->group_priority > highest)
            highest = service->group_priority;
    }
    return highest;
}

static lw_status add_services(merge *m, const lw_apiservice_table *table)
{
    ranked *order = lw_alloc_zero(table->count, sizeof(*order));
    size_t count = 0;
    m->kept = lw_alloc_zero(table->count, sizeof(*m->kept));
    lw_status st = order && m->kept ? LW_OK : LW_ERR_NOMEM;
    for (size_t i = 0; i < table->count && st == LW_OK; i++) {
        const lw_apiservice *service = table->at[i];
        if (service->openapi)
            order[count++] = (ranked){ service, priority_of(table, service->group) };
    }
    if (count > 1)
        qsort(order, count, sizeof(*order), compare_ranked);
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = add_document(m, lw_buf_view(&order[i].service->openapi->json));
    lw_free(order);
    return st;
}

lw_status lw_openapi_merge(const lw_apiservice_table *table, lw_buf *json)
{
    merge m = { .seed = lw_hash_seed_random() };
    lw_buf out;
    lw_json_writer w;
    if (json->st < 0 || lw_openapi_merge_stamp(table) == 0)
        return json->st;
    sections_init(m.sections);
    lw_buf_init(&out, json->limit);
    lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_status st = read_document(m.sections, lw_buf_view(json), &w);
    if (st == LW_OK)
        st = add_services(&m, table);
    write_sections(m.sections, &w);
    lw_json_write_object_end(&w);
    if (st == LW_OK)
        st = lw_json_writer_status(&w);
    sections_done(m.sections);
    for (size_t i = 0; i < m.kept_count; i++)
        lw_buf_done(&m.kept[i]);
    lw_free(m.kept);
    if (st == LW_OK) {
        lw_buf_done(json);
        *json = out;
    } else {
        lw_buf_done(&out);
    }
    return st;
}

uint64_t lw_openapi_merge_stamp(const lw_apiservice_table *table)
{
    uint64_t stamp = 0;
    for (size_t i = 0; table && i < table->count; i++) {
        const lw_apiservice *service = table->at[i];
        if (!service->openapi)
            continue;
        lw_hash_seed seed = { service->openapi->stamp, (uint64_t)service->group_priority };
        seed.k0 = lw_hash_str(seed, service->group);
        stamp += lw_hash_str(seed, service->version) | 1;
    }
    return stamp;
}
