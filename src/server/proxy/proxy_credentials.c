/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_credentials.c -- the headers about the user of a forwarded request. */
#include "server/proxy/proxy_credentials.h"

#include "base/str.h"
#include "net/h1/h1_head.h"

bool lw_proxy_drops_credentials(lw_str name)
{
    return lw_str_equal(name, LW_STR("authorization")) || lw_str_equal(name, LW_STR("cookie")) ||
           lw_str_starts_with(name, LW_STR("impersonate-")) ||
           lw_str_starts_with(name, LW_STR("x-remote-"));
}

/* The headers that are being made. */
typedef struct making {
    lw_http_header *headers;
    size_t count, max;
    lw_buf *text;
} making;

/* Adds a header whose name, if it is not static, and value are copied to the text. */
static void add(making *m, lw_str name, bool is_static, lw_str value)
{
    lw_buf *text = m->text;
    size_t start = text->len;
    if (m->count >= m->max || text->st < 0) {
        m->count = m->max + 1;
        return;
    }
    if (!is_static)
        lw_buf_append_str(text, name);
    lw_buf_append_str(text, value);
    if (text->st < 0)
        return;
    const char *at = text->data + start;
    if (!is_static) {
        name.ptr = at;
        at += name.len;
    }
    m->headers[m->count++] = (lw_http_header){ name, lw_str_make(at, value.len) };
}

/* A key may have any characters: those that a header name cannot have are percent-encoded. */
static void append_key(lw_buf *out, lw_str key)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (c != '%' && lw_h1_is_token(lw_str_make(&c, 1))) {
            lw_buf_append_char(out, c);
        } else {
            lw_buf_append_char(out, '%');
            lw_buf_append_char(out, digits[((unsigned char)c) >> 4]);
            lw_buf_append_char(out, digits[((unsigned char)c) & 15]);
        }
    }
}

static void add_extra(making *m, const lw_user_extra *extra)
{
    lw_buf name;
    lw_buf_init(&name, LW_PROXY_IDENTITY_MAX);
    lw_buf_append_text(&name, "X-Remote-Extra-");
    append_key(&name, extra->key);
    for (size_t i = 0; i < extra->count; i++)
        add(m, lw_buf_view(&name), false, extra->values[i]);
    if (name.st < 0)
        m->text->st = name.st;
    lw_buf_done(&name);
}

size_t lw_proxy_identify(const lw_user *user, lw_http_header *headers, size_t max, lw_buf *text)
{
    making m = { headers, 0, max, text };
    /* All of it at once: the views must stay where they are. */
    if (lw_buf_reserve(text, LW_PROXY_IDENTITY_MAX) < 0)
        return 0;
    add(&m, LW_STR("X-Remote-User"), true, user->name);
    if (user->uid.len > 0)
        add(&m, LW_STR("X-Remote-Uid"), true, user->uid);
    for (size_t i = 0; i < user->group_count; i++)
        add(&m, LW_STR("X-Remote-Group"), true, user->groups[i]);
    for (size_t i = 0; i < user->extra_count; i++)
        add_extra(&m, &user->extras[i]);
    return m.count > max || text->st < 0 ? 0 : m.count;
}

bool lw_proxy_clean_protocols(const lw_http_request *request, lw_http_header *header, lw_buf *text)
{
    static const lw_str token = LW_STR_INIT("base64url.bearer.authorization.k8s.io.");
    bool has_token = false;
    size_t start = text->len;
    for (size_t i = 0; i < request->header_count; i++) {
        lw_str rest = request->headers[i].value;
        if (!lw_str_equal(request->headers[i].name, LW_STR("sec-websocket-protocol")))
            continue;
        while (rest.len > 0) {
            lw_str protocol;
            (void)lw_str_cut(rest, ',', &protocol, &rest);
            protocol = lw_str_trim(protocol);
            if (lw_str_starts_with(protocol, token)) {
                has_token = true;
                continue;
            }
            if (text->len > start)
                lw_buf_append_text(text, ", ");
            lw_buf_append_str(text, protocol);
        }
    }
    *header =
        (lw_http_header){ LW_STR("sec-websocket-protocol"), lw_str_skip(lw_buf_view(text), start) };
    return has_token;
}
