/* SPDX-License-Identifier: Apache-2.0 */
/* exec_spec.c -- reads and checks the "exec" of a user. */
#include "kubeconfig/exec.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"
#include "kubeconfig/secret.h"

void lw_exec_spec_done(lw_exec_spec *spec)
{
    lw_free(spec->command);
    lw_free(spec->api_version);
    lw_free(spec->install_hint);
    lw_strings_done(&spec->args);
    lw_strings_done(&spec->env);
    *spec = (lw_exec_spec){ 0 };
}

static lw_status read_command(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *exec,
                              lw_error *err)
{
    lw_str command = { 0 };
    lw_status st = lw_field_view(entry, exec, "command", &command, err);
    if (st < 0)
        return st;
    if (command.len == 0)
        return lw_field_fail(entry, "exec.command", err, "must name a program");
    /* A bare name is searched in $PATH; anything else is relative to the kubeconfig file. */
    if (memchr(command.ptr, '/', command.len))
        return lw_field_file_path(entry, exec, "command", &spec->command, err);
    return lw_field_text(entry, exec, "command", &spec->command, err);
}

static lw_status read_version(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *exec,
                              lw_error *err)
{
    lw_status st = lw_field_text(entry, exec, "apiVersion", &spec->api_version, err);
    if (st < 0)
        return st;
    if (spec->api_version &&
        (strcmp(spec->api_version, "client.authentication.k8s.io/v1") == 0 ||
         strcmp(spec->api_version, "client.authentication.k8s.io/v1beta1") == 0))
        return LW_OK;
    return lw_field_fail(entry, "exec.apiVersion", err,
                         "must be client.authentication.k8s.io/v1 or .../v1beta1; a newer version "
                         "of the plugin may support one of them");
}

static lw_status read_interactive(lw_exec_spec *spec, const lw_kube_entry *entry,
                                  const lw_node *exec, lw_error *err)
{
    lw_str mode = { 0 };
    lw_status st = lw_field_view(entry, exec, "interactiveMode", &mode, err);
    if (st < 0)
        return st;
    /* v1beta1 is older than the field, so it has a default. */
    bool is_v1 = strcmp(spec->api_version, "client.authentication.k8s.io/v1") == 0;
    if (lw_str_equal(mode, LW_STR("Never")))
        spec->interactive = LW_EXEC_NEVER;
    else if (lw_str_equal(mode, LW_STR("Always")))
        spec->interactive = LW_EXEC_ALWAYS;
    else if (lw_str_equal(mode, LW_STR("IfAvailable")) || (mode.len == 0 && !is_v1))
        spec->interactive = LW_EXEC_IF_AVAILABLE;
    else
        return lw_field_fail(entry, "exec.interactiveMode", err,
                             "must be Never, IfAvailable or Always");
    return LW_OK;
}

static lw_status add_variable(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *one,
                              lw_error *err)
{
    lw_str name = { 0 };
    lw_str value = { 0 };
    lw_status st = lw_field_view(entry, one, "name", &name, err);
    if (st == LW_OK)
        st = lw_field_view(entry, one, "value", &value, err);
    if (st < 0)
        return st;
    if (name.len == 0 || memchr(name.ptr, '=', name.len))
        return lw_field_fail(entry, "exec.env", err,
                             "must be a list of entries with a name and a value");
    lw_buf text;
    lw_buf_init(&text, LW_TREE_LIMIT);
    if (lw_secret_reserve(&text, name.len + 1 + value.len) == LW_OK) {
        lw_buf_append_str(&text, name);
        lw_buf_append_char(&text, '=');
        lw_buf_append_str(&text, value);
    }
    st = lw_strings_add_take(&spec->env, lw_buf_take_text(&text));
    lw_secret_done(&text);
    if (st == LW_ERR_LIMIT)
        return lw_field_fail(entry, "exec.env", err, "has too many entries");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status read_env(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *exec,
                          lw_error *err)
{
    const lw_node *env = NULL;
    lw_status st = lw_field_array(entry, exec, "env", &env, err);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(env); i++)
        st = add_variable(spec, entry, lw_node_at(env, i), err);
    return st;
}

lw_status lw_exec_spec_read(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *exec,
                            lw_error *err)
{
    lw_status st = read_version(spec, entry, exec, err);
    if (st == LW_OK)
        st = read_command(spec, entry, exec, err);
    if (st == LW_OK)
        st = read_interactive(spec, entry, exec, err);
    if (st == LW_OK)
        st = lw_field_strings(entry, exec, "args", &spec->args, err);
    if (st == LW_OK)
        st = read_env(spec, entry, exec, err);
    if (st == LW_OK)
        st = lw_field_text(entry, exec, "installHint", &spec->install_hint, err);
    if (st == LW_OK)
        st = lw_field_bool(entry, exec, "provideClusterInfo", &spec->wants_cluster_info, err);
    return st;
}
