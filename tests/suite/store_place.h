/* SPDX-License-Identifier: Apache-2.0 */
/* store_place.h -- a temporary folder for a durable store. */
#ifndef LW_TESTS_SUITE_STORE_PLACE_H
#define LW_TESTS_SUITE_STORE_PLACE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/test.h"

enum {
    STORE_PLACE_SIZE = 200, /* bytes of a path in it */
};

typedef struct store_place {
    char root[STORE_PLACE_SIZE / 2];
    char folder[STORE_PLACE_SIZE]; /* in the root; not created yet */
} store_place;

/* Writes the path of |name| in the folder of the store. */
static inline void store_place_path(const store_place *place, const char *name, char *out)
{
    int len = snprintf(out, STORE_PLACE_SIZE, "%s/%s", place->folder, name);
    assert_true(len > 0 && len < STORE_PLACE_SIZE);
}

static inline void store_place_make(store_place *place)
{
    const char *tmp = getenv("TMPDIR");
    int len = snprintf(place->root, sizeof(place->root), "%s/lw-store-XXXXXX", tmp ? tmp : "/tmp");
    assert_true(len > 0 && (size_t)len < sizeof(place->root));
    assert_non_null(mkdtemp(place->root));
    (void)snprintf(place->folder, sizeof(place->folder), "%s/a/b", place->root);
}

static inline void store_place_remove(store_place *place)
{
    static const char *const names[] = { "data.mdb",   "data.mdb.new", "lock.mdb",
                                         "owner.lock", "backup",       "" };
    char path[STORE_PLACE_SIZE];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        store_place_path(place, names[i], path);
        (void)remove(path);
    }
    (void)snprintf(path, sizeof(path), "%s/a", place->root);
    (void)remove(path);
    assert_int_equal(rmdir(place->root), 0);
}

#endif
