/* SPDX-License-Identifier: Apache-2.0 */
/* port_warnings.c -- ports of a pod's containers that are defined twice. */
#include "api/warnings/pod_warnings.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    PORTS_MAX = 128, /* ports that are compared with one another */
};

/* A port, and where it is. */
typedef struct port {
    const lw_node *node;
    const char *list; /* of the containers */
    size_t container, index;
} port;

/* How |other|, which came before, and |this| conflict; NULL: they do not. */
static const char *conflict(const lw_node *this, const lw_node *other)
{
    lw_str ip = lw_fields_text(this, "hostIP"), other_ip = lw_fields_text(other, "hostIP");
    int64_t host = lw_fields_int(this, "hostPort", 0);
    int64_t other_host = lw_fields_int(other, "hostPort", 0);
    if (lw_fields_int(this, "containerPort", 0) != lw_fields_int(other, "containerPort", 0) ||
        !lw_str_equal(lw_fields_text(this, "protocol"), lw_fields_text(other, "protocol")))
        return NULL;
    if (lw_str_equal(ip, other_ip) && host == other_host)
        return "duplicate port definition with";
    if (host == 0 || other_host == 0)
        return "overlapping port definition with";
    if (host == other_host && (ip.len == 0) != (other_ip.len == 0))
        return "dangerously ambiguous port definition with";
    return NULL;
}

typedef struct ports {
    lw_api_call *call;
    lw_field_path path; /* of the spec */
    size_t count;
    port all[PORTS_MAX];
} ports;

static void collect(ports *p, const lw_node *spec, const char *name)
{
    const lw_node *list = lw_node_get(spec, lw_str_of(name));
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *own = lw_node_get(lw_node_at(list, i), LW_STR("ports"));
        for (size_t k = 0; k < lw_node_count(own) && p->count < PORTS_MAX; k++)
            p->all[p->count++] = (port){ lw_node_at(own, k), name, i, k };
    }
}

static const char *write_path(const ports *p, const port *one, char text[LW_FIELD_PATH_SIZE])
{
    lw_field_path container = lw_field_path_item(&p->path, lw_str_of(one->list), one->container);
    return lw_field_path_text(text, lw_field_path_item(&container, LW_STR("ports"), one->index));
}

static void warn_conflicts(const ports *p, const port *this)
{
    char path[LW_FIELD_PATH_SIZE], other_path[LW_FIELD_PATH_SIZE];
    for (const port *other = p->all; other < this; other++) {
        const char *what = conflict(this->node, other->node);
        if (what)
            lw_warn_at(p->call, lw_field_path_in(NULL, lw_str_of(write_path(p, this, path))),
                       ": %s %s", what, write_path(p, other, other_path));
    }
}

static void warn_name(const ports *p, const port *this)
{
    char path[LW_FIELD_PATH_SIZE], first[LW_FIELD_PATH_SIZE];
    lw_str name = lw_fields_text(this->node, "name");
    const port *other = p->all;
    while (other < this && !lw_str_equal(name, lw_fields_text(other->node, "name")))
        other++;
    if (name.len == 0 || other == this)
        return;
    (void)write_path(p, other, first);
    lw_warn_at(p->call, lw_field_path_in(NULL, lw_str_of(write_path(p, this, path))),
               ": duplicate port name \"%.*s\" with %s, services and probes that select ports by "
               "name will use %s",
               LW_STR_ARG(name), first, first);
}

void lw_port_warnings(lw_api_call *call, lw_field_path path, const lw_node *spec)
{
    ports p;
    p.call = call;
    p.path = path;
    p.count = 0;
    for (size_t k = 0; lw_container_lists[k]; k++)
        collect(&p, spec, lw_container_lists[k]);
    for (size_t i = 0; i < p.count; i++)
        warn_conflicts(&p, &p.all[i]);
    for (size_t i = 0; i < p.count; i++)
        warn_name(&p, &p.all[i]);
}
