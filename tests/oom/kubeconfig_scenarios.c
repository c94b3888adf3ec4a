/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig_scenarios.c -- configurations and credentials, with each allocation failing in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oom/oom.h"

#include "base/clock.h"
#include "base/str.h"
#include "kubeconfig/credentials.h"
#include "kubeconfig/environment.h"
#include "kubeconfig/exec.h"

#define PEM "-----BEGIN A-----\n"

typedef struct scene {
    char folder[64];
    char path[128];
    lw_config_environment env;
} scene;

static const char *const names[] = { "config", "token", "ca", "crt", "key", "plugin", "namespace" };

static const char *scene_path(scene *s, const char *name)
{
    (void)snprintf(s->path, sizeof(s->path), "%s/%s", s->folder, name);
    return s->path;
}

static bool scene_write(scene *s, const char *name, const char *text)
{
    FILE *file = fopen(scene_path(s, name), "w");
    if (!file)
        return false;
    bool is_good = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_good && chmod(s->path, 0700) == 0;
}

static bool scene_begin(scene *s)
{
    *s = (scene){ .folder = "/tmp/lw-oom-kube-XXXXXX" };
    return mkdtemp(s->folder) && scene_write(s, "token", "token\n") && scene_write(s, "ca", PEM) &&
           scene_write(s, "crt", PEM) && scene_write(s, "key", PEM);
}

static void scene_end(scene *s)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)unlink(scene_path(s, names[i]));
    (void)rmdir(s->folder);
}

static lw_status credentials_are(lw_config *config, const char *token, lw_error *err)
{
    lw_credentials credentials;
    lw_credentials_init(&credentials);
    lw_status st = lw_config_credentials(config, lw_clock_system(), &credentials, err);
    if (st == LW_OK && !lw_str_equal(lw_buf_view(&credentials.token), lw_str_of(token)))
        st = LW_ERR_INTERNAL;
    lw_credentials_done(&credentials);
    return st;
}

static lw_status load_and_ask(const scene *s, const lw_config_options *options, const char *token,
                              lw_error *err)
{
    lw_config *config = NULL;
    lw_status st = lw_config__load(&config, options, &s->env, err);
    if (st == LW_OK)
        st = credentials_are(config, token, err);
    if (st == LW_OK && lw_config_refused(config, 1))
        st = credentials_are(config, token, err);
    lw_config_unref(config);
    return st;
}

static lw_status loads_a_kubeconfig(lw_error *err)
{
    scene s;
    lw_status st = LW_ERR_INTERNAL;
    if (scene_begin(&s) &&
        scene_write(&s, "config",
                    "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: "
                    "ca, tls-server-name: t, proxy-url: 'http://p', extensions: [{name: "
                    "client.authentication.k8s.io/exec, extension: {a: [1]}}]}}]\n"
                    "users: [{name: u, user: {tokenFile: token, client-certificate: crt, "
                    "client-key: key, as: j, as-groups: [a, b], as-user-extra: {k: [v]}}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u, namespace: team}}]\n"
                    "current-context: x\n")) {
        char list[300];
        (void)snprintf(list, sizeof(list), "%s/missing:%s/config", s.folder, s.folder);
        s.env.kubeconfig = list;
        st = load_and_ask(&s, NULL, "token", err);
    }
    scene_end(&s);
    return st;
}

static lw_status lays_options_over_the_pod(lw_error *err)
{
    scene s;
    lw_status st = LW_ERR_INTERNAL;
    if (scene_begin(&s) && scene_write(&s, "namespace", "ns")) {
        s.env.account_dir = s.folder;
        s.env.service_host = "::1";
        s.env.service_port = "443";
        char ca[128];
        (void)snprintf(ca, sizeof(ca), "%s", scene_path(&s, "ca"));
        lw_config_options options = LW_CONFIG_OPTIONS_INIT;
        options.server = "https://other/";
        options.ca_file = ca;
        options.impersonate = "jane";
        st = load_and_ask(&s, &options, "", err);
        options.is_in_cluster = true;
        if (st == LW_OK)
            st = load_and_ask(&s, &options, "token", err);
        options.token = "mine";
        if (st == LW_OK)
            st = load_and_ask(&s, &options, "mine", err);
    }
    scene_end(&s);
    return st;
}

static lw_status runs_a_plugin(lw_error *err)
{
    scene s;
    lw_status st = LW_ERR_INTERNAL;
    if (scene_begin(&s) &&
        scene_write(&s, "plugin",
                    "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                    "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"given\"}}'\n") &&
        scene_write(&s, "config",
                    "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: "
                    "ca}}]\n"
                    "users: [{name: u, user: {exec: {command: ./plugin, apiVersion: "
                    "client.authentication.k8s.io/v1, interactiveMode: Never, args: [a], "
                    "env: [{name: B, value: c}], installHint: h, provideClusterInfo: true}}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                    "current-context: x\n")) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s", scene_path(&s, "config"));
        lw_config_options options = LW_CONFIG_OPTIONS_INIT;
        options.kubeconfig = path;
        st = load_and_ask(&s, &options, "given", err);
    }
    scene_end(&s);
    return st;
}

const oom_scenario kubeconfig_scenarios[] = {
    { "kubeconfig/load reads files", loads_a_kubeconfig },
    { "kubeconfig/load lays options over the pod", lays_options_over_the_pod },
    { "kubeconfig/exec_plugin runs", runs_a_plugin },
};
const size_t kubeconfig_scenario_count =
    sizeof(kubeconfig_scenarios) / sizeof(kubeconfig_scenarios[0]);
