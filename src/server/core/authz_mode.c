/* SPDX-License-Identifier: Apache-2.0 */
/* authz_mode.c -- chooses and remembers the authorization modes. */
#include "server/core/authz_mode.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"

enum {
    FILE_MAX = 1024,
};

#define FILE_NAME     "authorization-mode"
#define DEFAULT_MODES "Node,RBAC"

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

/* Reads what |folder| remembers.  LW_ERR_NOT_FOUND: nothing; then |*has_data| says whether it is a
 * folder of an older version. */
static lw_status look_into(lw_server_modes *found, const char *folder, bool *has_data,
                           lw_error *err)
{
    bool has_store = false, has_keys = false;
    char *path = lw_file_path(folder, FILE_NAME);
    if (!path)
        return lw_error_nomem(err);
    lw_status st = read_file(found, path, err);
    lw_free(path);
    if (st != LW_ERR_NOT_FOUND)
        return st;
    st = look_for(folder, "store", &has_store, err);
    if (st == LW_OK)
        st = look_for(folder, "pki", &has_keys, err);
    *has_data = has_store || has_keys;
    return st < 0 ? st : LW_ERR_NOT_FOUND;
}

static bool is_same(const lw_server_modes *a, const lw_server_modes *b)
{
    return a->count == b->count && memcmp(a->modes, b->modes, a->count * sizeof(a->modes[0])) == 0;
}

/* The option |text| (NULL: none) wins over the file. */
static lw_status choose_for_folder(lw_server_modes *out, const char *folder, const char *text,
                                   lw_error *err)
{
    lw_server_modes found = { .count = 0 };
    lw_error why = LW_ERROR_INIT;
    bool has_data = false;
    lw_status seen = look_into(&found, folder, &has_data, &why), st = LW_OK;
    if (text)
        st = parse(out, lw_str_of(text), err);
    else if (seen == LW_OK)
        *out = found;
    else if (seen == LW_ERR_NOT_FOUND)
        st = parse(out, has_data ? LW_STR("AlwaysAllow") : LW_STR(DEFAULT_MODES), err);
    else
        st = lw_error_set(err, seen, "%s", why.message);
    out->is_inherited = !text && seen == LW_ERR_NOT_FOUND && has_data;
    out->is_new = seen == LW_ERR_NOT_FOUND && !has_data;
    out->is_kept = seen == LW_OK && is_same(out, &found);
    return st;
}

/* The authorizers are in a file of the user.  The next start may be without it. */
static lw_status look_for_none(lw_server_modes *out, const char *folder, lw_error *err)
{
    bool has_file = false;
    lw_status st = look_for(folder, FILE_NAME, &has_file, err);
    out->is_new = !has_file;
    return st;
}

lw_status lw_server_choose_modes(lw_server_modes *out, const lw_server_options *options,
                                 lw_error *err)
{
    const char *folder = options->data_dir, *text = options->authorization_mode;
    *out = (lw_server_modes){ .count = 0 };
    if (options->webhooks && options->webhooks->authorization_config)
        return folder ? look_for_none(out, folder, err) : LW_OK;
    if (folder)
        return choose_for_folder(out, folder, text, err);
    return parse(out, text ? lw_str_of(text) : LW_STR(DEFAULT_MODES), err);
}

bool lw_server_has_mode(const lw_server_modes *modes, lw_authz_mode mode)
{
    for (size_t i = 0; i < modes->count; i++) {
        if (modes->modes[i] == mode)
            return true;
    }
    return false;
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

/* |text| is what append_modes appends. */
static lw_status write_file(const char *folder, lw_buf *text, lw_error *err)
{
    char *path = lw_file_path(folder, FILE_NAME);
    lw_buf_append_char(text, '\n');
    lw_status st = path && text->st == LW_OK ? lw_file_replace(path, lw_buf_view(text), err)
                                             : lw_error_nomem(err);
    lw_free(path);
    return st;
}

lw_status lw_server_begin_modes(lw_server_modes *modes, const lw_server_options *options,
                                lw_error *err)
{
    lw_buf text;
    if (!modes->is_new)
        return LW_OK;
    lw_buf_init(&text, FILE_MAX);
    append_modes(modes, &text);
    if (modes->count == 0)
        lw_buf_append_text(&text, DEFAULT_MODES);
    lw_status st = write_file(options->data_dir, &text, err);
    lw_buf_done(&text);
    modes->is_kept = st == LW_OK;
    return st;
}

lw_status lw_server_keep_modes(const lw_server_modes *modes, const lw_server_options *options,
                               lw_error *err)
{
    lw_buf text;
    lw_status st = LW_OK;
    if (modes->count == 0) {
        lw_log(options->logger, LW_LOG_INFO, "server", "authorization as in %s",
               options->webhooks->authorization_config);
        return LW_OK;
    }
    lw_buf_init(&text, FILE_MAX);
    append_modes(modes, &text);
    log_modes(modes, lw_buf_view(&text), options->logger);
    if (options->data_dir && !modes->is_kept)
        st = write_file(options->data_dir, &text, err);
    lw_buf_done(&text);
    return st;
}
