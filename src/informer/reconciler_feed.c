/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_feed.c -- the keys that an event adds.
 *
 * Runs in the thread that dispatches the informer; takes only the lock of the queue and never
 * waits. */
#include "informer/reconciler_feed.h"

#include <listwatch/gvk.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/shared_informer.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    KEY_SIZE = 512, /* enough for every name that Kubernetes accepts */
    NAME_LIMIT = 1 << 20,
    API_VERSION_SIZE = 512, /* enough for every apiVersion that Kubernetes accepts */
};

/* One reference; views of the JSON, strings still escaped. */
typedef struct owner_reference {
    lw_str api_version, kind, name;
    bool is_controller;
} owner_reference;

/* Returns the string at |at| and advances; empty for other types. */
static lw_str string_or_nothing(lw_json_cursor *at)
{
    if (lw_json_cursor_type(at) == LW_JSON_STRING)
        return lw_json_cursor_string(at);
    (void)lw_json_cursor_skip(at);
    return lw_str_make(NULL, 0);
}

static owner_reference read_reference(lw_json_cursor *at)
{
    owner_reference reference = { 0 };
    if (lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        (void)lw_json_cursor_skip(at);
        return reference;
    }
    lw_str key;
    lw_json_cursor_enter(at);
    while (lw_json_cursor_next_member(at, &key)) {
        if (lw_json_text_equal(key, LW_STR("apiVersion")))
            reference.api_version = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("kind")))
            reference.kind = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("name")))
            reference.name = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("controller")))
            reference.is_controller = lw_str_equal(lw_json_cursor_skip(at), LW_STR("true"));
        else
            (void)lw_json_cursor_skip(at);
    }
    return reference;
}

/* Returns true if |api_version|, still escaped, is "group/...", or has no slash if the group is
 * "". */
static bool is_of_group(lw_str api_version, lw_str group)
{
    char text[API_VERSION_SIZE];
    lw_str found, version;
    if (api_version.len > sizeof(text))
        return false;
    lw_str plain = lw_str_make(text, lw_json_unescape(text, api_version));
    return lw_api_version_parse(plain, &found, &version, NULL) == LW_OK &&
           lw_str_equal(found, group);
}

static bool is_controller_of(const owner_reference *owner, const lw_source_type *type)
{
    return owner->is_controller && owner->name.len > 0 &&
           lw_json_text_equal(owner->kind, type->kind) &&
           is_of_group(owner->api_version, type->group);
}

bool lw_owner_name(const lw_object *obj, const lw_source_type *type, lw_buf *name)
{
    lw_str json;
    if (lw_object_raw(obj, "/metadata/ownerReferences", &json) < 0)
        return false;
    lw_json_cursor at = lw_json_cursor_on(json);
    if (lw_json_cursor_type(&at) != LW_JSON_ARRAY)
        return false;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_element(&at)) {
        owner_reference owner = read_reference(&at);
        if (is_controller_of(&owner, type)) {
            lw_json_append_unescaped(name, owner.name);
            return true;
        }
    }
    return false;
}

/* For names that are longer than an API server allows. */
static lw_status enqueue_long(lw_workqueue *queue, lw_key key, size_t len)
{
    char *text = lw_alloc(len + 1);
    if (!text)
        return LW_ERR_NOMEM;
    (void)lw_key_print(key, text, len + 1);
    lw_status st = lw_workqueue_add(queue, text);
    lw_free(text);
    return st;
}

lw_status lw_reconciler_enqueue(lw_workqueue *queue, lw_key key)
{
    char text[KEY_SIZE];
    size_t len = lw_key_print(key, text, sizeof(text));
    return len < sizeof(text) ? lw_workqueue_add(queue, text) : enqueue_long(queue, key, len);
}

static lw_status enqueue_owner(lw_reconciler_feed *feed, const lw_source_type *type,
                               const lw_object *obj)
{
    lw_buf name;
    lw_buf_init(&name, NAME_LIMIT);
    lw_status st = LW_OK;
    if (lw_owner_name(obj, type, &name)) {
        /* An owner is in the namespace of its object, or cluster-scoped. */
        lw_key key = { type->is_namespaced ? lw_object_key(obj).ns : LW_STR(""),
                       lw_buf_view(&name) };
        st = name.st < 0 ? name.st : lw_reconciler_enqueue(feed->queue, key);
    }
    lw_buf_done(&name);
    return st;
}

static lw_status enqueue_owners(lw_reconciler_feed *feed, const lw_event *event)
{
    lw_source_type type;
    /* While the type of the owners is unknown, no owner has been seen; each adds its own key
     * later. */
    if (!lw_informer__type(feed->owners, &type))
        return LW_OK;
    lw_status st = enqueue_owner(feed, &type, event->object);
    /* If the owner has changed, the former owner is reconciled too. */
    if (st == LW_OK && event->old_object)
        st = enqueue_owner(feed, &type, event->old_object);
    return st;
}

/* Labels are sorted. */
static bool has_new_labels(const lw_event *event)
{
    size_t count = lw_object_label_count(event->object);
    if (count != lw_object_label_count(event->old_object))
        return true;
    for (size_t i = 0; i < count; i++) {
        lw_label now = lw_object_label_at(event->object, i);
        lw_label before = lw_object_label_at(event->old_object, i);
        if (!lw_str_equal(now.key, before.key) || !lw_str_equal(now.value, before.value))
            return true;
    }
    return false;
}

/* Another order of the same annotations counts as a change, which does no harm. */
static bool has_new_annotations(const lw_event *event)
{
    lw_str now = LW_STR("{}"), before = LW_STR("{}");
    (void)lw_object_raw(event->object, "/metadata/annotations", &now);
    (void)lw_object_raw(event->old_object, "/metadata/annotations", &before);
    return !lw_str_equal(now, before);
}

bool lw_event_has_change(const lw_event *event, unsigned changes)
{
    if (changes == 0 || event->type != LW_EVENT_UPDATE || !event->old_object ||
        event->is_uid_changed)
        return true;
    if ((changes & LW_CHANGE_OF_GENERATION) &&
        lw_object_int(event->object, "/metadata/generation", 0) !=
            lw_object_int(event->old_object, "/metadata/generation", 0))
        return true;
    return ((changes & LW_CHANGE_OF_LABELS) && has_new_labels(event)) ||
           ((changes & LW_CHANGE_OF_ANNOTATIONS) && has_new_annotations(event));
}

void lw_reconciler_feed_on_event(const lw_event *event, void *arg)
{
    lw_reconciler_feed *feed = arg;
    if (!lw_event_has_change(event, feed->changes) ||
        (feed->filter && !feed->filter(event, feed->filter_arg)))
        return;
    if (feed->map) {
        feed->map(event, feed->queue, feed->map_arg);
        return;
    }
    lw_status st = feed->owners ? enqueue_owners(feed, event)
                                : lw_reconciler_enqueue(feed->queue, lw_object_key(event->object));
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_log(feed->logger, LW_LOG_ERROR, feed->component,
               "cannot enqueue %s/%s, it will be reconciled after its next change: %s",
               lw_object_namespace(event->object), lw_object_name(event->object),
               lw_status_name(st));
}
