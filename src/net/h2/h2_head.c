/* SPDX-License-Identifier: Apache-2.0 */
/* h2_head.c -- converts header fields to a request.  nghttp2 has checked the syntax, and the order
 * and number of pseudo-header fields (RFC 9113, section 8). */
#include "net/h2/h2_head.h"

#include <string.h>

#include "base/str.h"

enum {
    KEPT_CAPACITY = 4096, /* bytes of text kept from one header block to the next */
};

void lw_h2_head_init(lw_h2_head *head)
{
    lw_buf_init(&head->text, LW_HTTP_HEAD_MAX);
    head->count = 0;
    head->bytes = 0;
    head->is_too_large = false;
}

void lw_h2_head_done(lw_h2_head *head)
{
    lw_buf_done(&head->text);
}

void lw_h2_head_reset(lw_h2_head *head)
{
    if (head->text.cap > KEPT_CAPACITY)
        lw_buf_done(&head->text);
    lw_buf_reset(&head->text);
    head->count = 0;
    head->bytes = 0;
    head->is_too_large = false;
}

void lw_h2_head_add(lw_h2_head *head, lw_str name, lw_str value)
{
    if (head->is_too_large)
        return;
    head->bytes += name.len + value.len + LW_H2_FIELD_OVERHEAD;
    if (head->bytes > LW_HTTP_HEAD_MAX || head->count == LW_H2_FIELDS_MAX) {
        head->is_too_large = true;
        return;
    }
    head->fields[head->count].at = (uint32_t)head->text.len;
    head->fields[head->count].name_len = (uint32_t)name.len;
    head->fields[head->count].value_len = (uint32_t)value.len;
    head->count++;
    lw_buf_append_str(&head->text, name);
    lw_buf_append_str(&head->text, value);
}

void lw_h2_head_fields(const lw_h2_head *head, lw_http_header *out)
{
    for (size_t i = 0; i < head->count; i++) {
        const char *at = head->text.data + head->fields[i].at;
        out[i].name = lw_str_make(at, head->fields[i].name_len);
        out[i].value = lw_str_make(at + out[i].name.len, head->fields[i].value_len);
    }
}

size_t lw_h2_head_size(const lw_h2_head *head)
{
    return head->count * sizeof(lw_http_header) + head->text.len;
}

/* Stores a pseudo-header field.  :scheme is ignored. */
static void place_pseudo(lw_http_request *request, lw_str name, lw_str value, lw_str *authority)
{
    if (lw_str_equal(name, LW_STR(":method"))) {
        request->method_text = value;
        request->method = lw_http_method_of(value);
    } else if (lw_str_equal(name, LW_STR(":path"))) {
        (void)lw_str_cut(value, '?', &request->path, &request->query);
    } else if (lw_str_equal(name, LW_STR(":authority"))) {
        *authority = value;
    }
}

bool lw_h2_head_place(const lw_h2_head *head, void *memory, lw_http_request *request)
{
    lw_http_header *headers = memory;
    char *text = (char *)(headers + head->count);
    lw_str authority = { NULL, 0 };
    size_t count = 0;
    if (head->text.len > 0)
        memcpy(text, head->text.data, head->text.len);
    for (size_t i = 0; i < head->count; i++) {
        lw_str name = lw_str_make(text + head->fields[i].at, head->fields[i].name_len);
        lw_str value = lw_str_make(name.ptr + name.len, head->fields[i].value_len);
        if (lw_str_starts_with(name, LW_STR(":"))) {
            place_pseudo(request, name, value, &authority);
            /* Pseudo-header fields come first, so the position of Host is known by now. */
            if (authority.len > 0 && count == 0)
                headers[count++] = (lw_http_header){ LW_STR("host"), authority };
        } else if (authority.len == 0 || !lw_str_equal(name, LW_STR("host"))) {
            headers[count++] = (lw_http_header){ name, value };
        }
    }
    request->headers = headers;
    request->header_count = count;
    request->version_major = 2;
    return !lw_str_equal(request->method_text, LW_STR("CONNECT")) &&
           lw_str_starts_with(request->path, LW_STR("/"));
}
