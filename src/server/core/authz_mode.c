/* SPDX-License-Identifier: Apache-2.0 */
/* authz_mode.c -- chooses and remembers the authorization modes. */
#include "server/core/authz_mode.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"

enum {
    FILE_MAX = 1024,
};

#define FILE_NAME "authorization-mode"

static lw_status parse(lw_server_modes *out, lw_str text, lw_error *err)
{
    return lw_authz_parse_modes(lw_str_trim(text), out->modes, &out->count, err);
}

/* Reads the modes of the last start.  LW_ERR_NOT_FOUND: there is no file. */
static lw_status read_file(lw_server_modes *out, const char *path, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_buf text;
    lw_buf_init(&text, FILE_MAX);
    lw_status st = lw_file_read(path, &text, err);
    if (st == LW_OK && parse(out, lw_buf_view(&text), &why) < 0)
        st = lw_error_set(err, LW_ERR_INVALID, "%s: %s", path, why.message);
    lw_buf_done(&text);
    return st;
}

/* Sets |*has| to whether |folder| has a file or directory |name|. */
static lw_status look_for(const char *folder, const char *name, bool *has, lw_error *err)
{
    char *path = lw_file_path(folder, name);
    if (!path)
        return lw_error_nomem(err);
    *has = access(path, F_OK) == 0;
    lw_free(path);
    return LW_OK;
}

static lw_status choose_for_folder(lw_server_modes *out, const char *folder, lw_error *err)
{
    bool has_store = false, has_keys = false;
    char *path = lw_file_path(folder, FILE_NAME);
    if (!path)
        return lw_error_nomem(err);
    lw_status st = read_file(out, path, err);
    lw_free(path);
    if (st != LW_ERR_NOT_FOUND)
        return st;
    st = look_for(folder, "store", &has_store, err);
    if (st == LW_OK)
        st = look_for(folder, "pki", &has_keys, err);
    out->is_inherited = has_store || has_keys;
    if (st == LW_OK)
        st = parse(out, out->is_inherited ? LW_STR("AlwaysAllow") : LW_STR("Node,RBAC"), err);
    return st;
}

lw_status lw_server_choose_modes(lw_server_modes *out, const lw_server_options *options,
                                 lw_error *err)
{
    *out = (lw_server_modes){ .count = 0 };
    if (options->webhooks && options->webhooks->authorization_config)
        return LW_OK;
    if (options->authorization_mode)
        return parse(out, lw_str_of(options->authorization_mode), err);
    if (options->data_dir)
        return choose_for_folder(out, options->data_dir, err);
    return parse(out, LW_STR("Node,RBAC"), err);
}

static void append_modes(const lw_server_modes *modes, lw_buf *out)
{
    for (size_t i = 0; i < modes->count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ',');
        lw_buf_append_text(out, lw_authz_mode_name(modes->modes[i]));
    }
}

static void log_modes(const lw_server_modes *modes, lw_str text, const lw_logger *logger)
{
    bool is_open = modes->modes[0] == LW_AUTHZ_MODE_ALWAYS_ALLOW;
    lw_log(logger, is_open ? LW_LOG_WARN : LW_LOG_INFO, "server", "authorization mode %.*s%s%s",
           LW_STR_ARG(text), is_open ? ": any authenticated user has full access" : "",
           modes->is_inherited ? " (kept, because the data directory is of a version without "
                                 "authorization; use --authorization-mode Node,RBAC to change it)"
                               : "");
}

lw_status lw_server_keep_modes(const lw_server_modes *modes, const lw_server_options *options,
                               lw_error *err)
{
    lw_buf text;
    char *path = NULL;
    lw_status st = LW_OK;
    if (modes->count == 0) {
        lw_log(options->logger, LW_LOG_INFO, "server", "authorization as in %s",
               options->webhooks->authorization_config);
        return LW_OK;
    }
    lw_buf_init(&text, FILE_MAX);
    append_modes(modes, &text);
    log_modes(modes, lw_buf_view(&text), options->logger);
    lw_buf_append_char(&text, '\n');
    if (options->data_dir) {
        path = lw_file_path(options->data_dir, FILE_NAME);
        st = path && text.st == LW_OK ? lw_file_replace(path, lw_buf_view(&text), err)
                                      : lw_error_nomem(err);
    }
    lw_free(path);
    lw_buf_done(&text);
    return st;
}
