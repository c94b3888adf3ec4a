/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_etcd_object.c -- makes an object from a key and its value: the first line is the key below
 * the prefix, the rest is the value.  Any input makes an object with a name and the revision. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "informer/etcd/listwatch_etcd_object.h"

enum {
    SCRATCH_LIMIT = 64 << 20,
};

static void check(lw_str key, lw_str value, bool is_metadata_only)
{
    const lw_etcd_object_form form = { .directory = { key.ptr, 0 },
                                       .is_metadata_only = is_metadata_only };
    const lw_etcd_kv kv = { .key = key, .value = value, .create_revision = 3, .version = 1 };
    lw_object *obj = NULL, *gone = NULL;
    lw_buf scratch;
    lw_buf_init(&scratch, SCRATCH_LIMIT);
    if (lw_etcd_object_make(&obj, &form, &kv, 7, &scratch, NULL) != LW_OK ||
        lw_etcd_object_make_gone(&gone, &form, key, 9, &scratch, NULL) != LW_OK)
        abort();
    if (lw_object_revision(obj) != 7 || lw_object_revision(gone) != 9 ||
        lw_object_name(obj)[0] == '\0' || !lw_key_equal(lw_object_key(obj), lw_object_key(gone)))
        abort();
    lw_object_unref(obj);
    lw_object_unref(gone);
    lw_buf_done(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str key = lw_str_make((const char *)data, size), value = { NULL, 0 };
    const char *end = size > 0 ? memchr(data, '\n', size) : NULL;
    if (end) {
        key.len = (size_t)(end - key.ptr);
        value = lw_str_make(end + 1, size - key.len - 1);
    }
    check(key, value, false);
    check(key, value, true);
    return 0;
}
