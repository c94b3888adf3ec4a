/* SPDX-License-Identifier: Apache-2.0 */
/* make.h -- objects for tests, from their JSON. */
#ifndef LW_TESTS_UNIT_OBJECT_MAKE_H
#define LW_TESTS_UNIT_OBJECT_MAKE_H

#include <listwatch/object.h>

#include "unit/test.h"

/* A new object to lw_object_unref; fails the test when |json| is none. */
static inline lw_object *object_of(const char *json)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_object_from_json(&obj, json, strlen(json), &err) < 0)
        fail_msg("%s at %llu in %s", err.message, (unsigned long long)err.offset, json);
    return obj;
}

#endif
