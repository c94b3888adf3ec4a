/* SPDX-License-Identifier: Apache-2.0 */
/* file_test.c -- one kubeconfig file: what is taken, and how it is refused. */
#include "kubeconfig/file.h"

#include <fcntl.h>

#include "base/str.h"
#include "base/sync.h"
#include "kubeconfig/whole_file.h"
#include "unit/kubeconfig/place.h"

typedef struct parsed {
    lw_kube_file file;
    lw_status st;
    lw_error err;
} parsed;

static parsed parse_bytes(lw_str text)
{
    parsed p = { .err = LW_ERROR_INIT };
    p.st = lw_kube_file_parse(&p.file, "/etc/kube/config", text, &p.err);
    return p;
}

static parsed parse(const char *text)
{
    return parse_bytes(lw_str_of(text));
}

static void refuses(const char *text, lw_status st, const char *word)
{
    parsed p = parse(text);
    assert_int_equal(p.st, st);
    if (!strstr(p.err.message, word) || !strstr(p.err.message, "/etc/kube/config"))
        fail_msg("the message is: %s", p.err.message);
    lw_kube_file_done(&p.file);
}

static void finds_entries_by_name(void **state)
{
    (void)state;
    parsed p = parse("apiVersion: v1\nkind: Config\ncurrent-context: a\n"
                     "clusters:\n- name: one\n  cluster: {server: x}\n- name: two\n"
                     "contexts:\n- {name: a, context: {cluster: one}}\n"
                     "users: null\npreferences: {}\nunknown: [1]\n");
    assert_int_equal(p.st, LW_OK);
    assert_str_equal(p.file.current_context, "a");
    const lw_kube_entry *one = lw_kube_file_find(&p.file, LW_KUBE_CLUSTERS, LW_STR("one"));
    assert_non_null(one);
    assert_str_equal(lw_node_text(lw_node_get(one->body, LW_STR("server"))), "x");
    const lw_kube_entry *two = lw_kube_file_find(&p.file, LW_KUBE_CLUSTERS, LW_STR("two"));
    assert_non_null(two);
    assert_null(two->body);
    assert_null(lw_kube_file_find(&p.file, LW_KUBE_USERS, LW_STR("one")));
    assert_string_equal(p.file.dir, "/etc/kube");
    lw_kube_file_done(&p.file);
}

static void json_is_taken_too(void **state)
{
    (void)state;
    parsed p = parse("{\"kind\":\"Config\",\"apiVersion\":\"v1\",\"users\":[{\"name\":\"u\"}]}");
    assert_int_equal(p.st, LW_OK);
    assert_non_null(lw_kube_file_find(&p.file, LW_KUBE_USERS, LW_STR("u")));
    lw_kube_file_done(&p.file);
}

static void an_empty_file_has_nothing(void **state)
{
    (void)state;
    const char *const empty[] = { "", "\n", "# nothing\n", "---\n", "null", "{}" };
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        parsed p = parse(empty[i]);
        assert_int_equal(p.st, LW_OK);
        assert_null(lw_kube_file_find(&p.file, LW_KUBE_CONTEXTS, LW_STR("")));
        lw_kube_file_done(&p.file);
    }
}

static void what_is_wrong_is_said_with_file_and_field(void **state)
{
    (void)state;
    refuses("clusters: {", LW_ERR_SYNTAX, "line");
    refuses("[1, 2]", LW_ERR_INVALID, "not an object");
    refuses("just text", LW_ERR_INVALID, "is this a kubeconfig");
    refuses("kind: Pod", LW_ERR_INVALID, "kind is \"Pod\"");
    refuses("kind: 7", LW_ERR_INVALID, "kind must be a string");
    refuses("apiVersion: v2", LW_ERR_INVALID, "apiVersion is \"v2\"");
    refuses("current-context: [a]", LW_ERR_INVALID, "current-context must be a string");
    refuses("current-context: \"a\\0b\"", LW_ERR_INVALID, "NUL");
    refuses("clusters: 5", LW_ERR_INVALID, "clusters must be a list");
    refuses("users: [5]", LW_ERR_INVALID, "users[0] must have a name");
    refuses("users: [{name: a}, {user: {}}]", LW_ERR_INVALID, "users[1] must have a name");
    refuses("users: [{name: \"a\\0b\"}]", LW_ERR_INVALID, "users[0] must have a name");
    refuses("contexts: [{name: a, context: 3}]", LW_ERR_INVALID, "contexts[0].context must be");
    refuses("users: [{name: a}, {name: b}, {name: a}]", LW_ERR_INVALID, "two entries named \"a\"");
    refuses("kind: Config\n---\nkind: Config\n", LW_ERR_INVALID, "more than one document");
    refuses("a: *nowhere", LW_ERR_SYNTAX, "line");
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    parsed p = parse_bytes(lw_str_make("kind: Config\0", 13));
    assert_int_equal(p.st, LW_ERR_SYNTAX);
    lw_kube_file_done(&p.file);
}

static void things_that_hold_themselves_are_refused(void **state)
{
    (void)state;
    parsed p = parse("users: &a [{name: x, user: *a}]\n");
    assert_true(p.st < 0);
    lw_kube_file_done(&p.file);
}

static void a_billion_laughs_are_refused(void **state)
{
    (void)state;
    parsed p =
        parse("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
              "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
              "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
              "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g,*g]\n"
              "users: [*h,*h,*h,*h,*h,*h,*h,*h,*h]\n");
    assert_int_equal(p.st, LW_ERR_LIMIT);
    lw_kube_file_done(&p.file);
}

static lw_status read_path(const char *path, lw_error *err)
{
    lw_kube_file file;
    lw_status st = lw_kube_file_read(&file, path, err);
    lw_kube_file_done(&file);
    return st;
}

static void a_file_too_large_is_refused(void **state)
{
    place *p = *state;
    place_write(p, "big", "");
    assert_int_equal(truncate(place_path(p, "big"), LW_WHOLE_FILE_LIMIT + 1), 0);
    assert_int_equal(read_path(place_path(p, "big"), &p->err), LW_ERR_LIMIT);
    assert_non_null(strstr(p->err.message, "larger than 10485760 bytes"));
}

static void what_is_no_file_is_refused(void **state)
{
    place *p = *state;
    place_dir(p, "dir");
    assert_int_equal(read_path(place_path(p, "dir"), &p->err), LW_ERR_INVALID);
    assert_non_null(strstr(p->err.message, "a directory"));
    assert_int_equal(read_path("/dev/zero", &p->err), LW_ERR_INVALID);
    assert_int_equal(read_path(place_path(p, "missing"), &p->err), LW_ERR_NOT_FOUND);
    assert_int_equal(symlink(place_path(p, "loop"), place_path(p, "loop")), 0);
    assert_int_equal(read_path(place_path(p, "loop"), &p->err), LW_ERR_IO);
}

static void feed_pipe(void *arg)
{
    FILE *file = arg;
    for (int i = 0; i < 20000; i++)
        (void)fputs("# a line of a long comment\n", file);
    (void)fputs("current-context: piped\n", file);
    (void)fclose(file);
}

/* kubectl --kubeconfig <(kind get kubeconfig) */
static void a_pipe_is_read_to_its_end(void **state)
{
    place *p = *state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    FILE *writer = fdopen(ends[1], "w");
    assert_non_null(writer);
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    lw_thread feeder;
    assert_int_equal(lw_thread_start(&feeder, "feeder", feed_pipe, writer, NULL), LW_OK);
    lw_kube_file file;
    assert_int_equal(lw_kube_file_read(&file, path, &p->err), LW_OK);
    assert_str_equal(file.current_context, "piped");
    lw_kube_file_done(&file);
    lw_thread_join(&feeder);
    (void)close(ends[0]);
}

static void relative_names_are_below_the_working_directory(void **state)
{
    place *p = *state;
    char here[PLACE_PATH];
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(chdir(p->root), 0);
    place_dir(p, "sub");
    place_write(p, "sub/config", "{}");
    place_write(p, "config", "{}");
    lw_kube_file file;
    assert_int_equal(lw_kube_file_read(&file, "sub/config", &p->err), LW_OK);
    char expected[PLACE_PATH];
    char cwd[PLACE_PATH / 2];
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    (void)snprintf(expected, sizeof(expected), "%s/sub", cwd);
    assert_string_equal(file.dir, expected);
    lw_kube_file_done(&file);
    assert_int_equal(lw_kube_file_read(&file, "config", &p->err), LW_OK);
    assert_string_equal(file.dir, cwd);
    lw_kube_file_done(&file);
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_entries_by_name),
        TEST(json_is_taken_too),
        TEST(an_empty_file_has_nothing),
        TEST(what_is_wrong_is_said_with_file_and_field),
        TEST(nul_bytes_are_refused),
        TEST(things_that_hold_themselves_are_refused),
        TEST(a_billion_laughs_are_refused),
        TEST_IN_PLACE(a_file_too_large_is_refused),
        TEST_IN_PLACE(what_is_no_file_is_refused),
        TEST_IN_PLACE(a_pipe_is_read_to_its_end),
        TEST_IN_PLACE(relative_names_are_below_the_working_directory),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
