/* SPDX-License-Identifier: Apache-2.0 */
/* store_encrypt.h -- encrypts the values of a server's store. */
#ifndef LW_SERVER_SETUP_STORE_ENCRYPT_H
#define LW_SERVER_SETUP_STORE_ENCRYPT_H

#include <listwatch/server.h>

#include "store/store.h"

/* Puts an encrypted store around |*store| if the options have an encryption configuration.  After
 * an error |*store| is as before; errors of lw_encryption_config_load. */
lw_status lw_server_encrypt_store(lw_store **store, const lw_server_options *options,
                                  lw_error *err);

#endif
