/* SPDX-License-Identifier: Apache-2.0 */
/* rollout.c -- reads a Deployment and its ReplicaSets. */
#include "deployment/rollout.h"

#include <stdio.h>
#include <stdlib.h>

#include "deployment/template_hash.h"
#include "runtime/fields.h"
#include "runtime/report.h"

/* Parses a number in an annotation. */
static int64_t annotated(const lw_object *obj, const char *key, int64_t fallback)
{
    char text[24], *end = NULL;
    lw_text_copy(lw_read_text(obj, "/metadata/annotations/deployment.kubernetes.io~1%s", key), text,
                 sizeof(text));
    long long number = strtoll(text, &end, 10);
    return end == text || *end != '\0' ? fallback : number;
}

static lw_rollout_set read_set(const lw_object *set)
{
    lw_rollout_set s = {
        .set = set,
        .size = { lw_object_int(set, "/spec/replicas", 1),
                  lw_object_int(set, "/status/availableReplicas", 0),
                  annotated(set, "max-replicas", 0) },
        .actual = lw_object_int(set, "/status/replicas", 0),
        .ready = lw_object_int(set, "/status/readyReplicas", 0),
        .revision = annotated(set, "revision", 0),
        .desired = annotated(set, "desired-replicas", -1),
    };
    (void)lw_read_timestamp(set, &s.created_ns, "/metadata/creationTimestamp");
    return s;
}

static int by_age(const void *left, const void *right)
{
    const lw_rollout_set *a = left, *b = right;
    if (a->created_ns != b->created_ns)
        return a->created_ns < b->created_ns ? -1 : 1;
    if (a->revision != b->revision) /* created within the same second */
        return a->revision < b->revision ? -1 : 1;
    return lw_key_compare(lw_object_key(a->set), lw_object_key(b->set));
}

static lw_status template_of(uint64_t *hash, const lw_object *set, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_from_object(&doc, set, err);
    if (st < 0)
        return st;
    *hash = lw_template_hash(doc, lw_document_find(doc, NULL, "/spec/template"));
    st = lw_document_status(doc);
    lw_document_free(doc);
    return st;
}

/* Finds the ReplicaSet with the current template; the oldest if there are several. */
static lw_status find_fresh(lw_rollout *r, lw_error *err)
{
    for (size_t i = 0; i < r->old_count; i++) {
        uint64_t hash = 0;
        lw_status st = template_of(&hash, r->old[i].set, err);
        if (st < 0)
            return st;
        if (hash != r->template)
            continue;
        r->fresh = r->old[i];
        r->old_count--;
        for (size_t j = i; j < r->old_count; j++)
            r->old[j] = r->old[j + 1];
        return LW_OK;
    }
    return LW_OK;
}

static void read_bounds(lw_rollout *r)
{
    char number[2][24];
    const char *text[2];
    static const char *const pointers[] = { "/spec/strategy/rollingUpdate/maxSurge",
                                            "/spec/strategy/rollingUpdate/maxUnavailable" };
    for (int i = 0; i < 2; i++) {
        text[i] = lw_document_string(r->doc, NULL, pointers[i], NULL);
        if (text[i])
            continue;
        int64_t value = lw_document_int(r->doc, NULL, pointers[i], -1);
        (void)snprintf(number[i], sizeof(number[i]), "%lld", (long long)value);
        text[i] = value < 0 ? "25%" : number[i];
    }
    r->bounds =
        lw_rolling_bounds_of(lw_document_int(r->doc, NULL, "/spec/replicas", 1), text[0], text[1]);
    if (lw_text_is(lw_read_text(r->deployment, "/spec/strategy/type"), "Recreate")) {
        r->bounds.surge = 0;
        r->bounds.unavailable = 0;
    }
}

lw_status lw_rollout_init(lw_rollout *r, lw_object_list *claimed, lw_error *err)
{
    size_t count = lw_object_list_count(claimed);
    r->claimed = claimed;
    r->old = calloc(count + 1, sizeof(*r->old));
    if (!r->old)
        return lw_report_nomem(err);
    lw_status st = lw_document_from_object(&r->doc, r->deployment, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < count; i++)
        r->old[r->old_count++] = read_set(lw_object_list_at(claimed, i));
    qsort(r->old, r->old_count, sizeof(*r->old), by_age);
    r->template = lw_template_hash(r->doc, lw_document_find(r->doc, NULL, "/spec/template"));
    read_bounds(r);
    st = find_fresh(r, err);
    for (size_t i = 0; i < r->old_count; i++) {
        if (r->old[i].revision >= r->revision)
            r->revision = r->old[i].revision;
    }
    r->revision++;
    return st;
}

void lw_rollout_done(lw_rollout *r)
{
    lw_document_free(r->doc);
    lw_object_list_free(r->claimed);
    free(r->old);
}

static int64_t pods_of(const lw_rollout_set *s)
{
    return s->actual > s->size.replicas ? s->actual : s->size.replicas;
}

int64_t lw_rollout_total(const lw_rollout *r)
{
    int64_t total = r->fresh.set ? pods_of(&r->fresh) : 0;
    for (size_t i = 0; i < r->old_count; i++)
        total += pods_of(&r->old[i]);
    return total;
}
