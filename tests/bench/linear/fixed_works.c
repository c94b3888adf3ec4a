/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_works.c -- guards the cost of fixed pieces of work: each takes as many basic blocks as the
 * file of counts says (work_meter.h), within 3 %.
 *
 *     fixed-works COUNTS           compares
 *     fixed-works COUNTS --write   replaces the file, after a change that is meant
 *
 * The counts belong to one compiler and one architecture; elsewhere the test is skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch/object_list.h>

#include "api/authz/authz.h"
#include "base/str.h"
#include "bench/linear/linear.h"
#include "json/tree.h"

#define TOLERANCE 0.03
#define PODS      "/api/v1/namespaces/default/pods"
#define MAPS      "/api/v1/namespaces/default/configmaps"
#define CRDS      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS    "/apis/example.com/v1/namespaces/default/things"

enum {
    LIST_PODS = 1000,
    WATCHERS = 100,
    TARGET_SIZE = 256,
    WORKS_MAX = 16,
    BINDINGS = 100,
    DECISIONS = 100,
};

/* In the texts, ' is a quotation mark and # the number of the request. */
typedef struct request_work {
    const char *name, *method, *target, *type, *accept, *body;
    unsigned times;
} request_work;

#define POD_SPEC                                                                                   \
    "'spec':{'nodeName':'node-#','containers':[{'name':'web','image':'example.com/web:1','args':"  \
    "['--port=80'],'env':[{'name':'A','value':'1'},{'name':'B','value':'2'}],'ports':["            \
    "{'containerPort':80}],'resources':{'requests':{'cpu':'100m','memory':'64Mi'}}}],"             \
    "'volumes':[{'name':'v','emptyDir':{}}]}"
#define POD                                                                                        \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p-#','labels':{'app':'web','n':'#'}}"     \
    "," POD_SPEC "}"

static const char definition[] =
    "{'metadata':{'name':'things.example.com'},'spec':{'group':'example.com','scope':'Namespaced',"
    "'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':"
    "true,'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{'type':'object',"
    "'x-kubernetes-validations':[{'rule':'self.parts.all(p, p.size() < 10) && self.low <= "
    "self.high'}],'properties':{'low':{'type':'integer'},'high':{'type':'integer'},'parts':{'type':"
    "'array','maxItems':20,'items':{'type':'string','maxLength':20}}}}}}}}]}}";

static const request_work requests[] = {
    { "create a pod", "POST", PODS, NULL, NULL, POD, LIST_PODS },
    { "merge patch of a pod's status", "PATCH", PODS "/p-#/status", "application/merge-patch+json",
      NULL, "{'status':{'phase':'Running','podIP':'10.0.0.1'}}", 50 },
    { "JSON patch of a pod's labels", "PATCH", PODS "/p-#", "application/json-patch+json", NULL,
      "[{'op':'test','path':'/metadata/labels/app','value':'web'},{'op':'add','path':"
      "'/metadata/labels/x','value':'y'}]",
      50 },
    { "apply a config map", "PATCH", MAPS "/c-#?fieldManager=m", "application/apply-patch+yaml",
      NULL,
      "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c-#','labels':{'a':'b'}},'data':{"
      "'one':'1','two':'2','three':'3'}}",
      50 },
    { "apply other values to it", "PATCH", MAPS "/c-#?fieldManager=m",
      "application/apply-patch+yaml", NULL,
      "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c-#','labels':{'a':'b'}},'data':{"
      "'one':'1','two':'4'}}",
      50 },
    { "create a custom resource with a CEL rule", "POST", THINGS, NULL, NULL,
      "{'apiVersion':'example.com/v1','kind':'Thing','metadata':{'name':'t-#'},'spec':{'low':1,"
      "'high':2,'parts':['a','b','c','d','e']}}",
      50 },
    { "list 1,000 pods by label", "GET", PODS "?labelSelector=n%3D500", NULL, NULL, NULL, 2 },
    { "list 1,000 pods by field", "GET", PODS "?fieldSelector=spec.nodeName%3Dnode-500", NULL, NULL,
      NULL, 2 },
    { "list 1,000 pods in protobuf, encoding them", "GET", PODS, NULL,
      "application/vnd.kubernetes.protobuf", NULL, 1 },
    { "list 1,000 pods as a table", "GET", PODS, NULL,
      "application/json;as=Table;v=v1;g=meta.k8s.io", NULL, 1 },
};

/* Appends |text|, written as above, and a NUL that does not count. */
static void expand(lw_buf *out, const char *text, unsigned number)
{
    lw_buf_reset(out);
    for (const char *at = text ? text : ""; *at; at++) {
        if (*at == '#')
            lw_buf_printf(out, "%u", number);
        else
            lw_buf_append_char(out, *at == '\'' ? '"' : *at);
    }
}

static fake_http *ask(linear *run, const request_work *w, unsigned number, lw_buf *body)
{
    char target[TARGET_SIZE];
    lw_buf text;
    lw_buf_init(&text, TARGET_SIZE);
    expand(&text, w->target, number);
    (void)snprintf(target, sizeof(target), "%.*s", (int)text.len, text.data);
    lw_buf_done(&text);
    expand(body, w->body, number);
    fake_http_request sent = { .method = w->method, .target = target, .body = lw_buf_view(body) };
    size_t headers = 0;
    if (w->type) {
        sent.headers[headers++] = "content-type";
        sent.headers[headers++] = w->type;
    }
    if (w->accept) {
        sent.headers[headers++] = "accept";
        sent.headers[headers++] = w->accept;
    }
    fake_http *http = api_world_ask(&run->world, &sent);
    if (!http || body->st < 0)
        abort();
    return http;
}

static void finish(linear *run, fake_http *http)
{
    while (!http->is_ended)
        (void)lw_loop_turn(run->world.loop, 1000, NULL);
    if (http->status / 100 == 2)
        return;
    (void)fprintf(stderr, "HTTP %d: %.*s\n", http->status, (int)http->body.len, http->body.data);
    abort();
}

/* Returns the blocks of one request, on average. */
static uint64_t measure_requests(linear *run, const request_work *w)
{
    lw_buf body;
    uint64_t blocks = 0;
    lw_buf_init(&body, LINEAR_TEXT_MAX);
    for (unsigned i = 0; i < w->times; i++) {
        uint64_t before = work_meter_read().blocks;
        fake_http *http = ask(run, w, i, &body);
        finish(run, http);
        blocks += work_meter_read().blocks - before;
        fake_http_free(http);
    }
    lw_buf_done(&body);
    return blocks / w->times;
}

/* Returns the blocks that a change of config map c-0 takes with WATCHERS watches at |target|. */
static uint64_t measure_watchers(linear *run, const char *target)
{
    static const request_work change = { NULL,
                                         "PATCH",
                                         MAPS "/c-0",
                                         "application/merge-patch+json",
                                         NULL,
                                         "{'data':{'changed':'#'}}",
                                         1 };
    fake_http *watches[WATCHERS];
    lw_buf body;
    const request_work watch = { .method = "GET", .target = target };
    static unsigned number;
    lw_buf_init(&body, LINEAR_TEXT_MAX);
    for (unsigned i = 0; i < WATCHERS; i++)
        watches[i] = ask(run, &watch, i, &body);
    api_world_turns(&run->world, 4);
    uint64_t before = work_meter_read().blocks;
    fake_http *http = ask(run, &change, ++number, &body);
    finish(run, http);
    api_world_turns(&run->world, 4);
    uint64_t blocks = work_meter_read().blocks - before;
    fake_http_free(http);
    for (unsigned i = 0; i < WATCHERS; i++)
        fake_http_free(watches[i]);
    api_world_turns(&run->world, 4);
    lw_buf_done(&body);
    return blocks;
}

/* Returns the blocks of reading a list of LIST_PODS pods into objects. */
static uint64_t measure_scan(linear *run)
{
    fake_http *http = api_world_get(&run->world, PODS, NULL);
    lw_object_list *list = NULL;
    if (!http)
        abort();
    finish(run, http);
    uint64_t before = work_meter_read().blocks;
    lw_status st = lw_object_list_from_json(&list, http->body.data, http->body.len, NULL, NULL);
    uint64_t blocks = work_meter_read().blocks - before;
    if (st < 0 || lw_object_list_count(list) != LIST_PODS)
        abort();
    lw_object_list_free(list);
    fake_http_free(http);
    return blocks;
}

static lw_tree *parse(lw_buf *text)
{
    lw_tree *tree = NULL;
    if (text->st < 0 || lw_tree_parse(&tree, lw_buf_view(text), 0, NULL) < 0)
        abort();
    return tree;
}

/* One role, and BINDINGS bindings of it to different users. */
static void fill_rbac(lw_rbac *rbac)
{
    static const char role[] =
        "{'rules':[{'verbs':['get','list','watch'],'apiGroups':[''],'resources':['pods']}]}";
    static const char binding[] = "{'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{"
                                  "'kind':'User','name':'user-#'}]}";
    lw_buf text;
    lw_buf_init(&text, LINEAR_TEXT_MAX);
    expand(&text, role, 0);
    lw_tree *tree = parse(&text);
    lw_status st = lw_rbac_put_role(rbac, LW_STR(""), LW_STR("reader"), lw_tree_root(tree));
    lw_tree_free(tree);
    for (unsigned i = 0; i < BINDINGS && st == LW_OK; i++) {
        char name[LINEAR_NAME_SIZE];
        (void)snprintf(name, sizeof(name), "binding-%u", i);
        expand(&text, binding, i);
        tree = parse(&text);
        st = lw_rbac_put_binding(rbac, LW_STR("default"), lw_str_of(name), lw_tree_root(tree));
        lw_tree_free(tree);
    }
    lw_buf_done(&text);
    if (st < 0)
        abort();
}

/* Returns the blocks of a decision about a user who has one of the bindings. */
static uint64_t measure_decision(void)
{
    static const lw_authz_mode modes[] = { LW_AUTHZ_MODE_NODE, LW_AUTHZ_MODE_RBAC };
    static const lw_str groups[] = { LW_STR_INIT("system:authenticated") };
    const lw_user user = { .name = LW_STR("user-7"), .groups = groups, .group_count = 1 };
    const lw_authz_attributes attributes = { .user = &user,
                                             .verb = LW_STR("get"),
                                             .is_resource = true,
                                             .resource = LW_STR("pods"),
                                             .ns = LW_STR("default"),
                                             .name = LW_STR("web") };
    lw_authz *authz = NULL;
    if (lw_authz_new(&authz, modes, 2, NULL) < 0)
        abort();
    fill_rbac(lw_authz_rbac(authz));
    uint64_t before = work_meter_read().blocks;
    if (lw_authz_decide(authz, &attributes, NULL) != LW_AUTHZ_ALLOW)
        abort();
    uint64_t blocks = work_meter_read().blocks - before;
    lw_authz_free(authz);
    return blocks;
}

/* Returns the blocks of DECISIONS decisions.  Each has tables of its own, because how often their
 * keys collide is left to chance. */
static uint64_t measure_rbac(void)
{
    uint64_t blocks = 0;
    for (unsigned i = 0; i < DECISIONS; i++)
        blocks += measure_decision();
    return blocks;
}

typedef struct result {
    const char *name;
    uint64_t blocks;
} result;

static size_t measure_all(linear *run, result results[WORKS_MAX])
{
    static const request_work crd = { NULL, "POST", CRDS, NULL, NULL, definition, 1 };
    size_t count = 0;
    (void)measure_requests(run, &crd);
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        results[count++] = (result){ requests[i].name, measure_requests(run, &requests[i]) };
    results[count++] = (result){ "read a list of 1,000 pods", measure_scan(run) };
    results[count++] = (result){ "a change for 100 watchers",
                                 measure_watchers(run, MAPS "?watch=1&resourceVersion=0") };
    results[count++] = (result){
        "a change with 100 watchers of other namespaces",
        measure_watchers(run, "/api/v1/namespaces/n-#/configmaps?watch=1&resourceVersion=0"),
    };
    results[count++] = (result){ "100 RBAC decisions", measure_rbac() };
    return count;
}

static bool write_counts(const char *path, const result *results, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (size_t i = 0; i < count; i++)
        (void)fprintf(file, "%llu %s\n", (unsigned long long)results[i].blocks, results[i].name);
    return fclose(file) == 0;
}

/* Returns the count of |name| in the file; 0: it has none. */
static uint64_t expected_of(const char *path, const char *name)
{
    char line[TARGET_SIZE];
    uint64_t found = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        char *end;
        unsigned long long blocks = strtoull(line, &end, 10);
        end[strcspn(end, "\n")] = '\0';
        if (*end == ' ' && strcmp(end + 1, name) == 0)
            found = blocks;
    }
    if (file)
        (void)fclose(file);
    return found;
}

static int compare(const char *path, const result *results, size_t count)
{
    int failed = 0;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        uint64_t expected = expected_of(path, results[i].name);
        double change = expected > 0 ? (double)results[i].blocks / (double)expected - 1 : 1;
        bool is_good = change <= TOLERANCE && change >= -TOLERANCE;
        failed += !is_good;
        printf("%s %zu - %s: %llu blocks, %+.1f %% of %llu\n", is_good ? "ok" : "not ok", i + 1,
               results[i].name, (unsigned long long)results[i].blocks, change * 100,
               (unsigned long long)expected);
    }
    if (failed > 0)
        printf("# If the change is meant, write the counts again: fixed-works %s --write\n", path);
    return failed > 0;
}

/* Returns why the counts do not hold here; NULL: they do. */
static const char *foreign(void)
{
#if !defined(__x86_64__) || defined(__clang__) || __GNUC__ != 12 || !defined(__OPTIMIZE__) ||      \
    defined(NDEBUG)
    return "the counts are of gcc 12 on x86-64, optimised, with assertions";
#else
    return __builtin_cpu_supports("avx2") ? NULL : "the counts are of a CPU with AVX2";
#endif
}

int main(int argc, char **argv)
{
    linear run = { 0 };
    result results[WORKS_MAX];
    const char *reason = foreign();
    if (argc < 2)
        return 2;
    if (reason) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    work_meter_start();
    if (!linear_open(&run)) {
        printf("1..1\nnot ok 1 - the server starts\n");
        return 1;
    }
    size_t count = measure_all(&run, results);
    linear_close(&run);
    if (argc > 2 && strcmp(argv[2], "--write") == 0)
        return !write_counts(argv[1], results, count);
    return compare(argv[1], results, count);
}
