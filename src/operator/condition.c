/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c -- sets and reads conditions. */
#include <listwatch/condition.h>

#include <stdio.h>
#include <string.h>

#include <listwatch/object_iter.h>
#include <listwatch/time.h>

static const char conditions_pointer[] = "/status/conditions";

/* Returns the index of the condition |type|, or the count. */
static size_t find(lw_document *doc, const char *type)
{
    const lw_value *all = lw_document_find(doc, NULL, conditions_pointer);
    size_t count = lw_document_count(all), i = 0;
    while (i < count &&
           strcmp(lw_document_string(doc, lw_document_item(all, i), "/type", ""), type) != 0)
        i++;
    return i;
}

/* Sets a string; returns true if it was different. */
static bool change(lw_document *doc, lw_value *in, const char *pointer, const char *text)
{
    const char *before = lw_document_string(doc, in, pointer, NULL);
    if (before && strcmp(before, text) == 0)
        return false;
    return lw_document_set_string(doc, in, pointer, text) != NULL;
}

static bool change_generation(lw_document *doc, lw_value *in, int64_t generation)
{
    if (generation <= 0 || lw_document_int(doc, in, "/observedGeneration", 0) == generation)
        return false;
    return lw_document_set_int(doc, in, "/observedGeneration", generation) != NULL;
}

bool lw_condition_set(lw_document *doc, const lw_condition *condition, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    size_t at = find(doc, condition->type);
    lw_value *all = lw_document_find(doc, NULL, conditions_pointer);
    lw_value *in = at < lw_document_count(all)
                       ? lw_document_item(all, at)
                       : lw_document_set_object(doc, NULL, "/status/conditions/-");
    if (!in)
        return false; /* the document has failed */
    bool is_changed = change(doc, in, "/type", condition->type);
    if (change(doc, in, "/status", condition->status)) {
        lw_time_format_ns(now, wall_ns);
        lw_document_set_string(doc, in, "/lastTransitionTime", now);
        is_changed = true;
    }
    is_changed |= change(doc, in, "/reason", condition->reason);
    is_changed |= change(doc, in, "/message", condition->message ? condition->message : "");
    is_changed |= change_generation(doc, in, condition->observed_generation);
    return is_changed;
}

bool lw_condition_remove(lw_document *doc, const char *type)
{
    char pointer[64];
    size_t at = find(doc, type);
    if (at == lw_document_count(lw_document_find(doc, NULL, conditions_pointer)))
        return false;
    (void)snprintf(pointer, sizeof(pointer), "%s/%zu", conditions_pointer, at);
    return lw_document_remove(doc, NULL, pointer);
}

bool lw_condition_get(const lw_object *obj, const char *type, lw_condition *out)
{
    lw_iter at = lw_object_iter(obj, conditions_pointer);
    while (lw_iter_next(&at)) {
        const char *found = lw_iter_string(&at, "/type", "");
        if (strcmp(found, type) != 0)
            continue;
        *out = (lw_condition){
            .type = found,
            .status = lw_iter_string(&at, "/status", ""),
            .reason = lw_iter_string(&at, "/reason", ""),
            .message = lw_iter_string(&at, "/message", ""),
            .observed_generation = lw_iter_int(&at, "/observedGeneration", 0),
            .last_transition_time = lw_iter_string(&at, "/lastTransitionTime", ""),
        };
        return true;
    }
    return false;
}

bool lw_condition_is_true(const lw_object *obj, const char *type)
{
    lw_condition condition;
    return lw_condition_get(obj, type, &condition) && strcmp(condition.status, "True") == 0;
}
