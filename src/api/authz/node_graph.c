/* SPDX-License-Identifier: Apache-2.0 */
/* node_graph.c -- the relations between nodes and objects, counted.
 *
 * Invariants: a relation exists while a holder (a pod, an attachment …) points to it; the entry of
 * a secret exists while a volume is in its list. */
#include "api/authz/node_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/dlist.h"
#include "base/map.h"
#include "base/str.h"
#include "base/sync.h"
#include "json/fields.h"

/* Of all entries; what does not apply is empty. */
typedef struct graph_key {
    lw_ref_kind kind;
    lw_str ns, name, node;
} graph_key;

/* An object that a node needs. */
typedef struct relation {
    graph_key key; /* its texts follow the struct */
    size_t count;  /* references from holders */
} relation;

/* A pod, or an object that names its node. */
typedef struct holder {
    graph_key key; /* its texts follow the relations */
    uint64_t print;
    size_t count;
    relation *relations[];
} holder;

/* A secret that volumes refer to. */
typedef struct volume_secret {
    graph_key key; /* its texts follow the struct */
    lw_dlist links;
} volume_secret;

typedef struct volume volume;

typedef struct secret_link {
    lw_dlist_node link; /* in secret->links */
    volume_secret *secret;
    const volume *volume;
} secret_link;

struct volume {
    graph_key key;    /* its texts follow the links */
    lw_str ns, claim; /* of its claim, as well */
    size_t count;
    secret_link links[];
};

struct lw_node_graph {
    lw_hash_seed seed; /* of fingerprints */
    lw_rwlock lock;    /* everything below */
    lw_map relations, holders, volumes, secrets;
};

static uint64_t hash_key(const void *key, lw_hash_seed seed)
{
    const graph_key *k = key;
    return lw_hash_str(seed, k->name) + 3 * lw_hash_str(seed, k->ns) +
           7 * lw_hash_str(seed, k->node) + (uint64_t)k->kind;
}

static bool has_key(const lw_map_type *type, const void *entry, const void *key)
{
    const graph_key *mine = entry, *asked = key;
    (void)type;
    return mine->kind == asked->kind && lw_str_equal(mine->name, asked->name) &&
           lw_str_equal(mine->ns, asked->ns) && lw_str_equal(mine->node, asked->node);
}

/* The keys are the first members of their entries. */
static const lw_map_type by_key = { hash_key, has_key, 0 };

lw_status lw_node_graph_new(lw_node_graph **out)
{
    lw_node_graph *graph = lw_alloc_zero(1, sizeof(*graph));
    if (!graph)
        return LW_ERR_NOMEM;
    lw_map *const maps[] = { &graph->relations, &graph->holders, &graph->volumes, &graph->secrets };
    graph->seed = lw_hash_seed_random();
    lw_rwlock_init(&graph->lock);
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        lw_map_init(maps[i], &by_key, lw_hash_seed_random(), LW_NODE_GRAPH_MAX);
    *out = graph;
    return LW_OK;
}

void lw_node_graph_free(lw_node_graph *graph)
{
    if (!graph)
        return;
    lw_map *const maps[] = { &graph->relations, &graph->holders, &graph->volumes, &graph->secrets };
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        lw_map_cursor at = lw_map_begin(maps[i]);
        for (void *entry; (entry = lw_map_next(maps[i], &at));)
            lw_free(entry);
        lw_map_done(maps[i]);
    }
    lw_rwlock_done(&graph->lock);
    lw_free(graph);
}

/* Copies |text| to |*at|, and moves |*at| behind it. */
static lw_str keep(lw_str text, char **at)
{
    lw_str kept = lw_str_make(*at, text.len);
    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return kept;
}

static size_t texts_size(const graph_key *key)
{
    return key->ns.len + key->name.len + key->node.len;
}

static graph_key keep_key(const graph_key *key, char **at)
{
    graph_key kept = { .kind = key->kind };
    kept.ns = keep(key->ns, at);
    kept.name = keep(key->name, at);
    kept.node = keep(key->node, at);
    return kept;
}

/* Finds the entry of |key|, or adds one of |size| zeros that begins with it; |*is_new| says which.
 * NULL: |*st| says why. */
static void *find_or_add(lw_map *map, const graph_key *key, size_t size, bool *is_new,
                         lw_status *st)
{
    void *entry = lw_map_get(map, key), *present = NULL;
    *is_new = !entry;
    if (entry)
        return entry;
    char *fresh = lw_alloc_zero(1, size + texts_size(key));
    if (!fresh) {
        *st = LW_ERR_NOMEM;
        return NULL;
    }
    char *texts = fresh + size;
    graph_key kept = keep_key(key, &texts);
    memcpy(fresh, &kept, sizeof(kept));
    *st = lw_map_add(map, fresh, fresh, &present);
    if (*st == LW_OK)
        return fresh;
    lw_free(fresh);
    return NULL;
}

static void drop_relation(lw_node_graph *graph, relation *r)
{
    if (--r->count > 0)
        return;
    (void)lw_map_remove(&graph->relations, &r->key);
    lw_free(r);
}

/* Frees |h|, which is not in the map (any more). */
static void free_holder(lw_node_graph *graph, holder *h)
{
    for (size_t i = 0; h && i < h->count; i++)
        drop_relation(graph, h->relations[i]);
    lw_free(h);
}

static void free_volume(lw_node_graph *graph, volume *v)
{
    for (size_t i = 0; v && i < v->count; i++) {
        volume_secret *secret = v->links[i].secret;
        lw_dlist_remove(&v->links[i].link);
        if (lw_dlist_is_empty(&secret->links)) {
            (void)lw_map_remove(&graph->secrets, &secret->key);
            lw_free(secret);
        }
    }
    lw_free(v);
}

enum {
    USUAL_RELATIONS = 16, /* of a pod: these need no memory of their own while it is read */
};

/* The relations of a new holder. */
typedef struct gathering {
    lw_node_graph *graph;
    const graph_key *key; /* of the holder, with its node */
    relation *usual[USUAL_RELATIONS];
    relation **relations; /* |usual|, or more */
    size_t count, cap;
} gathering;

/* Reserves space for one more relation.  LW_ERR_NOMEM. */
static lw_status reserve_relation(gathering *g)
{
    if (g->count < g->cap)
        return LW_OK;
    bool is_usual = g->relations == g->usual;
    relation **grown =
        lw_realloc_array(is_usual ? NULL : g->relations, g->cap * 2, sizeof(relation *));
    if (!grown)
        return LW_ERR_NOMEM;
    if (is_usual)
        memcpy(grown, g->usual, sizeof(g->usual));
    g->relations = grown;
    g->cap *= 2;
    return LW_OK;
}

static lw_status add_relation(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    gathering *g = arg;
    const graph_key key = { kind, ns.len > 0 ? ns : g->key->ns, name, g->key->node };
    bool is_new;
    lw_status st = reserve_relation(g);
    relation *r =
        st == LW_OK ? find_or_add(&g->graph->relations, &key, sizeof(*r), &is_new, &st) : NULL;
    if (!r)
        return st;
    r->count++;
    g->relations[g->count++] = r;
    return LW_OK;
}

/* Creates the holder of what |g| has gathered, and takes it. */
static holder *new_holder(gathering *g, uint64_t print)
{
    const graph_key key = { .kind = g->key->kind, .ns = g->key->ns, .name = g->key->name };
    size_t size = sizeof(holder) + g->count * sizeof(relation *);
    holder *h = lw_alloc_zero(1, size + texts_size(&key));
    if (!h)
        return NULL;
    char *texts = (char *)h + size;
    h->key = keep_key(&key, &texts);
    h->print = print;
    memcpy(h->relations, g->relations, g->count * sizeof(relation *));
    h->count = g->count;
    g->count = 0;
    return h;
}

/* Frees what |g| has gathered and no holder has taken. */
static void gathering_done(gathering *g)
{
    for (size_t i = 0; i < g->count; i++)
        drop_relation(g->graph, g->relations[i]);
    if (g->relations != g->usual)
        lw_free(g->relations);
}

/* The key of a holder in the map has no node. */
static holder *take_holder_locked(lw_node_graph *graph, lw_ref_kind kind, lw_str ns, lw_str name)
{
    const graph_key key = { .kind = kind, .ns = ns, .name = name };
    return lw_map_remove(&graph->holders, &key);
}

/* Visits what |source|, which is not NULL, refers to. */
typedef lw_status (*visit_fn)(const void *source, gathering *g);

static lw_status visit_pod(const void *source, gathering *g)
{
    return lw_pod_visit_refs(source, add_relation, g);
}

static lw_status visit_text(const void *source, gathering *g)
{
    const lw_pod_text *pod = source;
    lw_status st = LW_OK;
    for (size_t i = 0; i < pod->count && st == LW_OK; i++)
        st = add_relation(pod->refs[i].kind, LW_STR(""), pod->refs[i].name, g);
    return st;
}

/* Replaces the holder of |key| by one with the references of |source| (NULL: none) and one to
 * itself. */
static lw_status put_holder_locked(lw_node_graph *graph, graph_key key, visit_fn visit,
                                   const void *source, uint64_t print)
{
    void *present = NULL;
    holder *h = NULL;
    free_holder(graph, take_holder_locked(graph, key.kind, key.ns, key.name));
    if (key.node.len == 0)
        return LW_OK;
    gathering g = { .graph = graph, .key = &key, .cap = USUAL_RELATIONS };
    g.relations = g.usual;
    lw_status st = add_relation(key.kind, LW_STR(""), key.name, &g);
    if (st == LW_OK && source)
        st = visit(source, &g);
    if (st == LW_OK && !(h = new_holder(&g, print)))
        st = LW_ERR_NOMEM;
    gathering_done(&g);
    if (st == LW_OK)
        st = lw_map_add(&graph->holders, &h->key, h, &present);
    if (st < 0)
        free_holder(graph, h);
    return st;
}

/* A node can create mirror pods, |is_mirror|: they must not give it access to anything. */
static lw_status put_pod(lw_node_graph *graph, graph_key key, visit_fn visit, const void *source,
                         bool is_mirror, uint64_t print)
{
    lw_rwlock_write(&graph->lock);
    lw_status st = put_holder_locked(graph, key, visit, is_mirror ? NULL : source, print);
    lw_rwlock_unlock(&graph->lock);
    return st;
}

lw_status lw_node_graph_put_pod(lw_node_graph *graph, lw_str ns, lw_str name, const lw_node *pod,
                                uint64_t print)
{
    const graph_key key = { LW_REF_POD, ns, name, lw_fields_text_at(pod, "/spec/nodeName") };
    return put_pod(graph, key, visit_pod, pod, lw_pod_is_mirror(pod), print);
}

lw_status lw_node_graph_put_pod_text(lw_node_graph *graph, lw_str ns, lw_str name,
                                     const lw_pod_text *pod, uint64_t print)
{
    const graph_key key = { LW_REF_POD, ns, name, pod->node };
    return put_pod(graph, key, visit_text, pod, pod->is_mirror, print);
}

static void remove_holder(lw_node_graph *graph, lw_ref_kind kind, lw_str ns, lw_str name)
{
    lw_rwlock_write(&graph->lock);
    free_holder(graph, take_holder_locked(graph, kind, ns, name));
    lw_rwlock_unlock(&graph->lock);
}

void lw_node_graph_remove_pod(lw_node_graph *graph, lw_str ns, lw_str name)
{
    remove_holder(graph, LW_REF_POD, ns, name);
}

uint64_t lw_node_graph_print(const lw_node_graph *graph, const lw_pod_text_parts *parts)
{
    return lw_hash_str(graph->seed, parts->spec) +
           3 * lw_hash_str(graph->seed, parts->annotations) +
           5 * lw_hash_str(graph->seed, parts->claims) +
           7 * lw_hash_str(graph->seed, parts->extended_claim);
}

bool lw_node_graph_find_pod(lw_node_graph *graph, lw_str ns, lw_str name, uint64_t *print)
{
    const graph_key key = { .kind = LW_REF_POD, .ns = ns, .name = name };
    lw_rwlock_read(&graph->lock);
    const holder *h = lw_map_get(&graph->holders, &key);
    if (h)
        *print = h->print;
    lw_rwlock_unlock(&graph->lock);
    return h != NULL;
}

lw_status lw_node_graph_put_placed(lw_node_graph *graph, lw_ref_kind kind, lw_key key, lw_str node)
{
    lw_rwlock_write(&graph->lock);
    lw_status st =
        put_holder_locked(graph, (graph_key){ kind, key.ns, key.name, node }, NULL, NULL, 0);
    lw_rwlock_unlock(&graph->lock);
    return st;
}

void lw_node_graph_remove_placed(lw_node_graph *graph, lw_ref_kind kind, lw_key key)
{
    remove_holder(graph, kind, key.ns, key.name);
}

/* Counts references. */
static lw_status count_ref(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    (void)kind;
    (void)ns;
    (void)name;
    ++*(size_t *)arg;
    return LW_OK;
}

/* A volume that is being filled. */
typedef struct filling {
    lw_node_graph *graph;
    volume *volume;
} filling;

static lw_status add_secret(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    const filling *f = arg;
    volume *v = f->volume;
    const graph_key key = { .kind = kind, .ns = ns, .name = name };
    lw_status st = LW_OK;
    bool is_new;
    volume_secret *secret = find_or_add(&f->graph->secrets, &key, sizeof(*secret), &is_new, &st);
    if (!secret)
        return st;
    if (is_new)
        lw_dlist_init(&secret->links);
    secret_link *link = &v->links[v->count++];
    link->secret = secret;
    link->volume = v;
    lw_dlist_push_back(&secret->links, &link->link);
    return LW_OK;
}

static volume *take_volume_locked(lw_node_graph *graph, lw_str name)
{
    const graph_key key = { .kind = LW_REF_VOLUME, .name = name };
    return lw_map_remove(&graph->volumes, &key);
}

static lw_status put_volume_locked(lw_node_graph *graph, lw_str name, const lw_node *node)
{
    const graph_key key = { .kind = LW_REF_VOLUME, .name = name };
    lw_str ns = lw_fields_text_at(node, "/spec/claimRef/namespace");
    lw_str claim = lw_fields_text_at(node, "/spec/claimRef/name");
    size_t room = 0;
    void *present = NULL;
    free_volume(graph, take_volume_locked(graph, name));
    if (claim.len == 0)
        return LW_OK;
    (void)lw_volume_visit_secrets(node, count_ref, &room);
    size_t size = sizeof(volume) + room * sizeof(secret_link);
    volume *v = lw_alloc_zero(1, size + texts_size(&key) + ns.len + claim.len);
    if (!v)
        return LW_ERR_NOMEM;
    char *texts = (char *)v + size;
    v->key = keep_key(&key, &texts);
    v->ns = keep(ns, &texts);
    v->claim = keep(claim, &texts);
    filling f = { .graph = graph, .volume = v };
    lw_status st = lw_volume_visit_secrets(node, add_secret, &f);
    if (st == LW_OK)
        st = lw_map_add(&graph->volumes, &v->key, v, &present);
    if (st < 0)
        free_volume(graph, v);
    return st;
}

lw_status lw_node_graph_put_volume(lw_node_graph *graph, lw_str name, const lw_node *node)
{
    lw_rwlock_write(&graph->lock);
    lw_status st = put_volume_locked(graph, name, node);
    lw_rwlock_unlock(&graph->lock);
    return st;
}

void lw_node_graph_remove_volume(lw_node_graph *graph, lw_str name)
{
    lw_rwlock_write(&graph->lock);
    free_volume(graph, take_volume_locked(graph, name));
    lw_rwlock_unlock(&graph->lock);
}

void lw_node_graph_remove_all(lw_node_graph *graph, lw_ref_kind kind)
{
    lw_map *map = kind == LW_REF_VOLUME ? &graph->volumes : &graph->holders;
    lw_rwlock_write(&graph->lock);
    lw_map_cursor at = lw_map_begin(map);
    for (graph_key *entry; (entry = lw_map_next(map, &at));) {
        if (entry->kind != kind)
            continue;
        lw_map_remove_current(map, &at);
        if (kind == LW_REF_VOLUME)
            free_volume(graph, (volume *)(void *)entry);
        else
            free_holder(graph, (holder *)(void *)entry);
    }
    lw_rwlock_unlock(&graph->lock);
}

static bool has_relation_locked(const lw_node_graph *graph, lw_str node, lw_ref_kind kind,
                                lw_str ns, lw_str name)
{
    const graph_key key = { kind, ns, name, node };
    return lw_map_get(&graph->relations, &key) != NULL;
}

/* A volume is needed where its claim is. */
static bool has_volume_locked(const lw_node_graph *graph, lw_str node, const volume *v)
{
    return v && has_relation_locked(graph, node, LW_REF_CLAIM, v->ns, v->claim);
}

static bool has_locked(const lw_node_graph *graph, lw_str node, const graph_key *key)
{
    if (key->kind == LW_REF_VOLUME)
        return has_volume_locked(graph, node, lw_map_get(&graph->volumes, key));
    if (has_relation_locked(graph, node, key->kind, key->ns, key->name))
        return true;
    const volume_secret *secret =
        key->kind == LW_REF_SECRET ? lw_map_get(&graph->secrets, key) : NULL;
    if (!secret)
        return false;
    LW_DLIST_FOR_EACH(secret_link, link, &secret->links, link)
    {
        if (has_volume_locked(graph, node, link->volume))
            return true;
    }
    return false;
}

bool lw_node_graph_has(lw_node_graph *graph, lw_str node, lw_ref_kind kind, lw_str ns, lw_str name)
{
    const graph_key key = { .kind = kind, .ns = ns, .name = name };
    lw_rwlock_read(&graph->lock);
    bool has = has_locked(graph, node, &key);
    lw_rwlock_unlock(&graph->lock);
    return has;
}
