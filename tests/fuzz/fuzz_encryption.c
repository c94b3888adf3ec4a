/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_encryption.c -- any bytes as an encryption configuration, as a stored value, and as a value
 * that is stored: a configuration that is accepted has keys, nothing but the right key decrypts,
 * and what was encrypted is decrypted to itself. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "encryption/config.h"
#include "fuzz/fuzz.h"

enum {
    ROOM = 1 << 20,
};

#define SECRET "0123456789abcdef0123456789abcdef"

static lw_encryption_key ring[] = {
    { LW_ENCRYPTION_AESCBC, LW_STR_INIT("k8s:enc:aescbc:v1:fuzz:"), SECRET, 24 },
    { LW_ENCRYPTION_AESGCM, LW_STR_INIT("k8s:enc:aesgcm:v1:fuzz:"), SECRET, 32 },
    { LW_ENCRYPTION_SECRETBOX, LW_STR_INIT("k8s:enc:secretbox:v1:fuzz:"), SECRET, 32 },
    { LW_ENCRYPTION_IDENTITY, LW_STR_INIT(""), "", 0 },
};

static void read_configuration(lw_str text)
{
    lw_encryption_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_encryption_config_parse(&config, text, &err);
    if (st < 0 && (config || err.message[0] == '\0'))
        abort(); /* a rejected file gives no configuration, and has a reason */
    if (st == LW_OK) {
        const lw_encryption_keys *keys =
            lw_encryption_config_find(config, LW_STR(""), LW_STR("secrets"));
        for (size_t i = 0; i < keys->count; i++) {
            bool is_plain = keys->at[i].provider == LW_ENCRYPTION_IDENTITY;
            if (is_plain ? keys->at[i].secret_len != 0 : keys->at[i].secret_len < 16)
                abort();
        }
    }
    lw_encryption_config_free(config);
}

static void read_stored(lw_str stored)
{
    const lw_encryption_keys keys = { ring, 4 };
    lw_buf scratch;
    lw_str value;
    bool is_stale;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&scratch, ROOM);
    lw_status st =
        lw_encryption_open(&keys, LW_STR("/key"), stored, &scratch, &value, &is_stale, &err);
    if (st < 0 && err.message[0] == '\0')
        abort();
    if (st == LW_OK && lw_encryption_is_encrypted(stored) && value.ptr == stored.ptr)
        abort(); /* never show what is encrypted */
    if (st == LW_OK && !lw_encryption_is_encrypted(stored) && !lw_str_equal(value, stored))
        abort();
    lw_buf_done(&scratch);
}

static void store_and_read(lw_str value)
{
    for (size_t i = 0; i < 3; i++) {
        const lw_encryption_keys keys = { &ring[i], 1 };
        lw_buf stored, scratch;
        lw_str back;
        bool is_stale;
        lw_buf_init(&stored, ROOM);
        lw_buf_init(&scratch, ROOM);
        if (lw_encryption_seal(&keys, LW_STR("/key"), value, &stored) < 0 ||
            lw_encryption_open(&keys, LW_STR("/key"), lw_buf_view(&stored), &scratch, &back,
                               &is_stale, NULL) < 0 ||
            !lw_str_equal(back, value) || is_stale)
            abort();
        lw_buf_done(&scratch);
        lw_buf_done(&stored);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str text = lw_str_make((const char *)data, size);
    if (size > ROOM / 2)
        return 0;
    read_configuration(text);
    read_stored(text);
    store_and_read(text);
    return 0;
}
