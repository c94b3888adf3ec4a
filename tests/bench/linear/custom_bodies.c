/* SPDX-License-Identifier: Apache-2.0 */
/* custom_bodies.c -- a table of bodies that the field tables do not describe: custom resources, and
 * fields whose cost depends on others.
 *
 * In texts, ' is a quote, # the number of the item, and @ its number as a port. */
#include "bench/linear/custom_bodies.h"

#include <stdlib.h>

#include "base/str.h"

#define CRDS     "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS   "/apis/example.com/v1/namespaces/default/things"
#define SERVICES "/api/v1/namespaces/default/services"
#define SERVICE                                                                                    \
    "{'apiVersion':'v1','kind':'Service','metadata':{'name':'s'},'spec':{'type':'NodePort',"       \
    "'ports':["
#define MAPS  "/api/v1/namespaces/default/configmaps"
#define APPLY "application/apply-patch+yaml"
#define MERGE "application/merge-patch+json"
#define THING                                                                                      \
    "{'apiVersion':'example.com/v1','kind':'Thing','metadata':{'name':'t','namespace':'default'}," \
    "'spec':{"
#define CONFIG "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'},'data':{"
#define DRY    "?dryRun=All"
#define FORCED "?fieldManager=m&force=true"

/* One schema with all kinds of fields. */
static const char definition[] =
    "{'metadata':{'name':'things.example.com'},'spec':{'group':'example.com','scope':'Namespaced',"
    "'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':"
    "true,'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{'type':'object',"
    "'properties':{'set':{'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'set'},"
    "'map':{'type':'array','items':{'type':'object','required':['k'],'properties':{'k':{'type':"
    "'integer'},'v':{'type':'string'}}},'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys'"
    ":['k']},'atomic':{'type':'array','items':{'type':'string'}},'any':{'type':'object',"
    "'additionalProperties':{'type':'string'}},'free':{'type':'object',"
    "'x-kubernetes-preserve-unknown-fields':true},'pattern':{'type':'array','items':{'type':"
    "'string','pattern':'^[a-z]([-a-z0-9]*[a-z0-9])?$','maxLength':20}},'defaults':{'type':'array',"
    "'items':{'type':'object','properties':{'d':{'type':'string','default':'x'}}}},'either':{"
    "'type':'array','items':{'type':'string','anyOf':[{'maxLength':1},{'maxLength':20}]}},'rule':{"
    "'type':'array','maxItems':2000,'items':{'type':'string','maxLength':20,"
    "'x-kubernetes-validations':[{'rule':'self != \\\"a\\\"'}]}}}}}}}}]}}";

/* |item| N or 2 N times, with commas between, in |before| and |after|. */
typedef struct text {
    const char *before, *item, *after;
} text;

typedef struct row {
    const char *name, *method, *target, *type;
    text stored; /* sent before with POST, or APPLY if is_applied; before NULL: nothing */
    text body;
    bool is_applied;
} row;

/* clang-format off */
static const row rows[] = {
    { "distinct items of a set", "POST", THINGS DRY, NULL, { 0 },
      { THING "'set':[", "'v#'", "]}}" }, false },
    { "equal items of a set", "POST", THINGS DRY, NULL, { 0 },
      { THING "'set':[", "'v'", "]}}" }, false },
    { "items of a map list", "POST", THINGS DRY, NULL, { 0 },
      { THING "'map':[", "{'k':1#,'v':'a'}", "]}}" }, false },
    { "equal items of a map list", "POST", THINGS DRY, NULL, { 0 },
      { THING "'map':[", "{'k':1}", "]}}" }, false },
    { "items of an atomic list", "POST", THINGS DRY, NULL, { 0 },
      { THING "'atomic':[", "'v#'", "]}}" }, false },
    { "items of the wrong type", "POST", THINGS DRY, NULL, { 0 },
      { THING "'atomic':[", "1#", "]}}" }, false },
    { "additional properties", "POST", THINGS DRY, NULL, { 0 },
      { THING "'any':{", "'k#':'v'", "}}}" }, false },
    { "additional properties that are null", "POST", THINGS DRY, NULL, { 0 },
      { THING "'any':{", "'k#':null", "}}}" }, false },
    { "preserved fields", "POST", THINGS DRY, NULL, { 0 },
      { THING "'free':{", "'k#':{'a':1}", "}}}" }, false },
    { "unknown fields", "POST", THINGS DRY, NULL, { 0 },
      { THING "'atomic':[],", "'u#':1", "}}" }, false },
    { "patterns", "POST", THINGS DRY, NULL, { 0 },
      { THING "'pattern':[", "'v-#'", "]}}" }, false },
    { "patterns that do not match", "POST", THINGS DRY, NULL, { 0 },
      { THING "'pattern':[", "'V-#'", "]}}" }, false },
    { "defaults", "POST", THINGS DRY, NULL, { 0 },
      { THING "'defaults':[", "{}", "]}}" }, false },
    { "anyOf", "POST", THINGS DRY, NULL, { 0 },
      { THING "'either':[", "'v#'", "]}}" }, false },
    { "rules", "POST", THINGS DRY, NULL, { 0 },
      { THING "'rule':[", "'v#'", "]}}" }, false },
    { "rules that fail", "POST", THINGS DRY, NULL, { 0 },
      { THING "'rule':[", "'a'", "]}}" }, false },
    { "properties of a definition", "POST", CRDS DRY, NULL, { 0 },
      { "{'metadata':{'name':'as.b.io'},'spec':{'group':'b.io','scope':'Cluster','names':{'plural':"
        "'as','kind':'A'},'versions':[{'name':'v1','served':true,'storage':true,'schema':{"
        "'openAPIV3Schema':{'type':'object','properties':{", "'p#':{'type':'string'}",
        "}}}}]}}" }, false },
    { "values of an enum", "POST", CRDS DRY, NULL, { 0 },
      { "{'metadata':{'name':'as.b.io'},'spec':{'group':'b.io','scope':'Cluster','names':{'plural':"
        "'as','kind':'A'},'versions':[{'name':'v1','served':true,'storage':true,'schema':{"
        "'openAPIV3Schema':{'type':'object','properties':{'e':{'type':'string','enum':[",
        "'v#'", "]}}}}}]}}" }, false },
    { "merge patch of a map list", "PATCH", THINGS "/t" DRY, MERGE,
      { THING "'map':[", "{'k':1#,'v':'a'}", "]}}" },
      { "{'spec':{'map':[", "{'k':1#,'v':'b'}", "]}}" }, false },
    { "merge patch of unknown fields", "PATCH", THINGS "/t" DRY, MERGE,
      { THING "'any':{", "'k#':'v'", "}}}" },
      { "{'spec':{", "'u#':'v'", "}}" }, false },
    { "merge patch that removes properties", "PATCH", THINGS "/t" DRY, MERGE,
      { THING "'any':{", "'k#':'v'", "}}}" },
      { "{'spec':{'any':{", "'k#':null", "}}}" }, false },
    { "apply of a map list on the same", "PATCH", THINGS "/t" FORCED "&dryRun=All", APPLY,
      { THING "'map':[", "{'k':1#,'v':'a'}", "]}}" },
      { THING "'map':[", "{'k':1#,'v':'b'}", "]}}" }, true },
    { "apply of a set on the same", "PATCH", THINGS "/t" FORCED "&dryRun=All", APPLY,
      { THING "'set':[", "'v#'", "]}}" },
      { THING "'set':[", "'w#'", "]}}" }, true },
    { "apply of a set by another manager", "PATCH",
      THINGS "/t?fieldManager=other&dryRun=All", APPLY,
      { THING "'set':[", "'v#'", "]}}" },
      { THING "'set':[", "'v#'", "]}}" }, true },
    { "apply that conflicts", "PATCH", THINGS "/t?fieldManager=other&dryRun=All", APPLY,
      { THING "'map':[", "{'k':1#,'v':'a'}", "]}}" },
      { THING "'map':[", "{'k':1#,'v':'b'}", "]}}" }, true },
    { "apply of many keys on the same", "PATCH", MAPS "/c" FORCED "&dryRun=All", APPLY,
      { CONFIG, "'k#':'v'", "}}" },
      { CONFIG, "'k#':'w'", "}}" }, true },
    { "apply that removes many keys", "PATCH", MAPS "/c" FORCED "&dryRun=All", APPLY,
      { CONFIG, "'k#':'v'", "}}" },
      { CONFIG, "'n#':'w'", "}}" }, true },
    { "update of many keys", "PUT", MAPS "/c" DRY, NULL,
      { CONFIG, "'k#':'v'", "}}" },
      { CONFIG, "'k#':'w'", "}}" }, true },
    { "ports of a NodePort service", "POST", SERVICES DRY, NULL, { 0 },
      { SERVICE, "{'name':'p#','port':@}", "]}}" }, false },
    { "equal ports of a NodePort service", "POST", SERVICES DRY, NULL, { 0 },
      { SERVICE, "{'name':'p#','port':80}", "]}}" }, false },
    { "update of a NodePort service", "PUT", SERVICES "/s" DRY, NULL,
      { SERVICE, "{'name':'p#','port':@}", "]}}" },
      { SERVICE, "{'name':'p#','port':@}", "]}}" }, true },
    { "YAML", "POST", MAPS DRY, "application/yaml", { 0 },
      { "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: b\n", "\n  k#: v",
        "\n" }, false },
    { "anchors in YAML", "POST", MAPS DRY, "application/yaml", { 0 },
      { "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: b\n", "\n  k#: &a# v",
        "\n" }, false },
    { "aliases in YAML", "POST", MAPS DRY, "application/yaml", { 0 },
      { "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: &a b\n", "\n  k#: *a",
        "\n" }, false },
};
/* clang-format on */

static void append(lw_buf *out, const char *from, unsigned number)
{
    for (; from && *from; from++) {
        if (*from == '#')
            lw_buf_printf(out, "%06u", number);
        else if (*from == '@')
            lw_buf_printf(out, "%u", 10000 + number);
        else
            lw_buf_append_char(out, *from == '\'' ? '"' : *from);
    }
}

static void write_text(lw_buf *out, const text *t, unsigned count)
{
    bool is_json = !t->item || t->item[0] != '\n';
    lw_buf_reset(out);
    append(out, t->before, 0);
    for (unsigned i = 0; t->item && i < count; i++) {
        if (i > 0 && is_json)
            lw_buf_append_char(out, ',');
        append(out, t->item, i);
    }
    append(out, t->after, 0);
}

/* Deletes what an earlier size has stored, and stores the object of this one. */
static void store(linear *run, const row *r, unsigned count)
{
    static const struct {
        lw_str target;
        const char *key, *create, *apply;
    } places[] = {
        { LW_STR_INIT(THINGS), "example.com/things/default/t", THINGS, THINGS "/t" FORCED },
        { LW_STR_INIT(MAPS), "configmaps/default/c", MAPS, MAPS "/c" FORCED },
        { LW_STR_INIT(SERVICES), "services/specs/default/s", SERVICES, SERVICES "/s" FORCED },
    };
    size_t at = 0;
    lw_buf body;
    if (!r->stored.before)
        return;
    while (!lw_str_starts_with(lw_str_of(r->target), places[at].target))
        at++;
    linear_request create = { "POST", places[at].create, NULL };
    linear_request apply = { "PATCH", places[at].apply, APPLY };
    lw_buf_init(&body, LINEAR_TEXT_MAX);
    linear_delete(run, places[at].key);
    write_text(&body, &r->stored, count);
    linear_send(run, r->is_applied ? &apply : &create, &body);
    lw_buf_done(&body);
}

void run_custom(linear *run)
{
    lw_buf body;
    linear_request define = { "POST", CRDS, NULL };
    lw_buf_init(&body, LINEAR_TEXT_MAX);
    append(&body, definition, 0);
    linear_send(run, &define, &body);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const row *r = &rows[i];
        linear_request request = { r->method, r->target, r->type };
        work cost[2];
        for (unsigned j = 0; j < 2; j++) {
            store(run, r, (j + 1) * LINEAR_N);
            write_text(&body, &r->body, (j + 1) * LINEAR_N);
            cost[j] = linear_measure(run, &request, &body);
        }
        linear_judge(run, r->name, cost[0], cost[1]);
    }
    lw_buf_done(&body);
}
