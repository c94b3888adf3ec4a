/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_object.c -- an object written with another revision is the same object at that revision. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "object/object.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void expect_same_identity(const lw_object *a, const lw_object *b)
{
    for (int i = LW_OBJECT_API_VERSION; i < LW_OBJECT_RESOURCE_VERSION; i++)
        expect(lw_str_equal(lw_object__field(a, (lw_object_field)i),
                            lw_object__field(b, (lw_object_field)i)));
    expect(lw_object_label_count(a) == lw_object_label_count(b));
    for (size_t i = 0; i < lw_object_label_count(a); i++) {
        lw_label x = lw_object_label_at(a, i), y = lw_object_label_at(b, i), found;
        expect(lw_str_equal(x.key, y.key) && lw_str_equal(x.value, y.value));
        expect(lw_object__find_label(b, x.key, &found.value));
        expect(lw_str_equal(found.value, x.value));
    }
}

/* Reads the object as programs do; nothing may crash. */
static void read_everything(const lw_object *obj)
{
    lw_owner_reference owner;
    (void)lw_object_annotation(obj, "x");
    (void)lw_object_controller(obj, &owner);
    (void)lw_object_string(obj, "/metadata/name", NULL);
    (void)lw_object_string(obj, "/a", NULL);
    (void)lw_object_int(obj, "/a/0", 0);
    (void)lw_object_bool(obj, "/spec/a", false);
    expect(lw_object_memory(obj) > lw_object_json(obj).len);
}

static void check_revision(const lw_object *obj, uint64_t rv)
{
    lw_object *again = NULL, *copy = NULL;
    const lw_read_options options = { .keeps_managed_fields = true };
    expect(lw_object_with_revision(&copy, obj, rv) == LW_OK);
    lw_str json = lw_object_json(copy);
    expect(lw_object_from_json_with(&again, json.ptr, json.len, &options, NULL) == LW_OK);
    expect_same_identity(obj, again);
    expect(lw_object_revision(again) == rv);
    expect_same_identity(copy, again);
    expect(lw_object_revision(copy) == rv);
    expect(lw_str_equal(lw_object__field(copy, LW_OBJECT_RESOURCE_VERSION),
                        lw_object__field(again, LW_OBJECT_RESOURCE_VERSION)));
    expect(copy->splice == again->splice && copy->splice_at == again->splice_at);
    expect(copy->splice_cut == again->splice_cut && copy->metadata_at == again->metadata_at);
    expect(copy->spec_at == again->spec_at);
    read_everything(copy);
    lw_object_unref(again);
    lw_object_unref(copy);
}

/* For invalid input that is trusted, any result is allowed, but no memory error. */
static void read_trusting(const uint8_t *data, size_t size)
{
    lw_object *obj = NULL, *copy = NULL;
    const lw_read_options options = { .trusts_input = true };
    if (lw_object_from_json_with(&obj, (const char *)data, size, &options, NULL) < 0)
        return;
    read_everything(obj);
    expect(lw_object_with_revision(&copy, obj, 7) == LW_OK);
    lw_object_unref(copy);
    lw_object_unref(obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_object *obj = NULL;
    read_trusting(data, size);
    if (lw_object_from_json(&obj, (const char *)data, size, NULL) < 0)
        return 0;
    read_everything(obj);
    check_revision(obj, 1);
    check_revision(obj, UINT64_MAX);
    lw_object_unref(obj);
    return 0;
}
