/* SPDX-License-Identifier: Apache-2.0 */
/* session_head.c -- the headers of a response: those of a raw response are kept, and warnings are
 * reported. */
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "client/session_call.h"

enum {
    WARNING_MAX = 4096, /* bytes; longer warnings are cut */
};

static bool is_named(lw_str name, lw_str wanted)
{
    return name.len == wanted.len && strncasecmp(name.ptr, wanted.ptr, name.len) == 0;
}

static void keep(lw_buf *head, lw_str text)
{
    lw_buf_append_str(head, text);
    lw_buf_append_char(head, '\0');
}

/* Appends the quoted string at the beginning of |text| (RFC 9110 5.6.4) and returns what follows.
 */
static lw_str append_quoted(lw_buf *out, lw_str text)
{
    size_t i = 1;
    for (; i < text.len && text.ptr[i] != '"'; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len)
            i++;
        lw_buf_append_char(out, text.ptr[i]);
    }
    return lw_str_skip(text, i < text.len ? i + 1 : i);
}

/* Warning: 299 - "text", 299 - "text" (RFC 9111 5.5 and its predecessors).  An API server sends no
 * other code. */
static void report_warnings(const lw_client *client, lw_str value)
{
    lw_str code, rest, agent;
    char text[WARNING_MAX];
    for (;;) {
        value = lw_str_trim(value);
        if (!lw_str_cut(value, ' ', &code, &rest) || !lw_str_equal(code, LW_STR("299")) ||
            !lw_str_cut(lw_str_trim(rest), ' ', &agent, &rest))
            return;
        rest = lw_str_trim(rest);
        if (rest.len == 0 || rest.ptr[0] != '"')
            return;
        lw_buf out;
        lw_buf_init(&out, LW_RESPONSE_HEAD_MAX);
        lw_str next = append_quoted(&out, rest);
        (void)lw_line_copy(text, sizeof(text), out.data ? out.data : "", out.len);
        lw_buf_done(&out);
        client->options.on_warning(text, client->options.warning_arg);
        while (next.len > 0 && next.ptr[0] != ',')
            next = lw_str_skip(next, 1);
        value = lw_str_skip(next, next.len > 0);
    }
}

static void note_cluster(lw_session_call *call, lw_str uid)
{
    if (uid.len > LW_SESSION_CLUSTER_MAX)
        return;
    if (uid.len > 0)
        memcpy(call->cluster, uid.ptr, uid.len);
    call->cluster[uid.len] = '\0';
}

const char *lw_session_call_cluster(const lw_session_call *call)
{
    return call->cluster;
}

void lw_session_call__on_header(lw_transfer *transfer, lw_str name, lw_str value, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    if (call->reply) {
        keep(&call->reply->head, name);
        keep(&call->reply->head, value);
    }
    if (is_named(name, LW_STR("X-Kubernetes-Pf-Prioritylevel-Uid")))
        note_cluster(call, value);
    if (call->session->client->options.on_warning && is_named(name, LW_STR("Warning")))
        report_warnings(call->session->client, value);
}
