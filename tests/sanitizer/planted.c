/* SPDX-License-Identifier: Apache-2.0 */
/* planted.c -- one fault on demand, to show that the sanitizer of this build stops on it.  Without
 * this, a sanitizer that is silently off would look like a clean run. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void overflow(void)
{
    char *block = malloc(16);
    volatile size_t past = 16;
    if (block)
        block[past] = 'x';
    free(block);
}

static void leak(void)
{
    void *volatile block = malloc(16);
    block = NULL;
    (void)block;
}

static void undefined(void)
{
    volatile int most = INT_MAX;
    volatile int more = most + 1;
    (void)more;
}

static void *add_one(void *arg)
{
    (void)arg;
    shared++;
    return NULL;
}

static void race(void)
{
    pthread_t one, two;
    if (pthread_create(&one, NULL, add_one, NULL) != 0 ||
        pthread_create(&two, NULL, add_one, NULL) != 0)
        return;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

static const struct {
    const char *name;
    void (*plant)(void);
} faults[] = {
    { "overflow", overflow },
    { "leak", leak },
    { "undefined", undefined },
    { "race", race },
};

/* Exits with 0 when nobody minded. */
int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (strcmp(argv[1], faults[i].name) == 0)
            faults[i].plant();
    }
    return 0;
}
