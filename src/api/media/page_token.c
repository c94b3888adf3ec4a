/* SPDX-License-Identifier: Apache-2.0 */
/* page_token.c -- continue tokens, encoded and validated as in kube-apiserver. */
#include "api/media/page_token.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/tree.h"
#include "json/writer.h"

static const lw_str token_version = LW_STR_INIT("meta.k8s.io/v1");

void lw_page_token_write(lw_buf *out, int64_t revision, lw_str start)
{
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_PAGE_TOKEN_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "v", token_version);
    lw_json_write_member_int(&w, "rv", revision);
    lw_json_write_member_string(&w, "start", start);
    lw_json_write_object_end(&w);
    if (json.st < 0)
        out->st = json.st;
    else
        lw_base64url_encode(out, lw_buf_view(&json));
    lw_buf_done(&json);
}

void lw_page_token_write_after(lw_buf *out, int64_t revision, lw_str last)
{
    lw_buf start;
    lw_buf_init(&start, LW_PAGE_TOKEN_MAX);
    lw_buf_append_str(&start, last);
    lw_buf_append_char(&start, '\0');
    if (start.st < 0)
        out->st = start.st;
    else
        lw_page_token_write(out, revision, lw_buf_view(&start));
    lw_buf_done(&start);
}

/* Returns true if Go's path.Clean would not change |start|: it has no empty part, no "." and no
 * "..", so it cannot point outside of the list. */
static bool is_clean(lw_str start)
{
    lw_str part;
    bool has_more = true;
    if (start.len > 0 && start.ptr[0] == '/')
        start = lw_str_skip(start, 1);
    while (has_more) {
        has_more = lw_str_cut(start, '/', &part, &start);
        if (part.len == 0 || lw_str_equal(part, LW_STR(".")) || lw_str_equal(part, LW_STR("..")))
            return false;
    }
    return true;
}

static lw_status refuse(lw_error *err, const char *why)
{
    return lw_error_set(err, LW_ERR_INVALID, "continue key is not valid%s", why);
}

static lw_status read_members(lw_page_token *token, const lw_node *root, lw_error *err)
{
    const lw_node *version = lw_node_get(root, LW_STR("v"));
    const lw_node *revision = lw_node_get(root, LW_STR("rv"));
    const lw_node *start = lw_node_get(root, LW_STR("start"));
    if (!lw_node_is(root, LW_JSON_OBJECT) || (version && !lw_node_is(version, LW_JSON_STRING)) ||
        (start && !lw_node_is(start, LW_JSON_STRING)) ||
        (revision && !lw_node_int64(revision, &token->revision)))
        return refuse(err, ": not a continue token");
    lw_str text = lw_node_text(start);
    if (!lw_str_equal(lw_node_text(version), token_version))
        return lw_error_set(err, LW_ERR_INVALID,
                            "continue key is not valid: server does not recognize this encoded "
                            "version %.*s",
                            LW_STR_ARG(lw_node_text(version)));
    if (token->revision == 0)
        return refuse(err, ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    if (text.len == 0)
        return refuse(err, ": encoded start key empty (version meta.k8s.io/v1)");
    if (!is_clean(text))
        return lw_error_set(err, LW_ERR_INVALID, "continue key is not valid: %.*s",
                            LW_STR_ARG(text));
    lw_buf_append_str(&token->start, text.ptr[0] == '/' ? lw_str_skip(text, 1) : text);
    return token->start.st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_page_token_read(lw_page_token *token, lw_str text, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_buf json;
    token->revision = 0;
    lw_buf_init(&token->start, LW_PAGE_TOKEN_MAX);
    lw_buf_init(&json, LW_PAGE_TOKEN_MAX);
    lw_status st = LW_OK;
    bool is_base64 = text.len <= LW_PAGE_TOKEN_MAX && lw_base64url_decode(&json, text);
    if (json.st < 0)
        st = json.st;
    else if (is_base64)
        st = lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL);
    else
        st = refuse(err, ": illegal base64 data");
    lw_buf_done(&json);
    if (st == LW_OK)
        st = read_members(token, lw_tree_root(tree), err);
    else if (st == LW_ERR_NOMEM)
        st = lw_error_nomem(err);
    else if (st == LW_ERR_SYNTAX || st == LW_ERR_LIMIT)
        st = refuse(err, ": not JSON");
    lw_tree_free(tree);
    return st;
}

void lw_page_token_done(lw_page_token *token)
{
    lw_buf_done(&token->start);
}
