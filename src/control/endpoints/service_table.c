/* SPDX-License-Identifier: Apache-2.0 */
/* service_table.c -- the selectors of services, by namespace. */
#include "endpoints/service_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoints/backends.h"
#include "runtime/fields.h"
#include "runtime/name_table.h"
#include "runtime/report.h"

enum {
    RESTS = 10,
    REST_MAX_S = 10,
};

typedef struct service {
    struct service *next;
    lw_label_selector *selector; /* NULL: selects nothing */
    int64_t rests_until_ns;
    size_t name_len;
    char name[];
} service;

typedef struct namespace
{
    lw_named named;
    service *first;
    char name[];
}
namespace;

struct lw_service_table {
    pthread_mutex_t mu; /* guards the members below */
    lw_names namespaces;
};

lw_status lw_service_table_new(lw_service_table **out, lw_error *err)
{
    lw_service_table *table = calloc(1, sizeof(*table));
    if (!table)
        return lw_report_nomem(err);
    (void)pthread_mutex_init(&table->mu, NULL);
    *out = table;
    return LW_OK;
}

static void service_free(service *s)
{
    if (!s)
        return;
    lw_label_selector_free(s->selector);
    free(s);
}

void lw_service_table_free(lw_service_table *table)
{
    namespace *ns = NULL;
    if (!table)
        return;
    while ((ns = lw_names_next(&table->namespaces, NULL))) {
        while (ns->first) {
            service *s = ns->first;
            ns->first = s->next;
            service_free(s);
        }
        lw_names_remove(&table->namespaces, &ns->named);
        free(ns);
    }
    lw_names_done(&table->namespaces);
    (void)pthread_mutex_destroy(&table->mu);
    free(table);
}

static service **find(namespace *ns, lw_str name)
{
    service **at = &ns->first;
    while (*at && !lw_str_equal(lw_str_make((*at)->name, (*at)->name_len), name))
        at = &(*at)->next;
    return at;
}

static service *find_key(lw_service_table *table, lw_key key)
{
    namespace *ns = lw_names_get(&table->namespaces, key.ns);
    return ns ? *find(ns, key.name) : NULL;
}

lw_status lw_service_selector(const lw_object *obj, lw_label_selector **out)
{
    return lw_read_map_selector(obj, "/spec/selector", out);
}

static namespace *namespace_of(lw_service_table *table, lw_str name)
{
    namespace *ns = lw_names_get(&table->namespaces, name);
    if (ns)
        return ns;
    ns = calloc(1, sizeof(*ns) + name.len + 1);
    if (!ns)
        return NULL;
    memcpy(ns->name, name.ptr, name.len);
    ns->named.name = lw_str_make(ns->name, name.len);
    if (lw_names_add(&table->namespaces, &ns->named) == LW_OK)
        return ns;
    free(ns);
    return NULL;
}

/* Takes ownership of |selector|. */
static lw_status set_locked(lw_service_table *table, lw_key key, lw_label_selector *selector)
{
    namespace *ns = namespace_of(table, key.ns);
    service *s = ns ? *find(ns, key.name) : NULL;
    if (ns && !s) {
        s = calloc(1, sizeof(*s) + key.name.len + 1);
        if (s) {
            memcpy(s->name, key.name.ptr, key.name.len);
            s->name_len = key.name.len;
            s->next = ns->first;
            ns->first = s;
        }
    }
    if (!s) {
        lw_label_selector_free(selector);
        return LW_ERR_NOMEM;
    }
    lw_label_selector_free(s->selector);
    s->selector = selector;
    return LW_OK;
}

lw_status lw_service_table_set(lw_service_table *table, const lw_object *obj)
{
    lw_label_selector *selector = NULL;
    lw_status st = lw_service_has_backends(obj) ? lw_service_selector(obj, &selector) : LW_OK;
    if (st == LW_ERR_NOMEM)
        return st;
    (void)pthread_mutex_lock(&table->mu);
    st = set_locked(table, lw_object_key(obj), selector);
    (void)pthread_mutex_unlock(&table->mu);
    return st;
}

void lw_service_table_remove(lw_service_table *table, const lw_object *obj)
{
    lw_key key = lw_object_key(obj);
    (void)pthread_mutex_lock(&table->mu);
    namespace *ns = lw_names_get(&table->namespaces, key.ns);
    service **at = ns ? find(ns, key.name) : NULL;
    if (at && *at) {
        service *s = *at;
        *at = s->next;
        service_free(s);
    }
    if (ns && !ns->first) {
        lw_names_remove(&table->namespaces, &ns->named);
        free(ns);
    }
    (void)pthread_mutex_unlock(&table->mu);
}

void lw_service_table_match(lw_service_table *table, const lw_object *pod,
                            lw_service_found_fn found, void *arg)
{
    (void)pthread_mutex_lock(&table->mu);
    const namespace *ns = lw_names_get(&table->namespaces, lw_object_key(pod).ns);
    for (const service *s = ns ? ns->first : NULL; s; s = s->next) {
        if (s->selector && lw_label_selector_matches(s->selector, pod))
            found(ns->named.name, lw_str_make(s->name, s->name_len), arg);
    }
    (void)pthread_mutex_unlock(&table->mu);
}

int64_t lw_service_table_rest(lw_service_table *table, lw_key key, int64_t now_ns)
{
    (void)pthread_mutex_lock(&table->mu);
    const service *s = find_key(table, key);
    int64_t left = s ? s->rests_until_ns - now_ns : 0;
    (void)pthread_mutex_unlock(&table->mu);
    return left > 0 ? left : 0;
}

void lw_service_table_ran(lw_service_table *table, lw_key key, int64_t cost_ns, int64_t now_ns)
{
    int64_t rest = cost_ns * RESTS;
    (void)pthread_mutex_lock(&table->mu);
    service *s = find_key(table, key);
    if (s)
        s->rests_until_ns =
            now_ns + (rest < REST_MAX_S * LW_NS_PER_S ? rest : REST_MAX_S * LW_NS_PER_S);
    (void)pthread_mutex_unlock(&table->mu);
}
