/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_url.h -- downloads a manifest. */
#ifndef LISTWATCH_CLI_MANIFEST_URL_H
#define LISTWATCH_CLI_MANIFEST_URL_H

#include <stdbool.h>

#include <listwatch.h>

/* Returns true if |file| is a URL and not the name of a file. */
bool manifest_url_is(const char *file);

/* Gets |url| and calls |on_bytes| with the response.  No credentials are sent.  Errors as
 * lw_client_raw. */
lw_status manifest_url_read(const char *url, lw_bytes_fn on_bytes, void *arg, lw_error *err);

#endif
