/* SPDX-License-Identifier: Apache-2.0 */
/* fake_hooks.h -- a caller of admission webhooks without a network: a function answers. */
#ifndef LW_TESTS_SUPPORT_FAKE_HOOKS_H
#define LW_TESTS_SUPPORT_FAKE_HOOKS_H

#include <string.h>

#include "api/webhooks/hooks.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/str.h"

struct lw_hook_endpoint {
    char *url;
};

typedef struct fake_hooks {
    lw_hook_caller caller;
    /* Returns the members of the response to |body| that was sent to |url|; NULL: none comes. */
    const char *(*answer)(const char *url, lw_str body);
    size_t started, cancelled;
} fake_hooks;

typedef struct fake_hook_call {
    lw_task task;
    lw_hook_call *call;
    const char *response; /* NULL: hangs */
    char uid[64];
} fake_hook_call;

static inline lw_status fake_hooks_open(void *arg, const lw_hook_target *target,
                                        lw_hook_endpoint **out, lw_error *err)
{
    lw_hook_endpoint *endpoint = lw_alloc_zero(1, sizeof(*endpoint));
    (void)arg;
    if (endpoint)
        endpoint->url = lw_str_dup(target->url);
    if (!endpoint || !endpoint->url) {
        lw_free(endpoint);
        return lw_error_nomem(err);
    }
    *out = endpoint;
    return LW_OK;
}

static inline void fake_hooks_close(void *arg, lw_hook_endpoint *endpoint)
{
    (void)arg;
    lw_free(endpoint->url);
    lw_free(endpoint);
}

static inline void fake_hooks_reply(lw_task *task)
{
    fake_hook_call *sent = LW_CONTAINER_OF(task, fake_hook_call, task);
    lw_hook_call *call = sent->call;
    lw_error err = LW_ERROR_INIT;
    lw_buf text;
    lw_buf_init(&text, 64 * 1024);
    lw_buf_append_text(&text,
                       "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                       "\"response\":{\"uid\":\"");
    lw_buf_append_text(&text, sent->uid);
    lw_buf_append_text(&text, "\",");
    lw_buf_append_text(&text, sent->response);
    lw_buf_append_text(&text, "}}");
    lw_free(sent);
    call->sent = NULL;
    if (text.st < 0)
        (void)lw_error_nomem(&err);
    call->done(call, 200, LW_STR("application/json"), lw_buf_view(&text),
               text.st < 0 ? &err : NULL);
    lw_buf_done(&text);
}

static inline lw_status fake_hooks_start(void *arg, lw_hook_endpoint *endpoint, lw_hook_call *call,
                                         lw_error *err)
{
    fake_hooks *fake = arg;
    static const char mark[] = "\"uid\":\"";
    const char *uid = memmem(call->body.ptr, call->body.len, mark, strlen(mark));
    fake_hook_call *sent = lw_alloc_zero(1, sizeof(*sent));
    if (!sent)
        return lw_error_nomem(err);
    fake->started++;
    memcpy(sent->uid, uid + strlen(mark), 36);
    sent->call = call;
    sent->response = fake->answer(endpoint->url, call->body);
    sent->task.run = fake_hooks_reply;
    call->sent = sent;
    if (sent->response)
        lw_loop_later(call->port->loop, &sent->task);
    return LW_OK;
}

static inline void fake_hooks_cancel(void *arg, lw_hook_call *call)
{
    fake_hooks *fake = arg;
    fake_hook_call *sent = call->sent;
    fake->cancelled++;
    if (lw_dlist_node_is_linked(&sent->task.link))
        lw_dlist_remove(&sent->task.link);
    lw_free(sent);
    call->sent = NULL;
}

static inline void fake_hooks_leave(void *arg, lw_api_port *port)
{
    (void)arg;
    (void)port;
}

static inline void fake_hooks_init(fake_hooks *fake,
                                   const char *(*answer)(const char *url, lw_str body))
{
    *fake = (fake_hooks){ .answer = answer };
    fake->caller = (lw_hook_caller){ .open = fake_hooks_open,
                                     .close = fake_hooks_close,
                                     .start = fake_hooks_start,
                                     .cancel = fake_hooks_cancel,
                                     .leave = fake_hooks_leave,
                                     .arg = fake };
}

#endif
