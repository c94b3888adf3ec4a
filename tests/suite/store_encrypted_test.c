/* SPDX-License-Identifier: Apache-2.0 */
/* store_encrypted_test.c -- the store suite on an encrypted store: every value is encrypted in a
 * memory store. */
#include "base/alloc.h"
#include "base/str.h"
#include "encryption/encrypted_store.h"
#include "store/memory.h"
#include "suite/store_suite.h"

static void *place_new(void)
{
    return lw_alloc(1);
}

static lw_status place_open(void *place, const lw_history_options *history, const lw_clock *clock,
                            lw_store **out, lw_error *err)
{
    static const char text[] = "apiVersion: apiserver.config.k8s.io/v1\n"
                               "kind: EncryptionConfiguration\n"
                               "resources:\n"
                               "- resources: ['*.*']\n"
                               "  providers:\n"
                               "  - aesgcm:\n"
                               "      keys:\n"
                               "      - name: key1\n"
                               "        secret: MDEyMzQ1Njc4OTAxMjM0NQ==\n";
    (void)place;
    lw_memory_store_options options = { .history = *history, .clock = clock };
    lw_encrypted_store_options encrypted = { .key_prefix = LW_STR("/") };
    lw_status st = lw_encryption_config_parse(&encrypted.config, lw_str_of(text), err);
    if (st == LW_OK)
        st = lw_memory_store_new(&encrypted.inner, &options, err);
    return st < 0 ? st : lw_encrypted_store_new(out, &encrypted, err);
}

int main(void)
{
    const store_backend encrypted = {
        .name = "store/encrypted",
        .place_new = place_new,
        .place_free = lw_free,
        .open = place_open,
    };
    return store_suite_run(&encrypted);
}
