/* SPDX-License-Identifier: Apache-2.0 */
/* large_bodies_test.c -- bodies with very many members or elements take linear time.
 *
 * No time is measured: the counts are so large that an algorithm that compares each with each takes
 * minutes, which is longer than the test may, and one in linear time a fraction of a second.  Where
 * the comparisons were limited instead, the fault is at the very end of the list. */
#include "unit/api/sent.h"

#define CRDS       "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS     "/apis/example.com/v1/namespaces/default/things"

#define CONFIGMAPS DEFAULT "configmaps"
#define APPLY      "application/apply-patch+yaml"
#define STRATEGIC  "application/strategic-merge-patch+json"
#define YAML       "application/yaml"

#define A10        "aaaaaaaaaa"
#define A100       A10 A10 A10 A10 A10 A10 A10 A10 A10 A10
#define A1000      A100 A100 A100 A100 A100 A100 A100 A100 A100 A100

/* A definition whose spec is of the schema between these two. */
#define DEFINITION                                                                                 \
    "{'metadata':{'name':'things.example.com'},'spec':{'group':'example.com','scope':"             \
    "'Namespaced','names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':"   \
    "true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':"
#define DEFINITION_END "}}}}]}}"
#define LIST_OF(schema)                                                                            \
    DEFINITION "{'type':'object','properties':{'s':{'type':'array','items':" schema "}}"           \
               "}" DEFINITION_END
#define THING "{'metadata':{'name':'t'},'spec':{"

enum {
    MANY = 60 * 1000,
    STEPS_MAX = 3,
};

/* A text: |count| times |item|, between what is before and after; # is the number of the item, ' is
 * ".  Then the same with |item2|. */
typedef struct text {
    const char *before, *item;
    unsigned count;
    const char *between, *item2;
    unsigned count2;
    const char *after;
} text;

typedef struct step {
    const char *method, *target, *type; /* method NULL: no more steps */
    text body;
    int status;
    const char *part; /* of the answer; NULL: any */
} step;

typedef struct row {
    const char *name;
    step steps[STEPS_MAX];
} row;

/* Bodies; none, one or two items that are repeated. */
#define PLAIN(text)                                                                                \
    {                                                                                              \
        text, NULL, 0, NULL, NULL, 0, NULL                                                         \
    }
#define MANY_OF(before, item, count, after)                                                        \
    {                                                                                              \
        before, item, count, after, NULL, 0, NULL                                                  \
    }
#define TWO_OF(before, item, count, between, item2, count2, after)                                 \
    {                                                                                              \
        before, item, count, between, item2, count2, after                                         \
    }

static const row rows[] = {
    { "unknown fields are dropped",
      {
          { "POST", CONFIGMAPS, NULL, MANY_OF("{'metadata':{'name':'a'}", ",'u#':1", MANY, "}"),
            201, NULL },
      } },
    { "unknown fields are refused",
      {
          { "POST", CONFIGMAPS "?fieldValidation=Strict", NULL,
            MANY_OF("{'metadata':{'name':'a'}", ",'u#':1", MANY, "}"), 400,
            "strict decoding error: unknown field" },
      } },
    { "unknown fields in YAML are dropped",
      {
          { "POST", CONFIGMAPS, YAML,
            MANY_OF("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "u#: 1\n", MANY, ""),
            201, NULL },
      } },
    { "unknown fields of a merge patch are dropped",
      {
          { "POST", CONFIGMAPS, NULL, PLAIN("{'metadata':{'name':'a'}}"), 201, NULL },
          { "PATCH", CONFIGMAPS "/a", MERGE_PATCH, MANY_OF("{'u':1", ",'u#':1", MANY, "}"), 200,
            NULL },
      } },
    { "unknown fields of a strategic merge patch are dropped",
      {
          { "POST", CONFIGMAPS, NULL, PLAIN("{'metadata':{'name':'a'}}"), 201, NULL },
          { "PATCH", CONFIGMAPS "/a", STRATEGIC, MANY_OF("{'u':1", ",'u#':1", MANY, "}"), 200,
            NULL },
      } },
    { "members that a merge patch removes go",
      {
          { "POST", CONFIGMAPS, NULL,
            MANY_OF("{'metadata':{'name':'a'},'data':{'k':'v'", ",'k#':'v'", MANY / 2, "}}"), 201,
            NULL },
          { "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
            MANY_OF("{'data':{'k':'w'", ",'k#':null", MANY / 2, "}}"), 200,
            "\"data\":{\"k\":\"w\"}" },
      } },
    { "fields of apply have managers",
      {
          { "PATCH", CONFIGMAPS "/a?fieldManager=m", APPLY,
            MANY_OF("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'k':'v'",
                    ",'k#':'v'", MANY / 4, "}}"),
            201, NULL },
          { "PATCH", CONFIGMAPS "/a?fieldManager=m", APPLY,
            PLAIN(
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'k':'w'}}"),
            200, "\"data\":{\"k\":\"w\"}" },
      } },
    { "unknown fields of custom resources are pruned",
      {
          { "POST", CRDS, NULL, PLAIN(LIST_OF("{'type':'string'}")), 201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['a']", ",'u#':1", MANY, "}}"), 201, NULL },
      } },
    { "nulls of custom resources are dropped",
      {
          { "POST", CRDS, NULL,
            PLAIN(DEFINITION
                  "{'type':'object','additionalProperties':{'type':'string'}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'k':'v'", ",'u#':null", MANY, "}}"), 201,
            "\"spec\":{\"k\":\"v\"}" },
      } },
    { "types of limits differ",
      {
          { "POST", DEFAULT "limitranges", NULL,
            MANY_OF("{'metadata':{'name':'l'},'spec':{'limits':[{'type':'Pod'}",
                    ",{'type':'x.io/t#'}", MANY, ",{'type':'Pod'}]}}"),
            422, "spec.limits[60001].type: Duplicate value: \\\"Pod\\\"" },
      } },
    { "scopes of a quota are compared with its resources",
      {
          { "POST", DEFAULT "resourcequotas", NULL,
            TWO_OF("{'metadata':{'name':'q'},'spec':{'hard':{'pods':'1'", ",'x.io/r#':'1'",
                   MANY / 2, "},'scopes':['Terminating'", ",'Terminating'", MANY, "]}}"),
            201, NULL },
      } },
    { "a list that is shown with each of its faults is cut",
      {
          { "POST", DEFAULT "resourcequotas", NULL,
            MANY_OF("{'metadata':{'name':'q'},'spec':{'hard':{'pods':'1'},'scopes':['Terminating'",
                    ",'scope-of-a-long-name-#'", MANY, "]}}"),
            422, "spec.scopes: Invalid value: ...: unsupported scope" },
      } },
    { "a value that is too long to be shown is a fault all the same",
      {
          { "POST", DEFAULT "configmaps", NULL,
            MANY_OF("{'metadata':{'name':'a','labels':{'k':'", "very-long#", MANY * 2, "'}}}"), 422,
            "metadata.labels: Invalid value: ... (too long to be shown)" },
      } },
    { "names of a service's ports differ",
      {
          { "POST", DEFAULT "services", NULL,
            MANY_OF(
                "{'metadata':{'name':'s'},'spec':{'ports':[{'name':'a','port':1,'protocol':'UDP'}",
                ",{'name':'p#','port':#}", MANY / 2,
                ",{'name':'p29999','port':2,'protocol':'UDP'}]}}"),
            422, "spec.ports[30001].name: Duplicate value: \\\"p29999\\\"" },
      } },
    { "numbers of a service's ports differ",
      {
          { "POST", DEFAULT "services", NULL,
            MANY_OF(
                "{'metadata':{'name':'s'},'spec':{'ports':[{'name':'a','port':1,'protocol':'UDP'}",
                ",{'name':'p#','port':#}", MANY / 2, ",{'name':'z','port':29999}]}}"),
            422, "spec.ports[30001]: Duplicate value" },
      } },
    { "names of volumes differ",
      {
          { "POST", DEFAULT "pods", NULL,
            MANY_OF("{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}],'"
                    "volumes':["
                    "{'name':'v'}",
                    ",{'name':'v#'}", MANY / 2, ",{'name':'v29999'}]}}"),
            422, "spec.volumes[30001].name: Duplicate value: \\\"v29999\\\"" },
      } },
    { "volumes are found by those who mount them",
      {
          { "POST", DEFAULT "pods", NULL,
            TWO_OF("{'metadata':{'name':'p'},'spec':{'volumes':[{'name':'v'}", ",{'name':'v#'}",
                   MANY / 4,
                   "],'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath'"
                   ":'/m'}",
                   ",{'name':'v#','mountPath':'/m#'}", MANY / 4,
                   ",{'name':'v','mountPath':'/m14999'}]}]}}"),
            422,
            "is invalid: spec.containers[0].volumeMounts[15001].mountPath: Invalid value: "
            "\\\"/m14999\\\": must be unique\"" },
      } },
    { "names of a container's ports differ",
      {
          { "POST", DEFAULT "pods", NULL,
            MANY_OF(
                "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','ports':["
                "{'name':'a','containerPort':1}",
                ",{'name':'p#','containerPort':1}", MANY / 2,
                ",{'name':'p29999','containerPort':1}]}]}}"),
            422, "spec.containers[0].ports[30001].name: Duplicate value: \\\"p29999\\\"" },
      } },
    { "values are looked for in an enum",
      {
          { "POST", CRDS, NULL,
            MANY_OF(DEFINITION "{'type':'object','properties':{'s':{'type':'array','items':{'type':"
                               "'string','enum':['e'",
                    ",'e#'", MANY / 2, "]}}}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['e'", ",'e29999'", MANY, "]}}"), 201, NULL },
      } },
    { "schemas with many properties have few defaults",
      {
          { "POST", CRDS, NULL,
            MANY_OF(DEFINITION "{'type':'object','properties':{'s':{'type':'array','items':{'type':"
                               "'object','properties':{'d':{'type':'string','default':'x'}",
                    ",'p#':{'type':'string'}", 15000, "}}}}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':[{}", ",{}", MANY, "]}}"), 201,
            "{\"d\":\"x\"}" },
      } },
    { "properties may all be required",
      {
          { "POST", CRDS, NULL,
            TWO_OF(DEFINITION "{'type':'object','properties':{'p':{'type':'string'}",
                   ",'p#':{'type':'string'}", MANY / 2, "},'required':['p'", ",'q#'", MANY,
                   "]}" DEFINITION_END),
            201, NULL },
      } },
    { "elements of a list by key are compared with what they were",
      {
          { "POST", CRDS, NULL,
            PLAIN(DEFINITION
                  "{'type':'object','properties':{'s':{'type':'array','x-kubernetes-list-type'"
                  ":'map','x-kubernetes-list-map-keys':['k'],'items':{'type':'object',"
                  "'required':['k'],'properties':{'k':{'type':'integer'},'v':{'type':"
                  "'string','maxLength':1}}}}}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':[{'k':-1}", ",{'k':#,'v':'a'}", 8000, "]}}"),
            201, NULL },
          { "PATCH", THINGS "/t", MERGE_PATCH,
            MANY_OF("{'spec':{'s':[{'k':-1,'v':'b'}", ",{'k':#,'v':'b'}", 8000, "]}}"), 200, NULL },
      } },
    { "a pattern is matched within a budget",
      {
          { "POST", CRDS, NULL, PLAIN(LIST_OF("{'type':'string','pattern':'(a?){900}a{900}$'}")),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['" A1000 "'", ",'" A1000 "b'", 500, "]}}"),
            422, "but the match takes too long: use a simpler pattern or a shorter value" },
      } },
    { "patterns of a usual size may be matched with very many values",
      {
          { "POST", CRDS, NULL,
            PLAIN(LIST_OF("{'type':'string','pattern':'^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'}")), 201,
            NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['a'", ",'abc-d-#'", 2 * MANY, "]}}"), 201,
            NULL },
      } },
    { "a pattern that is too large is refused",
      {
          { "POST", CRDS, NULL,
            PLAIN(LIST_OF("{'type':'string','pattern':'(a?){1000}(b?){1000}$'}")), 422,
            "the pattern is too large (more than 4096 steps when its repetitions are written "
            "out)" },
      } },
    { "a body of 3 MB of an ordinary shape is accepted",
      {
          { "POST", CRDS, NULL,
            PLAIN(DEFINITION
                  "{'type':'object','additionalProperties':{'type':'string'}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'k':'v'", ",'key-#':'" A100 "'", 25000, "}}"), 201,
            NULL },
      } },
    { "YAML that takes too much work to read is refused",
      {
          { "POST", CONFIGMAPS, YAML,
            MANY_OF("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nu:\n", "- 1\n",
                    780 * 1000, ""),
            413,
            "Request entity too large: the request takes too much work: it has used up its 4500000 "
            "steps while reading the body; send fewer fields and list items in one request" },
          { "GET", CONFIGMAPS "/a", NULL, PLAIN(""), 404, NULL },
      } },
    { "a merge patch that takes too much work is refused",
      {
          { "POST", CONFIGMAPS, NULL, PLAIN("{'metadata':{'name':'a'},'data':{'k':'v'}}"), 201,
            NULL },
          { "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
            MANY_OF("{'data':{'k':'v'", ",'k#':'v'", 230 * 1000, "}}"), 413,
            "the request takes too much work: it has used up its 4500000 steps while " },
          { "GET", CONFIGMAPS "/a", NULL, PLAIN(""), 200, "\"metadata\":{\"name\":\"a\"" },
      } },
    { "an object that takes too much work to validate against its schema is refused",
      {
          { "POST", CRDS, NULL,
            PLAIN(DEFINITION
                  "{'type':'object','properties':{'s':{'type':'array','x-kubernetes-list-type':"
                  "'set','items':{'type':'string'}}}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['v'", ",'v'", 700 * 1000, "]}}"), 422,
            "steps while validating against the schema; send fewer or shorter values, or simplify "
            "the schema of the resource" },
          { "GET", THINGS "/t", NULL, PLAIN(""), 404, NULL },
      } },
    { "duplicates of a set are reported up to a limit",
      {
          { "POST", CRDS, NULL,
            PLAIN(DEFINITION
                  "{'type':'object','properties':{'s':{'type':'array','x-kubernetes-list-type':"
                  "'set','items':{'type':'string'}}}}" DEFINITION_END),
            201, NULL },
          { "POST", THINGS, NULL, MANY_OF(THING "'s':['v'", ",'v'", MANY, "]}}"), 422,
            "spec.s[1]: Duplicate value: \\\"v\\\"" },
      } },
    { "unknown fields of a merge patch of a custom resource are warned of",
      {
          { "POST", CRDS, NULL, PLAIN(LIST_OF("{'type':'string'}")), 201, NULL },
          { "POST", THINGS, NULL, PLAIN(THING "'s':['a']}}"), 201, NULL },
          { "PATCH", THINGS "/t", MERGE_PATCH, MANY_OF("{'spec':{'u':1", ",'u#':1", MANY, "}}"),
            200, NULL },
      } },
    { "node ports of a service are looked for in an index",
      {
          { "POST", DEFAULT "services", NULL,
            MANY_OF("{'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'name':'a',"
                    "'port':65535}",
                    ",{'name':'p#','port':#,'protocol':'UDP'}", MANY / 2, "]}}"),
            422, "spec.ports[2768].nodePort: Invalid value: 0: range is full" },
      } },
    { "the node port of the last of many ports is checked",
      {
          { "POST", DEFAULT "services", NULL,
            MANY_OF("{'metadata':{'name':'s'},'spec':{'ports':[{'name':'a','port':65535}",
                    ",{'name':'p#','port':#,'protocol':'UDP'}", MANY / 30,
                    ",{'name':'z','port':65534,'nodePort':30000}]}}"),
            422,
            "spec.ports[2001].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'" },
      } },
    { "very many patterns are refused",
      {
          { "POST", CRDS, NULL,
            MANY_OF(DEFINITION "{'type':'object','properties':{'p':{'type':'string'}",
                    ",'p#':{'type':'string','pattern':'^[a-z]{1000}$'}", MANY / 2,
                    "}}" DEFINITION_END),
            422, "the patterns of the schema are too large in total" },
      } },
};

/* Appends |from| with |number| for # and " for '. */
static void append(lw_buf *out, const char *from, unsigned number)
{
    for (; from && *from; from++) {
        if (*from == '#')
            lw_buf_append_uint(out, number);
        else
            lw_buf_append_char(out, *from == '\'' ? '"' : *from);
    }
}

static void write_body(lw_buf *out, const text *body)
{
    append(out, body->before, 0);
    for (unsigned i = 0; i < body->count; i++)
        append(out, body->item, i);
    append(out, body->between, 0);
    for (unsigned i = 0; i < body->count2; i++)
        append(out, body->item2, i);
    append(out, body->after, 0);
    lw_buf_append_char(out, '\0');
    assert_int_equal(out->st, LW_OK);
}

static void send_steps(void **state)
{
    const row *all = *state;
    api_world world;
    lw_error err = LW_ERROR_INIT;
    lw_buf body;
    lw_buf_init(&body, 16 * 1024 * 1024);
    assert_int_equal(api_world_open(&world, &err), LW_OK);
    assert_int_equal(lw_api_seed(world.api, &err), LW_OK);
    for (size_t i = 0; i < STEPS_MAX && all->steps[i].method; i++) {
        const step *s = &all->steps[i];
        lw_buf_reset(&body);
        write_body(&body, &s->body);
        fake_http *http = send_off(&world, s->method, s->target, s->type, body.data);
        assert_non_null(http);
        await(&world, http);
        int shown = http->body.len < 500 ? (int)http->body.len : 500;
        if (http->status != s->status)
            fail_msg("%s %s: %d instead of %d: %.*s", s->method, s->target, http->status, s->status,
                     shown, http->body.data);
        if (s->part && !memmem(http->body.data, http->body.len, s->part, strlen(s->part)))
            fail_msg("%s %s: no %s in %.*s", s->method, s->target, s->part, shown, http->body.data);
        fake_http_free(http);
    }
    api_world_close(&world);
    lw_buf_done(&body);
}

int main(void)
{
    struct CMUnitTest tests[sizeof(rows) / sizeof(rows[0])];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = send_steps,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
