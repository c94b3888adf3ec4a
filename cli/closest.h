/* SPDX-License-Identifier: Apache-2.0 */
/* closest.h -- finds the word that a user probably meant. */
#ifndef LISTWATCH_CLI_CLOSEST_H
#define LISTWATCH_CLI_CLOSEST_H

#include <stddef.h>

/* The best candidate so far.  Initialise with CLOSEST_INIT(word). */
typedef struct closest {
    const char *word;  /* what the user typed */
    const char *found; /* NULL: no candidate is similar */
    size_t distance;   /* of |found| */
} closest;

#define CLOSEST_INIT(typed)                                                                        \
    {                                                                                              \
        typed, NULL, 0                                                                             \
    }

/* Compares another candidate, which must live as long as |c| is used. */
void closest_offer(closest *c, const char *candidate);

#endif
