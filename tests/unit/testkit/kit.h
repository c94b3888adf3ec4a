/* SPDX-License-Identifier: Apache-2.0 */
/* kit.h -- what the tests of the test kit have in common. */
#ifndef LW_TESTS_UNIT_TESTKIT_KIT_H
#define LW_TESTS_UNIT_TESTKIT_KIT_H

#include <stdio.h>
#include <stdlib.h>

#include <listwatch/test.h>

#include "unit/test.h"

/* The call, whose last argument is |kit_err|, succeeds; otherwise the test fails with its
 * message. */
#define KIT_OK(call)                                                                               \
    do {                                                                                           \
        lw_error kit_error = LW_ERROR_INIT;                                                        \
        lw_error *kit_err = &kit_error;                                                            \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, kit_error.message);                                          \
    } while (0)

static lw_test *kit;

static inline int kit_set_up(void **state)
{
    (void)state;
    KIT_OK(lw_test_start(&kit, NULL, kit_err));
    return 0;
}

static inline int kit_tear_down(void **state)
{
    (void)state;
    lw_test_stop(kit);
    kit = NULL;
    return 0;
}

/* Creates the ConfigMap |name| with the value |v|, as the controller would. */
static inline lw_status kit_create(const char *name, const char *v, lw_error *err)
{
    char text[256];
    lw_object *obj = NULL;
    int len =
        snprintf(text, sizeof(text),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
                 "\"namespace\":\"default\"},\"data\":{\"v\":\"%s\"}}",
                 name, v);
    lw_status st = lw_object_from_json(&obj, text, (size_t)len, err);
    if (st == LW_OK)
        st = lw_client_create(lw_test_client(kit), lw_gvr_make("", "v1", "configmaps"), obj, NULL,
                              NULL, err);
    lw_object_unref(obj);
    return st;
}

static inline lw_status kit_get(const char *name, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_client_get(lw_test_client(kit), lw_gvr_make("", "v1", "configmaps"),
                                 "default", name, NULL, &obj, err);
    lw_object_unref(obj);
    return st;
}

#endif
