/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig_test.c -- credentials asked for by many threads while they change. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "kubeconfig/core.h"
#include "kubeconfig/environment.h"
#include "thread/crew.h"

enum {
    ROUNDS = 300,
    PATH = 128,
};

typedef struct scene {
    char folder[64];
    lw_config *config;
    lw_manual_clock *manual;
    atomic_int wrong; /* answers that cannot be */
    atomic_int seats;
} scene;

static const char *path_of(const scene *s, const char *name, char path[PATH])
{
    (void)snprintf(path, PATH, "%s/%s", s->folder, name);
    return path;
}

static void write_file(const scene *s, const char *name, const char *text)
{
    char path[PATH];
    FILE *file = fopen(path_of(s, name, path), "w");
    if (!file)
        return;
    (void)fputs(text, file);
    (void)fclose(file);
    (void)chmod(path, 0700);
}

/* Replaces the token by the |n|th, all at once. */
static void rotate(const scene *s, int n)
{
    char text[32];
    char from[PATH];
    char to[PATH];
    (void)snprintf(text, sizeof(text), "token-%06d", n);
    write_file(s, "new", text);
    (void)rename(path_of(s, "new", from), path_of(s, "token", to));
}

static void begin(scene *s, const char *user)
{
    char text[1024];
    char path[PATH];
    *s = (scene){ .folder = "/tmp/lw-kube-XXXXXX" };
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(lw_manual_clock_new(&s->manual, 0), LW_OK);
    rotate(s, 0);
    (void)snprintf(text, sizeof(text),
                   "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
                   "users: [{name: u, user: {%s}}]\n"
                   "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                   user);
    write_file(s, "config", text);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = path_of(s, "config", path);
    lw_config_environment env = { 0 };
    assert_int_equal(lw_config__load(&s->config, &options, &env, NULL), LW_OK);
}

static void end(scene *s)
{
    static const char *const names[] = { "config", "token", "new", "plugin", "runs" };
    char path[PATH];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)unlink(path_of(s, names[i], path));
    (void)rmdir(s->folder);
    lw_config_unref(s->config);
    lw_manual_clock_free(s->manual);
}

/* Asks again and again; one of them rotates the file and moves the clock.  Nobody may see a token
 * or a generation go back. */
static void ask_and_rotate(void *arg)
{
    scene *s = arg;
    int seat = atomic_fetch_add(&s->seats, 1);
    lw_credentials mine;
    lw_credentials_init(&mine);
    char last[32] = "";
    uint64_t generation = 0;
    for (int i = 1; i <= ROUNDS; i++) {
        if (seat == 0) {
            rotate(s, i);
            lw_manual_clock_advance(s->manual, LW_NS_PER_S);
        }
        lw_status st =
            lw_config_credentials(s->config, lw_manual_clock_as_clock(s->manual), &mine, NULL);
        char token[32];
        (void)snprintf(token, sizeof(token), "%.*s", (int)mine.token.len, mine.token.data);
        if (st < 0 || mine.generation < generation || strcmp(token, last) < 0)
            atomic_fetch_add(&s->wrong, 1);
        if (i % 50 == 0)
            (void)lw_config_refused(s->config, mine.generation);
        generation = mine.generation;
        (void)snprintf(last, sizeof(last), "%s", token);
    }
    lw_credentials_done(&mine);
}

static void tokens_never_go_back_for_anybody(void **state)
{
    (void)state;
    scene s;
    begin(&s, "tokenFile: token");
    crew_run(ask_and_rotate, &s);
    assert_int_equal(atomic_load(&s.wrong), 0);
    lw_credentials now;
    lw_credentials_init(&now);
    lw_manual_clock_advance(s.manual, LW_NS_PER_S);
    assert_int_equal(lw_config_credentials(s.config, lw_manual_clock_as_clock(s.manual), &now,
                                           NULL),
                     LW_OK);
    assert_str_equal(lw_buf_view(&now.token), "token-000300");
    lw_credentials_done(&now);
    end(&s);
}

static void ask_once(void *arg)
{
    scene *s = arg;
    lw_credentials mine;
    lw_credentials_init(&mine);
    lw_status st =
        lw_config_credentials(s->config, lw_manual_clock_as_clock(s->manual), &mine, NULL);
    if (st < 0 || !lw_str_equal(lw_buf_view(&mine.token), lw_str_of("given")))
        atomic_fetch_add(&s->wrong, 1);
    lw_credentials_done(&mine);
}

static void a_plugin_runs_once_for_all_who_wait(void **state)
{
    (void)state;
    scene s;
    begin(&s, "exec: {command: ./plugin, apiVersion: client.authentication.k8s.io/v1, "
              "interactiveMode: Never}");
    write_file(&s, "plugin",
               "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho run >> runs\n"
               "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":"
               "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"given\"}}'\n");
    crew_run(ask_once, &s);
    assert_int_equal(atomic_load(&s.wrong), 0);
    char path[PATH];
    struct stat info;
    assert_int_equal(stat(path_of(&s, "runs", path), &info), 0);
    assert_int_equal(info.st_size, 4);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tokens_never_go_back_for_anybody),
        TEST(a_plugin_runs_once_for_all_who_wait),
    };
    return cmocka_run_group_tests_name("thread-kubeconfig", tests, NULL, NULL);
}
