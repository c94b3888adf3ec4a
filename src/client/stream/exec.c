/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c -- starts commands in containers, and attaches to them. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/request.h"
#include "client/stream/stream_internal.h"

static void append_flag(lw_buf *target, bool *has_query, const char *name, bool value)
{
    if (value)
        lw_request_append_query(target, has_query, name, LW_STR("true"));
}

static void append_query(lw_buf *target, const char *const *command, const lw_stream_options *o)
{
    bool has_query = false;
    for (; command && *command; command++) {
        /* An empty argument is one as well. */
        if ((*command)[0])
            lw_request_append_query(target, &has_query, "command", lw_str_of(*command));
        else
            lw_buf_append_text(target, has_query ? "&command=" : "?command=");
        has_query = true;
    }
    lw_request_append_query(target, &has_query, "container", lw_str_of(o->container));
    append_flag(target, &has_query, "stderr", !o->no_stderr && !o->is_tty);
    append_flag(target, &has_query, "stdin", o->has_stdin);
    append_flag(target, &has_query, "stdout", !o->no_stdout);
    append_flag(target, &has_query, "tty", o->is_tty);
}

static lw_status make_target(lw_stream *stream, const char *ns, const char *pod,
                             const char *subresource, const char *const *command, lw_error *err)
{
    const lw_api_path path = { lw_gvr_make("", "v1", "pods"), lw_str_of(ns), lw_str_of(pod),
                               lw_str_of(subresource) };
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_path(&target, &path, err);
    if (st == LW_OK) {
        append_query(&target, command, &stream->options);
        st = lw_request_target_status(&target, err);
    }
    stream->target = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    lw_buf_done(&target);
    if (st == LW_OK && !stream->target)
        st = lw_error_nomem(err);
    return st;
}

static lw_status start(lw_session *session, const char *ns, const char *pod,
                       const char *subresource, const char *const *command,
                       const lw_stream_options *options, lw_stream **out, lw_error *err)
{
    lw_stream *stream = NULL;
    lw_status st =
        lw_stream__new(&stream, session, command ? "exec in" : "attach to", ns, pod, options, err);
    if (st < 0)
        return st;
    st = make_target(stream, ns, pod, subresource, command, err);
    stream->options.container = NULL;
    if (st == LW_OK)
        st = lw_stream__ask(stream, err);
    return lw_stream__started(stream, st, out);
}

lw_status lw_stream__start_exec(lw_session *session, const char *ns, const char *pod,
                                const char *const *command, const lw_stream_options *options,
                                lw_stream **out, lw_error *err)
{
    if (!command || !command[0])
        return lw_error_set(err, LW_ERR_INVALID, "exec: no command was specified");
    return start(session, ns, pod, "exec", command, options, out, err);
}

lw_status lw_stream__start_attach(lw_session *session, const char *ns, const char *pod,
                                  const lw_stream_options *options, lw_stream **out, lw_error *err)
{
    return start(session, ns, pod, "attach", NULL, options, out, err);
}
