/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_jsonpath.c -- a template that parses is written without a crash, and the same twice; one
 * that does not parse has a message. */
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/jsonpath.h"
#include "fuzz/fuzz.h"

static const char document[] =
    "{\"a\":[{\"b\":1,\"c\":\"x\"},{\"b\":2,\"c\":[true,null,\"y\"]},[]],\"b\":{\"\":{\"a\":3}},"
    "\"items\":[{\"metadata\":{\"name\":\"n\"}}]}";

/* A sum of the bytes and their places. */
static lw_status sum(const char *bytes, size_t len, void *arg)
{
    uint64_t *total = arg;
    for (size_t i = 0; i < len; i++)
        *total = *total * 31 + (unsigned char)bytes[i];
    return LW_OK;
}

static uint64_t write_once(const jsonpath *path)
{
    lw_document *doc = NULL;
    uint64_t total = 0;
    lw_error err = LW_ERROR_INIT;
    if (lw_document_from_json(&doc, document, sizeof(document) - 1, NULL) < 0)
        abort();
    if (jsonpath_write(path, doc, sum, &total, &err) < 0 && err.message[0] == '\0')
        abort();
    lw_document_free(doc);
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    jsonpath *path = NULL;
    columns *parsed = NULL;
    lw_error err = LW_ERROR_INIT;
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (jsonpath_parse(&path, text, &err) < 0) {
        if (err.message[0] == '\0')
            abort();
    } else if (write_once(path) != write_once(path)) {
        abort();
    }
    jsonpath_free(path);
    path = NULL;
    if (jsonpath_parse_relaxed(&path, text, NULL) == LW_OK)
        jsonpath_free(path);
    if (columns_parse(&parsed, text, NULL) == LW_OK)
        columns_free(parsed);
    free(text);
    return 0;
}
