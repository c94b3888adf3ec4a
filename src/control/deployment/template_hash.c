/* SPDX-License-Identifier: Apache-2.0 */
/* template_hash.c -- a hash of a tree of values. */
#include "deployment/template_hash.h"

#include <stdio.h>

#include "runtime/hash.h"

static uint64_t mix(uint64_t hash, uint64_t more)
{
    char bytes[sizeof(more)];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(more >> (8 * i));
    return lw_hash_add(hash, lw_str_make(bytes, sizeof(bytes)));
}

/* 0: treated as absent. */
static uint64_t scalar_hash(lw_document *doc, const lw_value *value)
{
    static const char *const absent[] = { "null", "{}", "[]", "\"\"" };
    lw_str text = { NULL, 0 };
    if (lw_document_json(doc, value, &text, NULL) < 0)
        return 0;
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        if (lw_str_equal(text, lw_str_of(absent[i])))
            return 0;
    }
    return lw_hash_add(LW_HASH_INIT, text);
}

/* The recursion is limited by the maximum depth of a document. */
static uint64_t value_hash(lw_document *doc, const lw_value *value)
{
    size_t count = lw_document_count(value);
    uint64_t members = 0, elements = LW_HASH_INIT;
    if (count == 0)
        return scalar_hash(doc, value);
    for (size_t i = 0; i < count; i++) {
        lw_str key = lw_document_key(value, i);
        uint64_t hash = value_hash(doc, lw_document_item(value, i));
        if (key.len == 0)
            elements = mix(elements, hash);
        else if (hash != 0 && !lw_str_equal(key, lw_str_of(LW_TEMPLATE_LABEL)))
            members += mix(lw_hash_add(LW_HASH_INIT, key), hash); /* independent of the order */
    }
    if (elements != LW_HASH_INIT)
        return elements;
    return members;
}

uint64_t lw_template_hash(lw_document *doc, const lw_value *pod_template)
{
    return value_hash(doc, pod_template);
}

void lw_template_hash_text(char text[LW_TEMPLATE_HASH_SIZE], uint64_t hash, int64_t collisions)
{
    /* The alphabet of Kubernetes for such names: no vowels and no ambiguous characters. */
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    if (collisions > 0)
        hash = mix(hash, (uint64_t)collisions);
    for (size_t i = 0; i + 1 < LW_TEMPLATE_HASH_SIZE; i++) {
        text[i] = letters[hash % (sizeof(letters) - 1)];
        hash /= sizeof(letters) - 1;
    }
    text[LW_TEMPLATE_HASH_SIZE - 1] = '\0';
}
