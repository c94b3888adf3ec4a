/* SPDX-License-Identifier: Apache-2.0 */
/* outline.c -- indented lines "Label:  value" whose values are aligned. */
#include "outline.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grid.h"
#include "jsonpath.h"

enum {
    GAP = 2,
    INDENT = 2,
    LABEL_SIZE = 256,
    DEPTH_MAX = 64,
};

typedef struct outline_line {
    char *label; /* with its indentation */
    char *value; /* NULL: none */
} outline_line;

struct outline {
    outline_line *lines;
    size_t count, size;
    lw_status st;
};

outline *outline_new(void)
{
    return calloc(1, sizeof(outline));
}

static void clear(outline *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->lines[i].label);
        free(o->lines[i].value);
    }
    o->count = 0;
}

void outline_free(outline *o)
{
    if (!o)
        return;
    clear(o);
    free(o->lines);
    free(o);
}

static bool make_room(outline *o)
{
    if (o->count < o->size)
        return true;
    size_t size = o->size ? o->size * 2 : 64;
    outline_line *grown = realloc(o->lines, size * sizeof(*grown));
    if (!grown)
        return false;
    o->lines = grown;
    o->size = size;
    return true;
}

void outline_add(outline *o, int level, const char *label, const char *value)
{
    size_t indent = (size_t)level * INDENT, len = strlen(label);
    char *text = calloc(1, indent + len + 1), *copy = value ? strdup(value) : NULL;
    if (!text || (value && !copy) || !make_room(o)) {
        free(text);
        free(copy);
        o->st = LW_ERR_NOMEM;
        return;
    }
    memset(text, ' ', indent);
    memcpy(text + indent, label, len);
    o->lines[o->count++] = (outline_line){ text, copy };
}

static bool is_acronym(const char *word)
{
    static const char *const words[] = { "API", "URL", "UID", "OSB", "GUID" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* Appends a word, in upper case or with a capital. */
static void add_word(char label[LABEL_SIZE], const char *word)
{
    size_t used = strlen(label);
    if (!word[0] || used + strlen(word) + 2 >= LABEL_SIZE)
        return;
    if (used > 0)
        label[used++] = ' ';
    bool is_upper = is_acronym(word);
    for (size_t i = 0; word[i]; i++)
        label[used++] = (char)(i == 0 || is_upper ? toupper((unsigned char)word[i]) : word[i]);
    label[used] = '\0';
}

/* True if a word of |len| characters ends before the character |i|, with the rules of kubectl:
 * "hostIPs" has the words host, I and Ps, but "podCIDRs" pod and CIDRs. */
static bool ends_word(lw_str key, size_t i, size_t len)
{
    unsigned char before = (unsigned char)key.ptr[i - 1], c = (unsigned char)key.ptr[i];
    if (c == '-' || before == '-')
        return true;
    return isupper(c) && (islower(before) || (len == 1 && i + 1 < key.len && isupper(before) &&
                                              islower((unsigned char)key.ptr[i + 1])));
}

static bool is_plain_name(lw_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (!isalpha((unsigned char)key.ptr[i]) && key.ptr[i] != '-')
            return false;
    }
    return key.len > 0 && key.len < LABEL_SIZE / 3;
}

/* "creationTimestamp" becomes "Creation Timestamp:"; what is not a name of a field stays. */
static void make_label(lw_str key, char label[LABEL_SIZE])
{
    char word[LABEL_SIZE];
    size_t len = 0;
    label[0] = '\0';
    if (!is_plain_name(key)) {
        (void)snprintf(label, LABEL_SIZE, "%.*s:", (int)key.len, key.ptr);
        return;
    }
    for (size_t i = 0; i < key.len; i++) {
        if (len > 0 && ends_word(key, i, len)) {
            word[len] = '\0';
            add_word(label, word);
            len = 0;
        }
        word[len++] = key.ptr[i];
    }
    word[len] = '\0';
    add_word(label, word);
    size_t used = strlen(label);
    (void)snprintf(label + used, LABEL_SIZE - used, ":");
}

static bool is_hidden(lw_str key, const char *const *hidden)
{
    for (; hidden && *hidden; hidden++) {
        if (lw_str_equal(key, lw_str_of(*hidden)))
            return true;
    }
    return false;
}

static bool is_object(lw_document *doc, const lw_value *value)
{
    lw_str json;
    return lw_document_json(doc, value, &json, NULL) == LW_OK && json.ptr[0] == '{';
}

static void add_value(outline *o, int level, const char *label, lw_document *doc,
                      const lw_value *value);

static void add_items(outline *o, int level, lw_document *doc, const lw_value *array)
{
    for (size_t i = 0; i < lw_document_count(array); i++) {
        const lw_value *item = lw_document_item(array, i);
        const char *text = lw_document_count(item) == 0 ? jsonpath_text(doc, item) : NULL;
        if (text)
            outline_add(o, level, text, NULL);
        else
            outline_add_members(o, level, doc, item, NULL);
    }
}

static void add_value(outline *o, int level, const char *label, lw_document *doc,
                      const lw_value *value)
{
    const char *text = lw_document_count(value) == 0 ? jsonpath_text(doc, value) : NULL;
    bool is_empty = text && (strcmp(text, "{}") == 0 || strcmp(text, "[]") == 0) &&
                    !lw_document_string(doc, value, "", NULL);
    if (text && !is_empty) {
        outline_add(o, level, label, text);
        return;
    }
    outline_add(o, level, label, NULL);
    if (level >= DEPTH_MAX)
        return;
    if (is_object(doc, value))
        outline_add_members(o, level + 1, doc, value, NULL);
    else
        add_items(o, level + 1, doc, value);
}

static int compare_members(const void *a, const void *b)
{
    const lw_str *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->ptr, y->ptr, len);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

void outline_add_members(outline *o, int level, lw_document *doc, const lw_value *value,
                         const char *const *hidden)
{
    size_t count = lw_document_count(value);
    lw_str *keys = calloc(count + 1, sizeof(*keys));
    if (!keys) {
        o->st = LW_ERR_NOMEM;
        return;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = lw_document_key(value, i);
    qsort(keys, count, sizeof(*keys), compare_members);
    for (size_t i = 0; i < count; i++) {
        char label[LABEL_SIZE];
        for (size_t j = 0; j < count && !is_hidden(keys[i], hidden); j++) {
            if (lw_str_equal(lw_document_key(value, j), keys[i])) {
                make_label(keys[i], label);
                add_value(o, level, label, doc, lw_document_item(value, j));
                break;
            }
        }
    }
    free(keys);
}

/* Prints a value of several lines below one another. */
static void print_value(const char *value, size_t column)
{
    while (*value) {
        size_t len = strcspn(value, "\n");
        for (size_t i = 0; i < len; i++)
            print_plain((const char[]){ value[i], '\0' });
        value += len;
        if (*value++ != '\n')
            return;
        putchar('\n');
        for (size_t i = 0; *value && i < column; i++)
            putchar(' ');
    }
}

lw_status outline_print(outline *o)
{
    for (size_t i = 0; i < o->count;) {
        size_t end = i, width = 0;
        for (; end < o->count && o->lines[end].value; end++) {
            size_t len = strlen(o->lines[end].label);
            width = len > width ? len : width;
        }
        for (; i < end; i++) {
            print_plain(o->lines[i].label);
            for (size_t k = strlen(o->lines[i].label); k < width + GAP; k++)
                putchar(' ');
            print_value(o->lines[i].value, width + GAP);
            putchar('\n');
        }
        if (i < o->count && !o->lines[i].value) {
            print_plain(o->lines[i++].label);
            putchar('\n');
        }
    }
    clear(o);
    return o->st;
}
