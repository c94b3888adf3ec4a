/* SPDX-License-Identifier: Apache-2.0 */
/* store_encrypt.c -- says where the objects of each built-in resource are, for its encryption. */
#include "server/setup/store_encrypt.h"

#include "base/alloc.h"
#include "base/error.h"
#include "encryption/encrypted_store.h"
#include "schema/kinds/kind.h"
#include "server/setup/store_open.h"

static lw_status wrap(lw_store **store, lw_encryption_config *config, lw_str prefix, lw_error *err)
{
    size_t kind_count = 0, count = 0;
    const lw_kind *const *kinds = lw_kinds_builtin(&kind_count);
    lw_encrypted_resource *resources = lw_alloc_zero(kind_count, sizeof(*resources));
    if (!resources)
        return lw_error_nomem(err);
    for (size_t i = 0; i < kind_count; i++) {
        if (kinds[i]->storage.len > 0 && !kinds[i]->stored_as)
            resources[count++] =
                (lw_encrypted_resource){ kinds[i]->storage, kinds[i]->group, kinds[i]->plural };
    }
    const lw_encrypted_store_options wanted = {
        .inner = *store,
        .config = config,
        .key_prefix = prefix,
        .resources = resources,
        .count = count,
    };
    lw_status st = lw_encrypted_store_new(store, &wanted, err);
    lw_free(resources);
    return st;
}

lw_status lw_server_encrypt_store(lw_store **store, const lw_server_options *options, lw_error *err)
{
    lw_encryption_config *config = NULL;
    lw_buf prefix;
    if (!options->encryption_config_file)
        return LW_OK;
    lw_status st = lw_encryption_config_load(&config, options->encryption_config_file, err);
    if (st < 0)
        return st;
    lw_buf_init(&prefix, LW_STORE_KEY_MAX);
    lw_server_append_key_prefix(options, &prefix);
    st = prefix.st < 0 ? lw_error_nomem(err) : wrap(store, config, lw_buf_view(&prefix), err);
    lw_buf_done(&prefix);
    if (st < 0)
        lw_encryption_config_free(config);
    return st;
}
