/* SPDX-License-Identifier: Apache-2.0 */
/* exec_plugin.c -- finds an exec plugin, runs it, and checks its output. */
#include "kubeconfig/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/child.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/whole_file.h"

enum {
    OUTPUT_LIMIT = 1 << 20,
    INFO_LIMIT = 4 * LW_WHOLE_FILE_LIMIT,
    TIMEOUT_MS = 60 * 1000,
    TERMINAL_TIMEOUT_MS = 600 * 1000,
};

/* Sets the error: the reason and the install hint. */
static lw_status fail(const lw_exec_spec *spec, lw_error *err, const char *problem)
{
    return lw_error_set(err, LW_ERR_UNAUTHORIZED, "credential plugin \"%s\": %s%s%s", spec->command,
                        problem, spec->install_hint ? "; " : "",
                        spec->install_hint ? spec->install_hint : "");
}

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Finds the file of the program; NULL with LW_OK if there is none.  Relative directories in $PATH
 * are skipped: otherwise anybody who can write to the working directory could replace the plugin.
 */
static lw_status find_program(const char *command, char **out, lw_error *err)
{
    if (strchr(command, '/')) {
        *out = lw_str_dup(lw_str_of(command));
        return *out ? LW_OK : lw_error_nomem(err);
    }
    const char *list = getenv("PATH");
    lw_str rest = lw_str_of(list ? list : "/usr/local/bin:/usr/bin:/bin");
    *out = NULL;
    while (rest.len > 0) {
        lw_str dir;
        (void)lw_str_cut(rest, ':', &dir, &rest);
        if (dir.len == 0 || dir.ptr[0] != '/')
            continue;
        lw_buf path;
        lw_buf_init(&path, LW_TREE_LIMIT);
        lw_buf_append_str(&path, dir);
        lw_buf_append_char(&path, '/');
        lw_buf_append_text(&path, command);
        char *text = lw_buf_take_text(&path);
        lw_buf_done(&path);
        if (!text)
            return lw_error_nomem(err);
        if (is_program(text)) {
            *out = text;
            return LW_OK;
        }
        lw_free(text);
    }
    return LW_OK;
}

/* Returns true if |variable| ("NAME=...") is set again in |later|. */
static bool is_set_again(const char *variable, char *const *later)
{
    size_t name = strcspn(variable, "=") + 1;
    for (size_t i = 0; later && later[i]; i++) {
        if (strncmp(variable, later[i], name) == 0)
            return true;
    }
    return false;
}

static lw_status add_info(lw_strings *env, const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                          bool is_interactive)
{
    lw_buf info;
    lw_buf_init(&info, INFO_LIMIT);
    lw_buf_append_text(&info, "KUBERNETES_EXEC_INFO=");
    lw_exec_info_write(&info, spec->api_version, spec->wants_cluster_info ? cluster : NULL,
                       is_interactive);
    lw_status st = info.st;
    if (st == LW_OK)
        st = lw_strings_add_take(env, lw_buf_take_text(&info));
    lw_buf_done(&info);
    return st;
}

/* Makes the environment: that of the process, then that of the spec, then KUBERNETES_EXEC_INFO. */
static lw_status make_env(lw_strings *env, const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                          bool is_interactive, lw_error *err)
{
    static const char info_name[] = "KUBERNETES_EXEC_INFO=";
    char *const *own = environ;
    char *const *theirs = spec->env.items;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && own && own[i]; i++) {
        if (!is_set_again(own[i], theirs) && strncmp(own[i], info_name, sizeof(info_name) - 1) != 0)
            st = lw_strings_add(env, lw_str_of(own[i]));
    }
    for (size_t i = 0; st == LW_OK && theirs && theirs[i]; i++) {
        if (!is_set_again(theirs[i], theirs + i + 1) &&
            strncmp(theirs[i], info_name, sizeof(info_name) - 1) != 0)
            st = lw_strings_add(env, lw_str_of(theirs[i]));
    }
    if (st == LW_OK)
        st = add_info(env, spec, cluster, is_interactive);
    if (st == LW_ERR_LIMIT)
        return fail(spec, err, "its environment is too large");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status make_argv(lw_strings *argv, const lw_exec_spec *spec, lw_error *err)
{
    lw_status st = lw_strings_add(argv, lw_str_of(spec->command));
    for (size_t i = 0; st == LW_OK && i < spec->args.count; i++)
        st = lw_strings_add(argv, lw_str_of(spec->args.items[i]));
    if (st == LW_ERR_LIMIT)
        return fail(spec, err, "it has too many arguments");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Checks how the plugin ended, then its output. */
static lw_status judge(const lw_exec_spec *spec, const lw_child_result *result, lw_str output,
                       int timeout_ms, lw_exec_credential *credential, lw_error *err)
{
    char problem[LW_ERROR_MESSAGE_SIZE + 32];
    if (result->is_timed_out) {
        (void)snprintf(problem, sizeof(problem), "did not finish within %d ms", timeout_ms);
        return fail(spec, err, problem);
    }
    if (result->is_known && result->signal) {
        (void)snprintf(problem, sizeof(problem), "was killed by signal %d", result->signal);
        return fail(spec, err, problem);
    }
    if (result->is_known && result->status) {
        (void)snprintf(problem, sizeof(problem), "failed with exit status %d", result->status);
        return fail(spec, err, problem);
    }
    lw_error cause = LW_ERROR_INIT;
    lw_status st = lw_exec_credential_read(credential, output, spec->api_version, &cause);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0) {
        (void)snprintf(problem, sizeof(problem), "its output is not a valid ExecCredential: %.400s",
                       cause.message);
        return fail(spec, err, problem);
    }
    return LW_OK;
}

static lw_status run_child(const lw_exec_spec *spec, const lw_child_options *options,
                           lw_exec_credential *credential, lw_error *err)
{
    lw_buf output;
    lw_buf_init(&output, OUTPUT_LIMIT);
    lw_child_result result = { 0 };
    lw_error cause = LW_ERROR_INIT;
    lw_status st = lw_child_run(options, &output, &result, &cause);
    if (st == LW_OK)
        st = judge(spec, &result, lw_buf_view(&output), options->timeout_ms, credential, err);
    else if (st == LW_ERR_NOMEM)
        st = lw_error_nomem(err);
    else if (st == LW_ERR_STOPPED)
        st = lw_error_set(err, st, "%s", cause.message);
    else
        st = fail(spec, err, cause.message);
    lw_secret_done(&output);
    return st;
}

lw_status lw_exec_plugin_run(const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                             int timeout_ms, lw_exec_credential *credential, lw_error *err)
{
    bool has_terminal = isatty(STDIN_FILENO) && spec->interactive != LW_EXEC_NEVER;
    if (spec->interactive == LW_EXEC_ALWAYS && !has_terminal)
        return fail(spec, err,
                    "needs a terminal (interactiveMode: Always), and standard input is not one");
    char *path = NULL;
    lw_strings argv = { 0 };
    lw_strings env = { 0 };
    lw_status st = find_program(spec->command, &path, err);
    if (st == LW_OK && !path)
        st = fail(spec, err, "not found in $PATH; install it");
    if (st == LW_OK)
        st = make_argv(&argv, spec, err);
    if (st == LW_OK)
        st = make_env(&env, spec, cluster, has_terminal, err);
    if (st == LW_OK) {
        lw_child_options options = { .path = path,
                                     .argv = argv.items,
                                     .envp = env.items,
                                     .has_terminal = has_terminal,
                                     .timeout_ms = timeout_ms };
        if (timeout_ms <= 0)
            options.timeout_ms = has_terminal ? TERMINAL_TIMEOUT_MS : TIMEOUT_MS;
        st = run_child(spec, &options, credential, err);
    }
    lw_strings_done(&argv);
    lw_strings_done(&env);
    lw_free(path);
    return st;
}
