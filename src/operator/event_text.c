/* SPDX-License-Identifier: Apache-2.0 */
/* event_text.c -- makes Events of the core group. */
#include "operator/event_text.h"

#include <stdio.h>

#include <listwatch/time.h>

const char *lw_event_namespace(const lw_object *object)
{
    return lw_object_namespace(object)[0] ? lw_object_namespace(object) : "default";
}

void lw_event_name(char name[LW_EVENT_NAME_SIZE], const lw_object *object, int64_t first_wall_ns)
{
    /* A name has at most 253 bytes. */
    (void)snprintf(name, LW_EVENT_NAME_SIZE, "%.230s.%llx", lw_object_name(object),
                   (unsigned long long)first_wall_ns);
}

static void set_about(lw_document *doc, const lw_object *object)
{
    lw_value *about = lw_document_set_object(doc, NULL, "/involvedObject");
    lw_document_set_string(doc, about, "/kind", lw_object_kind(object));
    lw_document_set_string(doc, about, "/apiVersion", lw_object_api_version(object));
    lw_document_set_string(doc, about, "/name", lw_object_name(object));
    lw_document_set_string(doc, about, "/uid", lw_object_uid(object));
    lw_document_set_string(doc, about, "/resourceVersion", lw_object_resource_version(object));
    if (lw_object_namespace(object)[0])
        lw_document_set_string(doc, about, "/namespace", lw_object_namespace(object));
}

static void set_time(lw_document *doc, const char *pointer, int64_t wall_ns)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_time_format_ns(text, wall_ns);
    lw_document_set_string(doc, NULL, pointer, text);
}

lw_status lw_event_object(lw_object **out, const lw_event_content *content,
                          const lw_event_series *series, lw_error *err)
{
    char name[LW_EVENT_NAME_SIZE];
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_event_name(name, content->object, series->first_wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Event");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_event_namespace(content->object));
    set_about(doc, content->object);
    lw_document_set_string(doc, NULL, "/reason", content->reason);
    lw_document_set_string(doc, NULL, "/message", content->message);
    lw_document_set_string(doc, NULL, "/type", content->type);
    lw_document_set_string(doc, NULL, "/source/component", content->component);
    if (content->host[0])
        lw_document_set_string(doc, NULL, "/source/host", content->host);
    lw_document_set_string(doc, NULL, "/reportingComponent", content->component);
    lw_document_set_string(doc, NULL, "/reportingInstance", content->host);
    set_time(doc, "/firstTimestamp", series->first_wall_ns);
    set_time(doc, "/lastTimestamp", content->wall_ns);
    lw_document_set_int(doc, NULL, "/count", series->count);
    st = lw_document_to_object(doc, out, err);
    lw_document_free(doc);
    return st;
}

lw_status lw_event_patch(lw_document **out, const lw_event_content *content,
                         const lw_event_series *series, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_int(doc, NULL, "/count", series->count);
    set_time(doc, "/lastTimestamp", content->wall_ns);
    lw_document_set_string(doc, NULL, "/message",
                           content->message); /* of combined ones, the last */
    *out = doc;
    return LW_OK;
}
