/* SPDX-License-Identifier: Apache-2.0 */
/* token_table.c -- bearer tokens and their users. */
#include "server/authn/token_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"

enum {
    FIELDS_MAX = 4,
    FIELDS_MIN = 3,
};

struct lw_token_table {
    /* The entries point into it; allocated as large as the file, so that it never moves. */
    lw_buf text;
    lw_authn_token *tokens;
    size_t count, cap;
    lw_map by_token;
    lw_map by_user; /* the last entry of each user */
};

bool lw_token_equal(lw_str a, lw_str b)
{
    unsigned char differences = 0;
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        differences |= (unsigned char)(a.ptr[i] ^ b.ptr[i]);
    return differences == 0;
}

static bool token_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_token_equal(((const lw_authn_token *)entry)->token, *(const lw_str *)key);
}

/* The hash is seeded, so the time of a lookup reveals nothing about the tokens. */
static const lw_map_type tokens_by_token = { lw_map__str_hash, token_has_key, 0 };

static const lw_map_type tokens_by_user = LW_MAP_STR_TYPE(lw_authn_token, user);

/* Appends a quoted field; the opening quote has been read.  False: the closing quote is missing. */
static bool read_quoted(lw_buf *text, lw_str *rest)
{
    lw_str part;
    while (lw_str_cut(*rest, '"', &part, rest)) {
        lw_buf_append_str(text, part);
        if (rest->len == 0 || rest->ptr[0] != '"')
            return true;
        lw_buf_append_char(text, '"');
        *rest = lw_str_skip(*rest, 1);
    }
    return false;
}

/* Appends a field and leaves |*rest| at the comma after it, or empty.  Returns NULL or an error
 * message. */
static const char *read_field(lw_buf *text, lw_str *rest)
{
    if (rest->len > 0 && rest->ptr[0] == '"') {
        *rest = lw_str_skip(*rest, 1);
        if (!read_quoted(text, rest))
            return "missing closing quote";
        return rest->len == 0 || rest->ptr[0] == ',' ? NULL : "text follows a closing quote";
    }
    const char *comma = rest->len > 0 ? memchr(rest->ptr, ',', rest->len) : NULL;
    lw_str plain = lw_str_make(rest->ptr, comma ? (size_t)(comma - rest->ptr) : rest->len);
    if (plain.len > 0 && memchr(plain.ptr, '"', plain.len))
        return "quote inside an unquoted field";
    lw_buf_append_str(text, plain);
    *rest = lw_str_skip(*rest, plain.len);
    return NULL;
}

/* Parses the fields of a line into |token|.  Returns NULL or an error message. */
static const char *read_line(lw_buf *text, lw_str line, lw_authn_token *token)
{
    lw_str *fields[FIELDS_MAX] = { &token->token, &token->user, &token->uid, &token->groups };
    size_t count = 0;
    for (bool is_more = true; is_more; count++) {
        if (count == FIELDS_MAX)
            return "more than four fields; put several groups into one quoted field";
        size_t start = text->len;
        const char *fault = read_field(text, &line);
        if (fault)
            return fault;
        *fields[count] = lw_str_trim(lw_str_make(text->data + start, text->len - start));
        is_more = line.len > 0;
        line = lw_str_skip(line, 1);
    }
    if (count < FIELDS_MIN)
        return "token, user and uid are required, separated by commas";
    if (token->token.len == 0)
        return "the token is empty";
    return token->user.len == 0 ? "the user is empty" : NULL;
}

static lw_status add_token(lw_token_table *table, const lw_authn_token *token)
{
    if (table->count == LW_TOKENS_MAX)
        return LW_ERR_LIMIT;
    if (table->count == table->cap) {
        size_t cap = table->cap ? table->cap * 2 : 16;
        lw_authn_token *more = lw_realloc_array(table->tokens, cap, sizeof(*more));
        if (!more)
            return LW_ERR_NOMEM;
        table->tokens = more;
        table->cap = cap;
    }
    table->tokens[table->count++] = *token;
    return LW_OK;
}

/* Builds the maps after all entries have been added and no longer move. */
static lw_status index_tokens(lw_token_table *table, lw_error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        lw_authn_token *token = &table->tokens[i];
        void *replaced = NULL;
        if (lw_map_put(&table->by_token, &token->token, token, &replaced) < 0)
            return lw_error_nomem(err);
        if (replaced)
            return lw_error_set(err, LW_ERR_INVALID, "users %.*s and %.*s have the same token",
                                LW_STR_ARG(((lw_authn_token *)replaced)->user),
                                LW_STR_ARG(token->user));
        if (lw_map_put(&table->by_user, &token->user, token, &replaced) < 0)
            return lw_error_nomem(err);
    }
    return LW_OK;
}

static lw_status read_lines(lw_token_table *table, lw_str text, lw_error *err)
{
    size_t number = 0;
    while (text.len > 0) {
        lw_str line;
        lw_authn_token token = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
        (void)lw_str_cut(text, '\n', &line, &text);
        number++;
        line = lw_str_trim(line);
        if (line.len == 0)
            continue;
        const char *fault = read_line(&table->text, line, &token);
        if (fault)
            return lw_error_set(err, LW_ERR_INVALID, "line %zu: %s", number, fault);
        lw_status st = add_token(table, &token);
        if (st == LW_ERR_LIMIT)
            return lw_error_set(err, st, "line %zu: more than %d tokens", number, LW_TOKENS_MAX);
        if (st < 0)
            return lw_error_nomem(err);
    }
    return LW_OK;
}

lw_status lw_token_table_parse(lw_token_table **out, lw_str text, lw_error *err)
{
    if (text.len > LW_TOKEN_FILE_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the file is larger than %d bytes",
                            LW_TOKEN_FILE_MAX);
    lw_token_table *table = lw_alloc_zero(1, sizeof(*table));
    if (!table)
        return lw_error_nomem(err);
    lw_buf_init(&table->text, LW_TOKEN_FILE_MAX);
    lw_map_init(&table->by_token, &tokens_by_token, lw_hash_seed_random(), LW_TOKENS_MAX);
    lw_map_init(&table->by_user, &tokens_by_user, lw_hash_seed_random(), LW_TOKENS_MAX);
    /* At least one byte, so that there is an address to point to.  The parsed text is never longer
     * than the file. */
    lw_status st = lw_buf_reserve(&table->text, text.len > 0 ? text.len : 1);
    st = st < 0 ? lw_error_nomem(err) : read_lines(table, text, err);
    if (st == LW_OK)
        st = index_tokens(table, err);
    if (st < 0) {
        lw_token_table_free(table);
        return st;
    }
    *out = table;
    return LW_OK;
}

void lw_token_table_free(lw_token_table *table)
{
    if (!table)
        return;
    lw_map_done(&table->by_user);
    lw_map_done(&table->by_token);
    lw_free(table->tokens);
    lw_buf_done(&table->text);
    lw_free(table);
}

const lw_authn_token *lw_token_table_find(const lw_token_table *table, lw_str token)
{
    return lw_map_get_str(&table->by_token, token);
}

bool lw_token_table_has_user(const lw_token_table *table, lw_str name)
{
    return lw_map_get_str(&table->by_user, name) != NULL;
}

size_t lw_token_table_count(const lw_token_table *table)
{
    return table->count;
}
