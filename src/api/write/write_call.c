/* SPDX-License-Identifier: Apache-2.0 */
/* write_call.c -- between a call and the write that answers it. */
#include "api/write/write_call.h"

#include "base/alloc.h"
#include "base/str.h"
#include "schema/kinds/subresource.h"
#include "json/text.h"

lw_write_call *lw_write_call_new(lw_api_call *call)
{
    lw_write_call *wc = lw_alloc_zero(1, sizeof(*wc));
    if (!wc) {
        lw_call_reply_nomem(call);
        return NULL;
    }
    wc->call = call;
    wc->write.port = call->port;
    wc->write.budget = &call->budget;
    wc->write.kind = call->route.kind;
    wc->write.user = call->user;
    wc->write.stream = call->stream;
    wc->write.call = call;
    wc->write.key = (lw_key){ call->route.ns, call->route.name };
    return wc;
}

void lw_write_call_free(lw_write_call *wc)
{
    if (!wc)
        return;
    lw_call_free(wc->call);
    lw_write_release(&wc->write);
    lw_object_unref(wc->budget);
    lw_tree_free(wc->reply);
    lw_tree_free(wc->body);
    lw_free(wc->bound_name);
    lw_free(wc);
}

void lw_write_call_refuse(lw_write_call *wc, lw_api_status *status)
{
    lw_api_call *call = wc->call;
    wc->call = NULL;
    call->account.waited_ns += wc->write.waited_ns;
    lw_call_reply_status(call, status);
    lw_write_call_free(wc);
}

void lw_write_call_reply(lw_write_call *wc, int code, const lw_object *obj)
{
    lw_api_call *call = wc->call;
    wc->call = NULL;
    call->account.waited_ns += wc->write.waited_ns;
    if (obj)
        lw_call_reply_object(call, code, obj);
    else
        lw_call_reply_nomem(call);
    lw_write_call_free(wc);
}

/* What a client that names no manager is called: its User-Agent up to the first slash. */
static lw_str manager_of_agent(const lw_http_request *request)
{
    lw_str agent = LW_STR(""), rest;
    if (!lw_http_request_header(request, "user-agent", &agent))
        return LW_STR("unknown");
    (void)lw_str_cut(agent, '/', &agent, &rest);
    while (agent.len > LW_FIELD_MANAGER_MAX || (agent.len > 0 && !lw_utf8_is_valid(agent)))
        agent.len--;
    return agent.len > 0 ? agent : LW_STR("unknown");
}

static lw_str subresource_name(unsigned bit)
{
    const lw_subresource *sub = lw_subresources;
    while (sub->bit && sub->bit != bit)
        sub++;
    return sub->bit ? sub->name : LW_STR("");
}

lw_field_manager lw_write_call_manager(const lw_write_call *wc)
{
    lw_str name = lw_query_get(&wc->call->query, "fieldManager");
    return (lw_field_manager){
        .name = name.len > 0 ? name : manager_of_agent(&wc->call->stream->request),
        .subresource = subresource_name(wc->call->route.subresource),
    };
}

int lw_write_call_code(const lw_write_call *wc)
{
    enum {
        OK = 200,
        CREATED = 201,
    };
    return wc->is_creation ? CREATED : OK;
}

void lw_write_call_removed(const lw_write_call *wc)
{
    const lw_write *write = &wc->write;
    if (write->outcome == LW_WRITE_DELETE && !write->is_dry_run)
        write->port->api->write_hooks->after_delete(write->port, write->kind);
}

/* An object that an update has let go is shown as it was last seen, under its old revision: there
 * is no other that a watch would show it with. */
static void answer_released(lw_write_call *wc)
{
    lw_object *shown = NULL;
    lw_write *write = &wc->write;
    if (lw_object_with_revision(&shown, write->next, lw_object_revision(write->current)) < 0)
        shown = NULL;
    lw_write_call_removed(wc);
    lw_write_call_reply(wc, lw_write_call_code(wc), shown);
    lw_object_unref(shown);
}

void lw_write_call_answer(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    if (write->outcome == LW_WRITE_REFUSE) {
        lw_api_status status = write->status;
        lw_api_status_init(&write->status);
        lw_write_call_refuse(wc, &status);
    } else if (write->outcome == LW_WRITE_DELETE) {
        answer_released(wc);
    } else {
        lw_write_call_reply(wc, lw_write_call_code(wc),
                            write->outcome == LW_WRITE_KEEP ? write->current : write->result);
    }
}

void lw_write_call_start(lw_write_call *wc, lw_write_decision (*decide)(lw_write *write),
                         void (*done)(lw_write *write))
{
    wc->write.decide = decide;
    wc->write.done = done ? done : lw_write_call_answer;
    lw_write_start(&wc->write);
}
