/* SPDX-License-Identifier: Apache-2.0 */
/* namespaces.c -- checks that a namespace exists and accepts new objects. */
#include "api/admission/namespaces.h"

#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "api/pending/pending_object.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    TEXT_MAX = 1024,
};

const lw_kind *lw_namespace_kind(const lw_api *api)
{
    (void)api;
    return &lw_kind_namespaces;
}

static bool is_active(const lw_object *ns)
{
    lw_str text;
    bool is_deleting = lw_object_raw(ns, "/metadata/deletionTimestamp", &text) == LW_OK;
    return !is_deleting && (lw_object_raw(ns, "/status/phase", &text) < 0 ||
                            !lw_str_equal(text, LW_STR("\"Terminating\"")));
}

/* Most objects of a loop are written into the namespace of the one before.  An object does not
 * change; the port's reference keeps others from getting its address. */
static bool is_seen_active(lw_api_port *port, lw_object *ns)
{
    if (port->namespace_seen != ns) {
        lw_object_unref(port->namespace_seen);
        port->namespace_seen = lw_object_ref(ns);
        port->is_seen_active = is_active(ns);
    }
    return port->is_seen_active;
}

lw_status lw_namespace_look(lw_api_port *port, lw_str name, lw_namespace_state *state)
{
    const lw_api *api = port->api;
    lw_object *ns = NULL;
    lw_key key = { LW_STR(""), name };
    *state = LW_NAMESPACE_ABSENT;
    lw_status st = lw_lookup(lw_api_resource(api, lw_namespace_kind(api)), key, &ns);
    if (st < 0 || !ns)
        return st;
    *state = is_seen_active(port, ns) ? LW_NAMESPACE_ACTIVE : LW_NAMESPACE_TERMINATING;
    lw_object_unref(ns);
    return LW_OK;
}

static void refuse_terminating(const lw_kind *kind, lw_str ns, lw_str name, lw_api_status *status)
{
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_printf(&text,
                  "unable to create new content in namespace %.*s because it is being terminated",
                  LW_STR_ARG(ns));
    lw_api_status_forbidden(status, lw_kind_gvr(kind), name, lw_buf_view(&text));
    lw_status st = text.st;
    lw_buf_reset(&text);
    lw_buf_printf(&text, "namespace %.*s is being terminated", LW_STR_ARG(ns));
    lw_api_status_add_cause(status, LW_STR("NamespaceTerminating"), lw_buf_view(&text),
                            LW_STR("metadata.namespace"));
    st = st < 0 ? st : text.st;
    if (st < 0 && status->st == LW_OK)
        status->st = st;
    lw_buf_done(&text);
}

bool lw_namespace_admits(lw_api_port *port, const lw_kind *kind, lw_str ns, lw_str name,
                         lw_api_status *status)
{
    lw_namespace_state state;
    if (!kind->is_namespaced)
        return true;
    lw_status st = lw_namespace_look(port, ns, &state);
    if (st < 0) {
        lw_api_status_unreadable(status, st);
        return false;
    }
    switch (state) {
    case LW_NAMESPACE_ACTIVE: return true;
    case LW_NAMESPACE_ABSENT:
        lw_api_status_not_found(status, lw_kind_gvr(lw_namespace_kind(port->api)), ns);
        return false;
    case LW_NAMESPACE_TERMINATING: refuse_terminating(kind, ns, name, status); return false;
    }
    return false;
}

bool lw_namespace_is_protected(lw_str name)
{
    return lw_str_equal(name, LW_STR("default")) || lw_str_equal(name, LW_STR("kube-system")) ||
           lw_str_equal(name, LW_STR("kube-public"));
}
