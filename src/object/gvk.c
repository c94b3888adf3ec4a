/* SPDX-License-Identifier: Apache-2.0 */
/* gvk.c -- groups, versions, kinds, resources and their paths. */
#include "object/gvk.h"

#include "base/error.h"
#include "base/str.h"

lw_status lw_api_version_parse(lw_str api_version, lw_str *group, lw_str *version, lw_error *err)
{
    lw_str head, tail;
    bool has_group = lw_str_cut(api_version, '/', &head, &tail);
    if (tail.len > 0 && memchr(tail.ptr, '/', tail.len))
        return lw_error_set(err, LW_ERR_INVALID, "unexpected GroupVersion string: %.*s",
                            LW_STR_ARG(api_version));
    *group = has_group ? head : lw_str_make(NULL, 0);
    *version = has_group ? tail : head;
    return LW_OK;
}

bool lw_gvr_parse(lw_str text, lw_gvr *unversioned, lw_gvr *versioned)
{
    lw_str resource, rest, version, group;
    (void)lw_str_cut(text, '.', &resource, &rest);
    *unversioned = (lw_gvr){ .group = rest, .resource = resource };
    if (!lw_str_cut(rest, '.', &version, &group))
        return false;
    *versioned = (lw_gvr){ .group = group, .version = version, .resource = resource };
    return true;
}

void lw_api_version_append(lw_buf *buf, lw_str group, lw_str version)
{
    if (group.len > 0) {
        lw_buf_append_str(buf, group);
        lw_buf_append_char(buf, '/');
    }
    lw_buf_append_str(buf, version);
}

void lw_grouped_append(lw_buf *buf, lw_str name, lw_str group)
{
    lw_buf_append_str(buf, name);
    if (group.len > 0) {
        lw_buf_append_char(buf, '.');
        lw_buf_append_str(buf, group);
    }
}

/* RFC 3986 2.3: unreserved characters. */
static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void append_segment(lw_buf *buf, lw_str segment)
{
    static const char digits[] = "0123456789ABCDEF";
    lw_buf_append_char(buf, '/');
    for (size_t i = 0; i < segment.len; i++) {
        unsigned char c = (unsigned char)segment.ptr[i];
        char escaped[3] = { '%', digits[c >> 4], digits[c & 15] };
        if (is_unreserved(segment.ptr[i]))
            lw_buf_append_char(buf, segment.ptr[i]);
        else
            lw_buf_append(buf, escaped, sizeof(escaped));
    }
}

static bool is_dots(lw_str segment)
{
    return lw_str_equal(segment, LW_STR(".")) || lw_str_equal(segment, LW_STR(".."));
}

static bool is_possible(const lw_api_path *path)
{
    if (path->gvr.version.len == 0 || path->gvr.resource.len == 0)
        return false;
    if (path->subresource.len > 0 && path->name.len == 0)
        return false;
    return !is_dots(path->gvr.group) && !is_dots(path->gvr.version) &&
           !is_dots(path->gvr.resource) && !is_dots(path->ns) && !is_dots(path->name) &&
           !is_dots(path->subresource);
}

lw_status lw_api_path_append(lw_buf *buf, const lw_api_path *path)
{
    if (!is_possible(path))
        return LW_ERR_INVALID;
    bool is_core = path->gvr.group.len == 0;
    lw_buf_append_text(buf, is_core ? "/api" : "/apis");
    if (!is_core)
        append_segment(buf, path->gvr.group);
    append_segment(buf, path->gvr.version);
    if (path->ns.len > 0) {
        append_segment(buf, LW_STR("namespaces"));
        append_segment(buf, path->ns);
    }
    append_segment(buf, path->gvr.resource);
    if (path->name.len > 0)
        append_segment(buf, path->name);
    if (path->subresource.len > 0)
        append_segment(buf, path->subresource);
    return buf->st;
}
