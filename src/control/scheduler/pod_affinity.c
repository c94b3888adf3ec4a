/* SPDX-License-Identifier: Apache-2.0 */
/* pod_affinity.c -- parses node selectors, node affinity and anti-affinity of a pod. */
#include "scheduler/pod_affinity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"

#define AFFINITY  "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
#define APART     "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution"
#define HOST_NAME "kubernetes.io/hostname"

enum {
    SELECTOR_SIZE = 16 * 1024, /* maximum size of one term as a selector */
};

/* A text buffer of fixed size. */
typedef struct text {
    char bytes[SELECTOR_SIZE];
    size_t len;
    bool is_full;
} text;

static void start(text *t)
{
    t->len = 0; /* its bytes need not be zero */
    t->is_full = false;
}

static void append(text *t, lw_str more)
{
    if (t->is_full || more.len >= sizeof(t->bytes) - t->len) {
        t->is_full = true;
        return;
    }
    memcpy(t->bytes + t->len, more.ptr, more.len);
    t->len += more.len;
}

static void append_word(text *t, const char *word)
{
    append(t, lw_str_of(word));
}

/* {"k":"v"} is converted to the matchLabels of a LabelSelector. */
static lw_status read_node_selector(lw_pod_rules *rules, const lw_object *pod, lw_error *err)
{
    text t;
    lw_str raw = lw_read_raw(pod, "/spec/nodeSelector");
    if (raw.len == 0)
        return LW_OK;
    start(&t);
    append_word(&t, "{\"matchLabels\":");
    append(&t, raw);
    append_word(&t, "}");
    if (t.is_full)
        return LW_ERR_INVALID;
    return lw_label_selector_from_json(&rules->node_selector, lw_str_make(t.bytes, t.len), err);
}

/* Appends requirement |at| of a list in selector syntax; false: unknown operator. */
static bool append_requirement(text *t, const lw_object *pod, const char *list, size_t at)
{
    lw_str op = lw_read_text(pod, "%s/%zu/operator", list, at);
    lw_str key = lw_read_text(pod, "%s/%zu/key", list, at);
    bool is_set = lw_text_is(op, "In") || lw_text_is(op, "NotIn");
    bool is_bound = lw_text_is(op, "Gt") || lw_text_is(op, "Lt");
    append_word(t, at > 0 ? "," : "");
    append_word(t, lw_text_is(op, "DoesNotExist") ? "!" : "");
    append(t, key);
    if (is_bound) {
        append_word(t, lw_text_is(op, "Gt") ? ">" : "<");
        append(t, lw_read_text(pod, "%s/%zu/values/0", list, at));
        return true;
    }
    if (!is_set)
        return lw_text_is(op, "Exists") || lw_text_is(op, "DoesNotExist");
    append_word(t, lw_text_is(op, "In") ? " in (" : " notin (");
    for (size_t i = 0; lw_read_has(pod, "%s/%zu/values/%zu", list, at, i); i++) {
        append_word(t, i > 0 ? "," : "");
        append(t, lw_read_text(pod, "%s/%zu/values/%zu", list, at, i));
    }
    append_word(t, ")");
    return true;
}

/* Parses the requirements at |list| to a selector, NULL if there are none. */
static lw_status read_requirements(lw_label_selector **out, const lw_object *pod, const char *list,
                                   lw_error *err)
{
    text t;
    size_t count = 0;
    start(&t);
    for (; lw_read_has(pod, "%s/%zu", list, count); count++) {
        if (!append_requirement(&t, pod, list, count))
            return LW_ERR_INVALID;
    }
    if (count == 0)
        return LW_OK;
    if (t.is_full)
        return LW_ERR_INVALID;
    return lw_label_selector_parse(out, lw_str_make(t.bytes, t.len), err);
}

static size_t count_terms(const lw_object *pod, const char *list)
{
    size_t count = 0;
    while (count < LW_POD_TERMS_MAX && lw_read_has(pod, "%s/%zu", list, count))
        count++;
    return count;
}

static lw_status read_affinity(lw_pod_rules *rules, const lw_object *pod, lw_error *err)
{
    char list[256];
    lw_status st = LW_OK;
    rules->has_affinity = lw_read_has(pod, AFFINITY);
    size_t count = rules->has_affinity ? count_terms(pod, AFFINITY "/nodeSelectorTerms") : 0;
    if (count == 0)
        return LW_OK;
    rules->terms = calloc(count, sizeof(*rules->terms));
    if (!rules->terms)
        return LW_ERR_NOMEM;
    rules->term_count = count;
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        (void)snprintf(list, sizeof(list), AFFINITY "/nodeSelectorTerms/%zu/matchExpressions", i);
        st = read_requirements(&rules->terms[i].labels, pod, list, err);
        (void)snprintf(list, sizeof(list), AFFINITY "/nodeSelectorTerms/%zu/matchFields", i);
        if (st == LW_OK)
            st = read_requirements(&rules->terms[i].fields, pod, list, err);
    }
    return st;
}

static lw_status read_apart(lw_pod_rules *rules, const lw_object *pod, lw_error *err)
{
    size_t count = count_terms(pod, APART);
    if (count == 0)
        return LW_OK;
    rules->apart = calloc(count, sizeof(*rules->apart));
    if (!rules->apart)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        lw_apart_term *term = &rules->apart[rules->apart_count];
        lw_str labels = lw_read_raw(pod, APART "/%zu/labelSelector", i);
        if (!lw_text_is(lw_read_text(pod, APART "/%zu/topologyKey", i), HOST_NAME) ||
            labels.len == 0)
            continue;
        lw_status st = lw_label_selector_from_json(&term->labels, labels, err);
        if (st < 0)
            return st;
        term->pod = pod;
        term->at = i;
        rules->apart_count++;
    }
    return LW_OK;
}

static lw_status read_tolerations(lw_pod_rules *rules, const lw_object *pod)
{
    lw_toleration found[LW_TOLERATIONS_MAX];
    size_t count = lw_tolerations_read(pod, found, LW_TOLERATIONS_MAX);
    if (count == 0)
        return LW_OK;
    rules->tolerations = malloc(count * sizeof(*found));
    if (!rules->tolerations)
        return LW_ERR_NOMEM;
    memcpy(rules->tolerations, found, count * sizeof(*found));
    rules->toleration_count = count;
    return LW_OK;
}

lw_status lw_pod_rules_read(lw_pod_rules *rules, const lw_object *pod, lw_error *err)
{
    *rules = (lw_pod_rules){ .has_affinity = false };
    lw_status st = read_node_selector(rules, pod, err);
    if (st == LW_OK)
        st = read_affinity(rules, pod, err);
    if (st == LW_OK)
        st = read_apart(rules, pod, err);
    if (st == LW_OK)
        st = read_tolerations(rules, pod);
    if (st == LW_OK)
        return LW_OK;
    lw_pod_rules_done(rules);
    return st == LW_ERR_NOMEM ? st : LW_ERR_INVALID;
}

void lw_pod_rules_done(lw_pod_rules *rules)
{
    lw_label_selector_free(rules->node_selector);
    for (size_t i = 0; i < rules->term_count; i++) {
        lw_label_selector_free(rules->terms[i].labels);
        lw_label_selector_free(rules->terms[i].fields);
    }
    for (size_t i = 0; i < rules->apart_count; i++)
        lw_label_selector_free(rules->apart[i].labels);
    free(rules->terms);
    free(rules->apart);
    free(rules->tolerations);
    *rules = (lw_pod_rules){ .has_affinity = false };
}

bool lw_pod_wants_apart(const lw_object *pod)
{
    return lw_read_has(pod, APART "/0");
}

/* A term without requirements matches no node, as in Kubernetes. */
static bool term_matches(const lw_node_term *term, const lw_object *node)
{
    const lw_label name = { lw_str_of("metadata.name"), lw_str_of(lw_object_name(node)) };
    if (!term->labels && !term->fields)
        return false;
    return lw_label_selector_matches(term->labels, node) &&
           (!term->fields || lw_label_selector_matches_labels(term->fields, &name, 1));
}

bool lw_pod_rules_allow_node(const lw_pod_rules *rules, const lw_object *node)
{
    if (rules->node_selector && !lw_label_selector_matches(rules->node_selector, node))
        return false;
    for (size_t i = 0; i < rules->term_count; i++) {
        if (term_matches(&rules->terms[i], node))
            return true;
    }
    return !rules->has_affinity;
}

/* True if |ns| is one of the namespaces of |term|; the default is that of its pod. */
static bool is_about(const lw_apart_term *term, lw_str own, lw_str ns)
{
    size_t i = 0;
    for (; lw_read_has(term->pod, APART "/%zu/namespaces/%zu", term->at, i); i++) {
        lw_str named = lw_read_text(term->pod, APART "/%zu/namespaces/%zu", term->at, i);
        if (lw_str_equal(named, ns))
            return true;
    }
    return i == 0 && lw_str_equal(own, ns);
}

bool lw_pod_rules_keep_apart(const lw_pod_rules *rules, lw_str ns, const lw_object *other)
{
    for (size_t i = 0; i < rules->apart_count; i++) {
        if (is_about(&rules->apart[i], ns, lw_object_key(other).ns) &&
            lw_label_selector_matches(rules->apart[i].labels, other))
            return true;
    }
    return false;
}
