/* SPDX-License-Identifier: Apache-2.0 */
/* closest.c -- finds the word that a user probably meant, by the number of edits between words.
 *
 * A candidate is similar if about a third of its characters differ at most, or if the typed word is
 * its beginning. */
#include "closest.h"

#include <stdbool.h>
#include <string.h>

enum {
    LONGEST = 63, /* longer words are not compared */
};

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* The number of insertions, deletions, replacements and swaps of neighbours (optimal string
 * alignment). */
static size_t edits(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1] = { { 0 } };
    size_t a_len = strlen(a), b_len = strlen(b);
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *unused = before;
        before = last;
        last = row;
        row = unused;
    }
    return last[b_len];
}

void closest_offer(closest *c, const char *candidate)
{
    size_t len = strlen(c->word), candidate_len = strlen(candidate);
    if (len < 2 || len > LONGEST || candidate_len > LONGEST)
        return;
    bool is_beginning = len >= 3 && strncmp(c->word, candidate, len) == 0;
    size_t distance = is_beginning ? 1 : edits(c->word, candidate);
    size_t allowed = candidate_len < 3 ? 0 : (candidate_len + 2) / 3;
    if (!is_beginning && (distance > allowed || distance >= len))
        return;
    if (!c->found || distance < c->distance) {
        c->found = candidate;
        c->distance = distance;
    }
}
