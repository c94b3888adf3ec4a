/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_state_file.c -- a saved cache: any bytes are refused with a reason, or give as many objects
 * as the head says, which can be unpacked.  The checksum is put right as well, so
 * that what is behind it is reached.  Bodies that are JSON are not decoded: they are trusted, as
 * the checksum is right. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "schema/message/message.h"
#include "state/state_file.h"

enum {
    OUT_MAX = 1 << 24,
};

typedef struct reading {
    lw_buf json;
    size_t count;
    size_t read; /* bytes */
    size_t notes;
} reading;

static void use(const lw_object *obj, lw_buf *json)
{
    lw_key key = lw_object_key(obj);
    lw_object *opened = lw_compact_open_ref(obj);
    if (key.name.len != strlen(lw_object_name(obj)) && !memchr(key.name.ptr, '\0', key.name.len))
        abort();
    (void)lw_object_label(obj, "app");
    lw_buf_reset(json);
    bool is_message = obj->is_packed ? opened == obj : obj->is_message;
    if (is_message)
        (void)!lw_object__append_json(obj, json);
    lw_object_unref(opened);
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    reading *r = arg;
    (void)err;
    r->count++;
    use(obj, &r->json);
    return LW_OK;
}

static void on_note(uint32_t note, void *arg)
{
    reading *r = arg;
    r->notes += note != 0;
}

static void parse(const char *bytes, size_t size, lw_str identity)
{
    lw_state state = { .packer = NULL };
    reading r = { .count = 0 };
    const lw_saved_sink sink = { .on_object = on_object,
                                 .find_message = lw_message_find_kind,
                                 .arg = &r,
                                 .on_note = on_note,
                                 .read = &r.read };
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&r.json, OUT_MAX);
    lw_status st = lw_state_parse(lw_str_make(bytes, size), identity, &sink, &state, &err);
    if (st < 0 ? err.message[0] == '\0' : state.resource_version[0] == '\0')
        abort();
    if (r.read > size || r.notes > size || (st == LW_OK && r.count > size))
        abort();
    lw_compact_close(state.packer);
    lw_buf_done(&r.json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse((const char *)data, size, LW_STR("i"));
    if (size < LW_STATE_HEAD + 1)
        return 0;
    char *bytes = lw_alloc(size);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    memcpy(bytes, "LWSTATE\n\0\0\0\0", 12);
    bytes[8] = LW_STATE_VERSION;
    uint32_t sum = lw_crc32c(0, bytes + LW_STATE_HEAD, size - LW_STATE_HEAD);
    sum = lw_crc32c(sum, bytes + 16, LW_STATE_HEAD - 16);
    for (int i = 0; i < 4; i++)
        bytes[12 + i] = (char)(unsigned char)(sum >> (8 * i));
    parse(bytes, size, lw_str_make(bytes + LW_STATE_HEAD, 1));
    lw_free(bytes);
    return 0;
}
