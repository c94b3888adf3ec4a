/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.h -- reads whole responses of a server. */
#ifndef LISTWATCH_CLI_FETCH_H
#define LISTWATCH_CLI_FETCH_H

#include <listwatch.h>

/* The media type of the columns that a server has for its resources. */
#define FETCH_TABLE "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

/* Gets |path| as a JSON document, which the caller frees; |accept| is the wanted media type (NULL:
 * application/json).  Errors as lw_client_raw and lw_document_from_json. */
lw_status fetch_document(lw_client *client, const char *path, const char *accept, lw_document **out,
                         lw_error *err);

#endif
