/* SPDX-License-Identifier: Apache-2.0 */
/* proto_documents.c -- what we make of documents in protobuf, line by line as apiserver/proto does:
 * "apiVersion TAB kind TAB document" is answered by the protobuf in hex, and the JSON that is read
 * back from it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "schema/proto/proto.h"
#include "json/scan.h"

enum {
    OUT_MAX = 64 << 20,
};

static lw_status translate(lw_str line, lw_buf *bytes, lw_buf *json, lw_error *err)
{
    lw_proto_document head, opened;
    lw_buf message;
    if (!lw_str_cut(line, '\t', &head.api_version, &line) ||
        !lw_str_cut(line, '\t', &head.kind, &line))
        return LW_ERR_SYNTAX;
    const lw_type *type = lw_proto_type(head.api_version, head.kind);
    if (!type)
        return LW_ERR_NOT_FOUND;
    lw_buf_init(&message, OUT_MAX);
    lw_status st = lw_json_validate(line, 0, err);
    if (st == LW_OK)
        st = lw_proto_write(type, line, &message, err);
    lw_proto_envelope_begin(bytes, head.api_version, head.kind, message.len);
    lw_buf_append_str(bytes, lw_buf_view(&message));
    lw_proto_envelope_end(bytes);
    lw_buf_done(&message);
    if (st == LW_OK)
        st = lw_proto_open(lw_buf_view(bytes), &opened, err);
    if (st == LW_OK)
        st = lw_proto_read(type, &opened, opened.message, json, err);
    return st < 0 ? st : bytes->st;
}

static void print_answer(lw_str bytes, lw_str json)
{
    for (size_t i = 0; i < bytes.len; i++)
        printf("%02x", (unsigned char)bytes.ptr[i]);
    printf("\t%.*s\n", LW_STR_ARG(json));
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        lw_error err = LW_ERROR_INIT;
        lw_buf bytes, json;
        lw_buf_init(&bytes, OUT_MAX);
        lw_buf_init(&json, OUT_MAX);
        lw_status st = translate(lw_str_make(line, (size_t)len - 1), &bytes, &json, &err);
        if (st < 0)
            printf("fault: %s\n", err.message);
        else
            print_answer(lw_buf_view(&bytes), lw_buf_view(&json));
        lw_buf_done(&bytes);
        lw_buf_done(&json);
    }
    free(line);
    return 0;
}
