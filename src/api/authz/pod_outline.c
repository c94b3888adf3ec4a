/* SPDX-License-Identifier: Apache-2.0 */
/* pod_outline.c -- copies the parts of interest, and parses the copy. */
#include "api/authz/pod_outline.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

/* A member to keep. */
typedef struct part {
    lw_str name;
    const struct part *below; /* of its value, or of each of its elements; NULL: all */
} part;

#define NO_PART                                                                                    \
    {                                                                                              \
        LW_STR_INIT(""), NULL                                                                      \
    }

static const part variable[] = { { LW_STR_INIT("valueFrom"), NULL }, NO_PART };

static const part container[] = {
    { LW_STR_INIT("env"), variable },
    { LW_STR_INIT("envFrom"), NULL },
    NO_PART,
};

static const part spec[] = {
    { LW_STR_INIT("volumes"), NULL },
    { LW_STR_INIT("containers"), container },
    { LW_STR_INIT("initContainers"), container },
    { LW_STR_INIT("ephemeralContainers"), container },
    { LW_STR_INIT("serviceAccountName"), NULL },
    { LW_STR_INIT("imagePullSecrets"), NULL },
    { LW_STR_INIT("nodeName"), NULL },
    { LW_STR_INIT("resourceClaims"), NULL },
    NO_PART,
};

static const part metadata[] = {
    { LW_STR_INIT("name"), NULL },
    { LW_STR_INIT("annotations"), NULL },
    NO_PART,
};

static const part status[] = {
    { LW_STR_INIT("resourceClaimStatuses"), NULL },
    { LW_STR_INIT("extendedResourceClaimStatus"), NULL },
    NO_PART,
};

static const part pod[] = {
    { LW_STR_INIT("metadata"), metadata },
    { LW_STR_INIT("spec"), spec },
    { LW_STR_INIT("status"), status },
    NO_PART,
};

static const part *find(const part *parts, lw_str raw_key)
{
    bool is_escaped = raw_key.len > 0 && memchr(raw_key.ptr, '\\', raw_key.len);
    for (; parts->name.len > 0; parts++) {
        if (is_escaped ? lw_json_text_equal(raw_key, parts->name)
                       : lw_str_equal(raw_key, parts->name))
            return parts;
    }
    return NULL;
}

static void copy_value(const part *parts, lw_json_cursor *c, lw_buf *out);

static void copy_object(const part *parts, lw_json_cursor *c, lw_buf *out)
{
    lw_str raw_key;
    const char *before = "\"";
    lw_buf_append_char(out, '{');
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_member(c, &raw_key)) {
        const part *kept = find(parts, raw_key);
        if (!kept) {
            (void)lw_json_cursor_skip(c);
            continue;
        }
        lw_buf_append_text(out, before);
        lw_buf_append_str(out, raw_key);
        lw_buf_append_text(out, "\":");
        copy_value(kept->below, c, out);
        before = ",\"";
    }
    lw_buf_append_char(out, '}');
}

/* Elements that are no objects are copied, so that the recursion is as deep as the parts. */
static void copy_elements(const part *parts, lw_json_cursor *c, lw_buf *out)
{
    bool is_first = true;
    lw_buf_append_char(out, '[');
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_element(c)) {
        if (!is_first)
            lw_buf_append_char(out, ',');
        is_first = false;
        if (lw_json_cursor_type(c) == LW_JSON_OBJECT)
            copy_object(parts, c, out);
        else
            lw_buf_append_str(out, lw_json_cursor_skip(c));
    }
    lw_buf_append_char(out, ']');
}

static void copy_value(const part *parts, lw_json_cursor *c, lw_buf *out)
{
    lw_json_type type = parts ? lw_json_cursor_type(c) : LW_JSON_NULL;
    if (type == LW_JSON_OBJECT)
        copy_object(parts, c, out);
    else if (type == LW_JSON_ARRAY)
        copy_elements(parts, c, out);
    else
        lw_buf_append_str(out, lw_json_cursor_skip(c));
}

lw_status lw_pod_outline_parse(lw_str json, lw_tree **out)
{
    lw_buf outline;
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_buf_init(&outline, json.len + 1);
    (void)lw_buf_reserve(&outline, json.len / 4);
    copy_value(pod, &c, &outline);
    lw_status st = outline.st;
    if (st == LW_OK)
        st = lw_tree_parse(out, lw_buf_view(&outline), 0, NULL);
    lw_buf_done(&outline);
    return st;
}
