/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c -- prints the difference of two texts.
 *
 * The lines that are equal at the beginning and at the end are left out first; what is between is
 * compared by the longest common subsequence, or, if it is very long, shown as replaced. */
#include "lines.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "grid.h"

enum {
    CONTEXT = 3,
    CELLS_MAX = 16 * 1000 * 1000,
};

typedef struct line {
    const char *at;
    size_t len;
} line;

typedef struct lines {
    line *at;
    size_t count;
} lines;

/* One line of the result: ' ', '-' or '+'. */
typedef struct change {
    char sign;
    line text;
} change;

typedef struct changes {
    change *at;
    size_t count;
} changes;

static lw_status split(lines *out, const char *text)
{
    size_t count = 0;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    out->at = calloc(count + 2, sizeof(*out->at));
    out->count = 0;
    if (!out->at)
        return LW_ERR_NOMEM;
    while (*text) {
        size_t len = strcspn(text, "\n");
        out->at[out->count++] = (line){ text, len };
        text += len + (text[len] == '\n');
    }
    return LW_OK;
}

static bool is_equal(const line *a, const line *b)
{
    return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

static void add(changes *to, char sign, const line *text)
{
    to->at[to->count++] = (change){ sign, *text };
}

/* Adds the changes between two ranges; |table| has the length of the longest common subsequence of
 * the rest from each pair of lines on. */
static void compare_with(changes *out, const line *a, size_t n, const line *b, size_t m,
                         uint32_t *table)
{
    size_t row = m + 1;
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            uint32_t down = table[(i + 1) * row + j], right = table[i * row + j + 1];
            table[i * row + j] = is_equal(&a[i], &b[j]) ? table[(i + 1) * row + j + 1] + 1
                                 : down > right         ? down
                                                        : right;
        }
    }
    size_t i = 0, j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && is_equal(&a[i], &b[j])) {
            add(out, ' ', &a[i++]);
            j++;
        } else if (i < n && (j == m || table[(i + 1) * row + j] >= table[i * row + j + 1])) {
            add(out, '-', &a[i++]);
        } else {
            add(out, '+', &b[j++]);
        }
    }
}

static lw_status compare_middle(changes *out, const line *a, size_t n, const line *b, size_t m)
{
    uint32_t *table = NULL;
    if ((n + 1) > CELLS_MAX / (m + 1)) {
        for (size_t i = 0; i < n; i++)
            add(out, '-', &a[i]);
        for (size_t j = 0; j < m; j++)
            add(out, '+', &b[j]);
        return LW_OK;
    }
    table = calloc((n + 1) * (m + 1), sizeof(*table));
    if (!table)
        return LW_ERR_NOMEM;
    compare_with(out, a, n, b, m, table);
    free(table);
    return LW_OK;
}

static lw_status compare(changes *out, const lines *a, const lines *b)
{
    size_t head = 0, tail = 0;
    size_t least = a->count < b->count ? a->count : b->count;
    out->at = calloc(a->count + b->count + 1, sizeof(*out->at));
    if (!out->at)
        return LW_ERR_NOMEM;
    while (head < least && is_equal(&a->at[head], &b->at[head]))
        head++;
    while (tail < least - head &&
           is_equal(&a->at[a->count - 1 - tail], &b->at[b->count - 1 - tail]))
        tail++;
    for (size_t i = 0; i < head; i++)
        add(out, ' ', &a->at[i]);
    lw_status st = compare_middle(out, a->at + head, a->count - head - tail, b->at + head,
                                  b->count - head - tail);
    for (size_t i = 0; i < tail; i++)
        add(out, ' ', &a->at[a->count - tail + i]);
    return st;
}

static void print_line(const change *c, bool has_colours)
{
    const char *colour = !has_colours || c->sign == ' ' ? ""
                         : c->sign == '-'               ? "\033[31m"
                                                        : "\033[32m";
    fputs(colour, stdout);
    putchar(c->sign);
    for (size_t i = 0; i < c->text.len; i++)
        print_plain((const char[]){ c->text.at[i], '\0' });
    puts(colour[0] ? COLOUR_END : "");
}

/* Returns the end of the hunk that begins at |from|: no change follows within the context. */
static size_t hunk_end(const changes *all, size_t from)
{
    size_t end = from, same = 0;
    for (size_t i = from; i < all->count && same <= 2 * CONTEXT; i++) {
        same = all->at[i].sign == ' ' ? same + 1 : 0;
        if (same == 0)
            end = i + 1;
    }
    return end + CONTEXT < all->count ? end + CONTEXT : all->count;
}

static void print_hunks(const changes *all)
{
    bool has_colours = colour_is_on();
    size_t done = 0, a = 1, b = 1; /* the next line of each text */
    for (size_t i = 0; i < all->count;) {
        if (all->at[i].sign == ' ') {
            i++;
            continue;
        }
        size_t from = i > done + CONTEXT ? i - CONTEXT : done, end = hunk_end(all, i);
        a += from - done;
        b += from - done;
        size_t a_count = 0, b_count = 0;
        for (size_t k = from; k < end; k++) {
            a_count += all->at[k].sign != '+';
            b_count += all->at[k].sign != '-';
        }
        printf("@@ -%zu,%zu +%zu,%zu @@\n", a_count ? a : a - 1, a_count, b_count ? b : b - 1,
               b_count);
        for (size_t k = from; k < end; k++)
            print_line(&all->at[k], has_colours);
        a += a_count;
        b += b_count;
        i = done = end;
    }
}

lw_status lines_print_difference(const char *name, const char *before, const char *after,
                                 bool *is_same)
{
    lines a = { NULL, 0 }, b = { NULL, 0 };
    changes all = { NULL, 0 };
    *is_same = strcmp(before, after) == 0;
    if (*is_same)
        return LW_OK;
    lw_status st = split(&a, before);
    if (st == LW_OK)
        st = split(&b, after);
    if (st == LW_OK)
        st = compare(&all, &a, &b);
    if (st == LW_OK) {
        printf("--- live/%s\n+++ applied/%s\n", name, name);
        print_hunks(&all);
    }
    free(all.at);
    free(a.at);
    free(b.at);
    return st;
}
