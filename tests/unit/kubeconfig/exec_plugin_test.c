/* SPDX-License-Identifier: Apache-2.0 */
/* exec_plugin_test.c -- programs that give credentials: how they are run, when again, and what is
 * said when they do not. */
#include "kubeconfig/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "kubeconfig/core.h"
#include "unit/kubeconfig/place.h"

#define V1      "client.authentication.k8s.io/v1"
#define V1BETA1 "client.authentication.k8s.io/v1beta1"

/* Says that it ran, in the file "runs", and prints a credential with |status|. */
#define PLUGIN(status)                                                                             \
    "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho run >> runs\n"                                      \
    "n=$(wc -l < runs | tr -d ' ')\n"                                                              \
    "cat <<END\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{" status        \
    "}}\nEND\n"
#define TOKEN "\"token\":\"token-$n\""

static void write_exec(place *p, const char *exec)
{
    char text[4096];
    (void)snprintf(text, sizeof(text),
                   "clusters:\n- name: c\n  cluster:\n    server: https://one\n"
                   "    certificate-authority: ca\n"
                   "    extensions: [{name: client.authentication.k8s.io/exec, "
                   "extension: {audience: me}}]\n"
                   "users: [{name: u, user: {exec: {%s}}}]\n"
                   "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                   exec);
    place_write(p, "ca", PEM("ca"));
    place_write(p, "config", text);
    place_kubeconfig(p, "config", NULL);
}

static void load_exec(place *p, const char *exec)
{
    write_exec(p, exec);
    place_load(p, NULL);
}

#define PLAIN_EXEC "command: ./plugin, apiVersion: " V1 ", interactiveMode: Never"

static void load_plugin(place *p, const char *script)
{
    place_script(p, "plugin", script);
    load_exec(p, PLAIN_EXEC);
}

static size_t runs(const place *p)
{
    size_t lines = 0;
    FILE *file = fopen(place_path(p, "runs"), "r");
    if (!file)
        return 0;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    (void)fclose(file);
    return lines;
}

/* What the file |name| holds, without its last newline. */
static const char *content(const place *p, const char *name)
{
    static char text[8192];
    FILE *file = fopen(place_path(p, name), "r");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    if (len > 0 && text[len - 1] == '\n')
        text[len - 1] = '\0';
    return text;
}

static void fails_with(place *p, const char *word)
{
    p->err = (lw_error)LW_ERROR_INIT;
    assert_int_equal(lw_config_credentials(p->config, p->clock, &p->credentials, &p->err),
                     LW_ERR_UNAUTHORIZED);
    if (!strstr(p->err.message, word))
        fail_msg("the message is: %s", p->err.message);
}

static void its_token_is_used(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN));
    assert_int_equal(runs(p), 0);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1000000);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    assert_int_equal(runs(p), 1);
}

static void its_certificate_is_used(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN("\"clientCertificateData\":\"-----BEGIN A-----\\\\n$n\","
                          "\"clientKeyData\":\"-----BEGIN B-----\\\\n$n\""));
    uint64_t tls = p->config->credentials.current.tls_generation;
    assert_str_equal(lw_buf_view(&place_get(p)->cert_pem), "-----BEGIN A-----\n1");
    assert_str_equal(lw_buf_view(&p->credentials.key_pem), "-----BEGIN B-----\n1");
    assert_int_equal(p->credentials.tls_generation, tls + 1);
    assert_true(lw_config_refused(p->config, p->credentials.generation));
    assert_str_equal(lw_buf_view(&place_get(p)->key_pem), "-----BEGIN B-----\n2");
    assert_int_equal(p->credentials.tls_generation, tls + 2);
}

/* Better than client-go, which uses a credential to its last nanosecond. */
static void it_runs_again_shortly_before_the_end(void **state)
{
    place *p = *state;
    /* The clock begins at 2023-11-14T22:13:20Z. */
    load_plugin(p, PLUGIN(TOKEN ",\"expirationTimestamp\":\"2023-11-14T22:14:20Z\""));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 49);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_int_equal(runs(p), 2);
}

static void one_that_lives_shortly_is_used_for_half_its_life(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN ",\"expirationTimestamp\":\"2023-11-14T22:13:28Z\""));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 3);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
}

/* Perhaps our clock is wrong: the server decides.  But not a process a request. */
static void one_that_has_expired_already_is_used_for_a_second(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN ",\"expirationTimestamp\":\"2001-01-01T00:00:00Z\""));
    for (int i = 0; i < 10; i++)
        assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_int_equal(runs(p), 2);
}

static void a_failure_before_the_end_is_no_loss(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN ",\"expirationTimestamp\":\"2023-11-14T22:14:20Z\""));
    (void)place_get(p);
    place_script(p, "plugin", "#!/bin/sh\nexit 3\n");
    place_pass_seconds(p, 55);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 5);
    fails_with(p, "exit status 3");
}

static void after_401_it_runs_once_more_for_each_credential(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN));
    uint64_t generation = place_get(p)->generation;
    assert_true(lw_config_refused(p->config, generation));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_true(lw_config_refused(p->config, generation));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_int_equal(runs(p), 2);
    assert_true(lw_config_refused(p->config, p->credentials.generation));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-3");
}

static void after_401_the_same_credential_again_makes_no_sense(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN("\"token\":\"same\""));
    uint64_t generation = place_get(p)->generation;
    assert_true(lw_config_refused(p->config, generation));
    assert_int_equal(place_get(p)->generation, generation);
    assert_int_equal(runs(p), 2);
    assert_false(lw_config_refused(p->config, generation));
    (void)place_get(p);
    assert_int_equal(runs(p), 2);
}

static void it_gets_arguments_variables_and_the_request(void **state)
{
    place *p = *state;
    place_script(p, "plugin",
                 "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n"
                 "echo \"$KUBERNETES_EXEC_INFO\" > info\n"
                 "for a in \"$@\"; do echo \"<$a>\"; done > args\n"
                 "echo \"$ONE|$TWO|$LW_TEST_INHERITED\" > vars\n"
                 "cat > stdin\n"
                 "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1BETA1
                 "\",\"status\":{\"token\":\"t\"}}'\n");
    assert_int_equal(setenv("LW_TEST_INHERITED", "ours", 1), 0);
    assert_int_equal(setenv("ONE", "ours", 1), 0);
    load_exec(p, "command: ./plugin, apiVersion: " V1BETA1
                 ", provideClusterInfo: true, args: [get-token, '--id=a b', '$(x)', ''], "
                 "env: [{name: ONE, value: first}, {name: TWO, value: 'a=b'}, "
                 "{name: ONE, value: last}]");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "t");
    assert_string_equal(content(p, "args"), "<get-token>\n<--id=a b>\n<$(x)>\n<>");
    assert_string_equal(content(p, "vars"), "last|a=b|ours");
    assert_string_equal(content(p, "stdin"), "");
    assert_string_equal(content(p, "info"),
                        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1BETA1
                        "\",\"spec\":{\"cluster\":{\"server\":\"https://one\","
                        "\"certificate-authority-data\":"
                        "\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmNhCi0tLS0tRU5EIENFUlRJRklDQVRFLS0t"
                        "LS0K\",\"config\":{\"audience\":\"me\"}},\"interactive\":false}}");
}

static void a_bare_name_is_looked_up_in_the_path(void **state)
{
    place *p = *state;
    place_dir(p, "bin");
    place_script(p, "bin/lw-test-plugin", PLUGIN(TOKEN));
    place_script(p, "lw-test-plugin", "#!/bin/sh\nexit 9\n");
    char path[PLACE_PATH];
    const char *old = getenv("PATH");
    char kept[4096];
    (void)snprintf(kept, sizeof(kept), "%s", old ? old : "");
    (void)snprintf(path, sizeof(path), "relative::.:%s:/usr/bin:/bin", place_path(p, "bin"));
    char here[PLACE_PATH];
    assert_non_null(getcwd(here, sizeof(here)));
    /* There is a program of that name here; it must not be used. */
    assert_int_equal(chdir(p->root), 0);
    assert_int_equal(setenv("PATH", path, 1), 0);
    load_exec(p, "command: lw-test-plugin, apiVersion: " V1 ", interactiveMode: Never");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    assert_int_equal(setenv("PATH", kept, 1), 0);
    assert_int_equal(chdir(here), 0);
}

static void one_that_is_not_installed_comes_with_its_hint(void **state)
{
    place *p = *state;
    load_exec(p, "command: no-such-plugin-anywhere, apiVersion: " V1
                 ", interactiveMode: Never, installHint: \"run\\e[31m make plugin\"");
    fails_with(p, "\"no-such-plugin-anywhere\": not found in $PATH");
    assert_non_null(strstr(p->err.message, "make plugin"));
    assert_null(strchr(p->err.message, '\033'));
    load_exec(p, "command: ./missing, apiVersion: " V1 ", interactiveMode: Never, "
                 "installHint: apt install it");
    fails_with(p, "No such file");
    assert_non_null(strstr(p->err.message, "apt install it"));
}

static void failures_are_told(void **state)
{
    place *p = *state;
    load_plugin(p, "#!/bin/sh\nexit 7\n");
    fails_with(p, "failed with exit status 7");
    load_plugin(p, "#!/bin/sh\nkill -TERM $$\n");
    fails_with(p, "was killed by signal 15");
    load_plugin(p, "#!/bin/sh\necho hello\n");
    fails_with(p, "its output is not a valid ExecCredential: not valid JSON");
    load_plugin(p, "#!/bin/sh\nhead -c 3000000 /dev/zero\n");
    fails_with(p, "the output is larger than");
    place_write(p, "plugin", "#!/bin/sh\n");
    assert_int_equal(chmod(place_path(p, "plugin"), 0600), 0);
    place_load(p, NULL);
    fails_with(p, "Permission denied");
}

static void what_it_says_on_stderr_is_for_the_person_there(void **state)
{
    place *p = *state;
    int kept = dup(STDERR_FILENO);
    int file = open(place_path(p, "stderr"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(kept >= 0 && file >= 0);
    load_plugin(p, "#!/bin/sh\necho please log in >&2\nexit 7\n");
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    lw_status st = lw_config_credentials(p->config, p->clock, &p->credentials, NULL);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    assert_int_equal(st, LW_ERR_UNAUTHORIZED);
    assert_string_equal(content(p, "stderr"), "please log in");
    (void)close(file);
    (void)close(kept);
}

static void a_failure_is_not_repeated_at_once(void **state)
{
    place *p = *state;
    load_plugin(p, "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho run >> runs\nexit 7\n");
    for (int i = 0; i < 5; i++)
        fails_with(p, "exit status 7");
    assert_int_equal(runs(p), 1);
    place_pass_seconds(p, 1);
    fails_with(p, "exit status 7");
    assert_int_equal(runs(p), 2);
    place_script(p, "plugin", PLUGIN(TOKEN));
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-3");
}

static void one_that_hangs_is_ended_with_its_children(void **state)
{
    place *p = *state;
    load_plugin(p, "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n"
                   "mkfifo never\nsh -c 'echo $$ > child; exec cat never' &\n"
                   "while [ ! -s child ]; do :; done\nwait\n");
    p->config->credentials.plugin_timeout_ms = 2000;
    fails_with(p, "did not finish within 2000 ms");
    int64_t pid = 0;
    assert_true(sscanf(content(p, "child"), "%" SCNd64, &pid) == 1);
    /* The process dies soon: no other process is in its group. */
    int64_t patience = lw_clock_now(lw_clock_system()) + 20 * LW_NS_PER_S;
    while (kill((pid_t)pid, 0) == 0) {
        char path[64];
        char state_of[256] = "";
        (void)snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        (void)!fgets(state_of, sizeof(state_of), file);
        (void)fclose(file);
        if (strstr(state_of, ") Z "))
            break; /* dead, but not reaped yet */
        assert_true(lw_clock_now(lw_clock_system()) < patience);
        (void)sched_yield();
    }
}

static void what_it_leaves_in_the_background_holds_up_nobody(void **state)
{
    place *p = *state;
    load_plugin(p, PLUGIN(TOKEN) "mkfifo never\ncat never &\necho $! > child\n");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    int64_t pid = 0;
    assert_true(sscanf(content(p, "child"), "%" SCNd64, &pid) == 1);
    (void)kill((pid_t)pid, SIGKILL);
}

static void one_that_must_ask_needs_a_terminal(void **state)
{
    place *p = *state;
    int terminal = dup(STDIN_FILENO);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(null >= 0);
    assert_true(dup2(null, STDIN_FILENO) >= 0);
    place_script(p, "plugin", PLUGIN(TOKEN));
    load_exec(p, "command: ./plugin, apiVersion: " V1 ", interactiveMode: Always");
    fails_with(p, "needs a terminal");
    load_exec(p, "command: ./plugin, apiVersion: " V1 ", interactiveMode: IfAvailable");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    if (terminal >= 0) {
        assert_true(dup2(terminal, STDIN_FILENO) >= 0);
        (void)close(terminal);
    }
    (void)close(null);
}

static int children_heard;

static void on_child(int number)
{
    (void)number;
    children_heard++;
}

static void the_hosts_signals_and_children_are_left_alone(void **state)
{
    place *p = *state;
    struct sigaction ours = { .sa_handler = on_child };
    struct sigaction old;
    assert_int_equal(sigaction(SIGCHLD, &ours, &old), 0);
    pid_t mine = fork();
    assert_true(mine >= 0);
    if (mine == 0)
        _exit(42);
    load_plugin(p, PLUGIN(TOKEN));
    (void)place_get(p);
    int status = 0;
    pid_t got;
    do {
        got = waitpid(mine, &status, 0);
    } while (got < 0 && errno == EINTR);
    assert_int_equal(got, mine);
    assert_int_equal(WEXITSTATUS(status), 42);
    struct sigaction now;
    assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, on_child);
    assert_int_equal(sigaction(SIGCHLD, &old, NULL), 0);
}

/* If the program lets the kernel reap its children, their exit status is unknown. */
static void a_host_that_ignores_children_gets_credentials_too(void **state)
{
    place *p = *state;
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction old;
    assert_int_equal(sigaction(SIGCHLD, &ignore, &old), 0);
    load_plugin(p, PLUGIN(TOKEN));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    assert_int_equal(sigaction(SIGCHLD, &old, NULL), 0);
}

static void descriptors_of_the_host_stay_here(void **state)
{
    place *p = *state;
    assert_int_equal(dup2(STDERR_FILENO, 77), 77); /* without O_CLOEXEC, as hosts do */
    load_plugin(p, "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nls /proc/$$/fd > fds\n"
                   "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                   "\",\"status\":{\"token\":\"t\"}}'\n");
    (void)place_get(p);
    assert_non_null(strstr(content(p, "fds"), "0\n1\n"));
    assert_null(strstr(content(p, "fds"), "77"));
    (void)close(77);
}

static void other_credentials_make_it_needless(void **state)
{
    place *p = *state;
    place_script(p, "plugin", PLUGIN(TOKEN));
    place_write(p, "config",
                "clusters: [{name: c, cluster: {server: 'https://one'}}]\n"
                "users: [{name: u, user: {token: static, exec: {" PLAIN_EXEC "}}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n");
    place_kubeconfig(p, "config", NULL);
    place_load(p, NULL);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "static");
    assert_int_equal(runs(p), 0);
}

static void its_fields_are_checked(void **state)
{
    place *p = *state;
    static const struct {
        const char *exec;
        const char *word;
    } cases[] = {
        { "apiVersion: " V1 ", interactiveMode: Never", "exec.command must name a program" },
        { "command: a", "exec.apiVersion" },
        { "command: a, apiVersion: client.authentication.k8s.io/v1alpha1", "exec.apiVersion" },
        { "command: a, apiVersion: " V1, "exec.interactiveMode must be" },
        { "command: a, apiVersion: " V1 ", interactiveMode: Maybe", "exec.interactiveMode" },
        { "command: 5, apiVersion: " V1, "command must be a string" },
        { "command: a, apiVersion: " V1BETA1 ", args: [1]", "args must be a list of strings" },
        { "command: a, apiVersion: " V1BETA1 ", env: [{value: x}]", "exec.env" },
        { "command: a, apiVersion: " V1BETA1 ", env: [{name: 'a=b'}]", "exec.env" },
        { "command: a, apiVersion: " V1BETA1 ", env: [x]", "exec.env" },
        { "command: a, apiVersion: " V1BETA1 ", provideClusterInfo: 1", "provideClusterInfo" },
        { "command: \"a\\0b\", apiVersion: " V1BETA1, "NUL" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_exec(p, cases[i].exec);
        assert_int_equal(place_try(p, NULL), LW_ERR_INVALID);
        if (!strstr(p->err.message, cases[i].word) || !strstr(p->err.message, "user \"u\""))
            fail_msg("of %s: %s", cases[i].exec, p->err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(its_token_is_used),
        TEST_IN_PLACE(its_certificate_is_used),
        TEST_IN_PLACE(it_runs_again_shortly_before_the_end),
        TEST_IN_PLACE(one_that_lives_shortly_is_used_for_half_its_life),
        TEST_IN_PLACE(one_that_has_expired_already_is_used_for_a_second),
        TEST_IN_PLACE(a_failure_before_the_end_is_no_loss),
        TEST_IN_PLACE(after_401_it_runs_once_more_for_each_credential),
        TEST_IN_PLACE(after_401_the_same_credential_again_makes_no_sense),
        TEST_IN_PLACE(it_gets_arguments_variables_and_the_request),
        TEST_IN_PLACE(a_bare_name_is_looked_up_in_the_path),
        TEST_IN_PLACE(one_that_is_not_installed_comes_with_its_hint),
        TEST_IN_PLACE(failures_are_told),
        TEST_IN_PLACE(what_it_says_on_stderr_is_for_the_person_there),
        TEST_IN_PLACE(a_failure_is_not_repeated_at_once),
        TEST_IN_PLACE(one_that_hangs_is_ended_with_its_children),
        TEST_IN_PLACE(what_it_leaves_in_the_background_holds_up_nobody),
        TEST_IN_PLACE(one_that_must_ask_needs_a_terminal),
        TEST_IN_PLACE(the_hosts_signals_and_children_are_left_alone),
        TEST_IN_PLACE(a_host_that_ignores_children_gets_credentials_too),
        TEST_IN_PLACE(descriptors_of_the_host_stay_here),
        TEST_IN_PLACE(other_credentials_make_it_needless),
        TEST_IN_PLACE(its_fields_are_checked),
    };
    return cmocka_run_group_tests_name("exec_plugin", tests, NULL, NULL);
}
