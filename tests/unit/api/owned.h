/* SPDX-License-Identifier: Apache-2.0 */
/* owned.h -- objects that name their owners, in a world that lives. */
#ifndef LW_TESTS_UNIT_API_OWNED_H
#define LW_TESTS_UNIT_API_OWNED_H

#include "unit/api/lived.h"

#define CONFIGMAPS DEFAULT "configmaps"

enum {
    UID_SIZE = 37,
    BODY_SIZE = 2048,
};

/* Makes |name| in |collection|, with |metadata| (",..." or ""); its uid to |uid|. */
static inline void make(api_world *world, const char *collection, const char *name,
                        const char *metadata, char uid[UID_SIZE])
{
    static const char mark[] = "\"uid\":\"";
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"%s}}", name, metadata);
    fake_http *http = send(world, "POST", collection, body, 201);
    /* Its own comes before those of its owners. */
    const char *at = memmem(http->body.data, http->body.len, mark, sizeof(mark) - 1);
    assert_non_null(at);
    if (uid)
        (void)snprintf(uid, UID_SIZE, "%s", at + sizeof(mark) - 1);
    fake_http_free(http);
}

/* A reference as JSON; in one of two texts, so that two can be used at once. */
static inline const char *ref_in(const char *api_version, const char *kind, const char *name,
                                 const char *uid, bool blocks)
{
    static char texts[2][512];
    static int next;
    char *text = texts[next++ % 2];
    (void)snprintf(text, sizeof(texts[0]),
                   "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\"%s}",
                   api_version, kind, name, uid, blocks ? ",\"blockOwnerDeletion\":true" : "");
    return text;
}

/* The same of a core kind. */
static inline const char *ref(const char *kind, const char *name, const char *uid, bool blocks)
{
    return ref_in("v1", kind, name, uid, blocks);
}

/* Makes a ConfigMap that is owned by one or two (|other| may be NULL). */
static inline void make_owned(api_world *world, const char *name, const char *owner,
                              const char *other, const char *more, char uid[UID_SIZE])
{
    char metadata[BODY_SIZE];
    (void)snprintf(metadata, sizeof(metadata), ",\"ownerReferences\":[%s%s%s]%s", owner,
                   other ? "," : "", other ? other : "", more);
    make(world, CONFIGMAPS, name, metadata, uid);
}

static inline void drop_finalizers(api_world *world, const char *target)
{
    do_send_as(world, "PATCH", target, MERGE_PATCH, "{\"metadata\":{\"finalizers\":null}}", 200);
}

#endif
