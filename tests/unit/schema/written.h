/* SPDX-License-Identifier: Apache-2.0 */
/* written.h -- documents for tests: a registry, a writer, and what was written. */
#ifndef LW_TESTS_UNIT_SCHEMA_WRITTEN_H
#define LW_TESTS_UNIT_SCHEMA_WRITTEN_H

#include "schema/kinds/registry.h"
#include "unit/test.h"
#include "json/path.h"
#include "json/scan.h"
#include "json/writer.h"

enum {
    WRITTEN_MAX = 64 * 1024 * 1024,
};

/* A test that gets a fresh written as its state. */
#define DOCUMENT_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, written_set_up, written_tear_down)

typedef struct written {
    lw_registry *registry;
    lw_buf buf;
    lw_json_writer w;
} written;

static inline int written_set_up(void **state)
{
    static written all;
    if (lw_registry_new(&all.registry) < 0)
        return -1;
    lw_buf_init(&all.buf, WRITTEN_MAX);
    lw_json_writer_init(&all.w, &all.buf, LW_JSON_COMPACT);
    *state = &all;
    return 0;
}

static inline int written_tear_down(void **state)
{
    written *all = *state;
    lw_buf_done(&all->buf);
    lw_registry_unref(all->registry);
    return 0;
}

/* Forgets what was written. */
static inline void written_reset(written *all)
{
    lw_buf_reset(&all->buf);
    lw_json_writer_init(&all->w, &all->buf, LW_JSON_COMPACT);
}

/* The whole document, which must be valid JSON. */
static inline lw_str written_json(const written *all)
{
    lw_error err = LW_ERROR_INIT;
    lw_str json = lw_buf_view(&all->buf);
    assert_int_equal(lw_json_writer_status(&all->w), LW_OK);
    if (lw_json_validate(json, 64, &err) < 0)
        fail_msg("%s at %llu", err.message, (unsigned long long)err.offset);
    return json;
}

/* The value at |pointer|, as it stands there; "" when there is none. */
static inline lw_str written_at(const written *all, const char *pointer)
{
    lw_str value;
    if (lw_json_path_find(written_json(all), lw_str_of(pointer), &value) < 0)
        return lw_str_of("");
    return value;
}

#endif
