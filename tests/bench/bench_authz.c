/* SPDX-License-Identifier: Apache-2.0 */
/* bench_authz.c -- what one decision of the RBAC authorizer costs with 10,000 RoleBindings.
 *
 *     bench-authz [DECISIONS]
 *
 * valgrind --tool=callgrind counts the instructions of a run, whatever else the machine does. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api/authz/authz.h"
#include "base/str.h"
#include "json/tree.h"

enum {
    BINDINGS = 10000,
    NAMESPACES = 100,
    TEXT_SIZE = 512,
};

#define RULES                                                                                      \
    "{\"rules\":[{\"verbs\":[\"get\",\"list\",\"watch\"],\"apiGroups\":[\"\"],\"resources\":"      \
    "[\"pods\",\"services\"]},{\"verbs\":[\"*\"],\"apiGroups\":[\"apps\"],\"resources\":["         \
    "\"deployments\"]}]}"

/* How the bindings are shared out. */
typedef struct shape {
    const char *name;
    const char *subject; /* of binding number %d */
    const char *role;    /* of binding number %d; there are BINDINGS of them */
    unsigned namespaces;
    const char *user, *verb; /* who asks for what, in the namespace ns-7 */
    lw_authz_decision wanted;
} shape;

static const shape shapes[] = {
    { "10,000 users with one each: allowed", "user-%d", "role-0", NAMESPACES, "user-107", "get",
      LW_AUTHZ_ALLOW },
    { "10,000 users with one each: refused", "user-%d", "role-0", NAMESPACES, "user-107", "delete",
      LW_AUTHZ_NO_OPINION },
    { "one user with 10,000 in 100 namespaces: allowed", "ann", "role-0", NAMESPACES, "ann", "get",
      LW_AUTHZ_ALLOW },
    { "one user with 10,000 in 100 namespaces: refused", "ann", "role-0", NAMESPACES, "ann",
      "delete", LW_AUTHZ_NO_OPINION },
    { "one user, 100 different roles in each: allowed", "ann", "role-%d", NAMESPACES, "ann", "get",
      LW_AUTHZ_ALLOW },
    { "one user, 100 different roles in each: refused", "ann", "role-%d", NAMESPACES, "ann",
      "delete", LW_AUTHZ_NO_OPINION },
    { "a user without any: refused", "user-%d", "role-0", NAMESPACES, "eve", "get",
      LW_AUTHZ_NO_OPINION },
};

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(lw_status st)
{
    if (st < 0) {
        fprintf(stderr, "bench-authz: %s\n", lw_status_name(st));
        exit(1);
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static lw_str numbered(char text[TEXT_SIZE], const char *format, int number)
{
    (void)snprintf(text, TEXT_SIZE, format, number);
    return lw_str_of(text);
}
#pragma GCC diagnostic pop

static void fill(lw_rbac *rbac, const shape *s)
{
    char ns[TEXT_SIZE], name[TEXT_SIZE], role[TEXT_SIZE], subject[TEXT_SIZE], json[4 * TEXT_SIZE];
    lw_tree *tree = NULL;
    must(lw_tree_parse(&tree, lw_str_of(RULES), 0, NULL));
    for (int i = 0; i < BINDINGS; i++)
        must(lw_rbac_put_role(rbac, LW_STR(""), numbered(role, "role-%d", i), lw_tree_root(tree)));
    lw_tree_free(tree);
    for (int i = 0; i < BINDINGS; i++) {
        (void)numbered(role, s->role, i);
        (void)numbered(subject, s->subject, i);
        (void)snprintf(json, sizeof(json),
                       "{\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"%s\"},\"subjects\":[{"
                       "\"kind\":\"User\",\"name\":\"%s\"}]}",
                       role, subject);
        must(lw_tree_parse(&tree, lw_str_of(json), 0, NULL));
        must(lw_rbac_put_binding(rbac, numbered(ns, "ns-%d", i % (int)s->namespaces),
                                 numbered(name, "binding-%d", i), lw_tree_root(tree)));
        lw_tree_free(tree);
    }
}

static bool measure(const shape *s, long decisions)
{
    static const lw_authz_mode modes[] = { LW_AUTHZ_MODE_NODE, LW_AUTHZ_MODE_RBAC };
    static const lw_str groups[] = { LW_STR_INIT("team-a"), LW_STR_INIT("system:authenticated") };
    const lw_user user = { .name = lw_str_of(s->user), .groups = groups, .group_count = 2 };
    const lw_authz_attributes attributes = { .user = &user,
                                             .verb = lw_str_of(s->verb),
                                             .is_resource = true,
                                             .resource = LW_STR("pods"),
                                             .ns = LW_STR("ns-7"),
                                             .name = LW_STR("web") };
    lw_authz *authz = NULL;
    must(lw_authz_new(&authz, modes, 2, NULL));
    fill(lw_authz_rbac(authz), s);
    long wrong = 0;
    double start = now_ns();
    for (long i = 0; i < decisions; i++)
        wrong += lw_authz_decide(authz, &attributes, NULL) != s->wanted;
    double each = (now_ns() - start) / (double)decisions;
    lw_authz_free(authz);
    printf("decision, %-58s %6.3f us   (limit 1)\n", s->name, each / 1e3);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    long decisions = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    bool is_right = decisions > 0;
    for (size_t i = 0; is_right && i < sizeof(shapes) / sizeof(shapes[0]); i++)
        is_right = measure(&shapes[i], decisions);
    if (!is_right)
        fputs("bench-authz: a decision was wrong\n", stderr);
    return is_right ? 0 : 1;
}
