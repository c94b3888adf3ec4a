/* SPDX-License-Identifier: Apache-2.0 */
/* things.h -- objects and documents out of JSON with ' for ", for tests of controllers. */
#ifndef LW_TESTS_UNIT_CONTROL_THINGS_H
#define LW_TESTS_UNIT_CONTROL_THINGS_H

#include <stdio.h>

#include <listwatch.h>

#include "unit/test.h"

/* |text| with " for '; lives until the next call. */
static inline const char *quoted(const char *text)
{
    static char json[4096];
    size_t len = strlen(text);
    assert_true(len < sizeof(json));
    for (size_t i = 0; i <= len; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    return json;
}

static inline lw_object *object_of(const char *text)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    const char *json = quoted(text);
    if (lw_object_from_json(&obj, json, strlen(json), &err) < 0)
        fail_msg("%s: %s", text, err.message);
    return obj;
}

static inline lw_document *document_of(const char *text)
{
    lw_document *doc = NULL;
    const char *json = quoted(text);
    assert_int_equal(lw_document_from_json(&doc, json, strlen(json), NULL), LW_OK);
    return doc;
}

#endif
