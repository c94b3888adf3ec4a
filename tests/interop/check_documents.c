/* SPDX-License-Identifier: Apache-2.0 */
/* check_documents.c -- what we say to documents, line by line as apiserver/decode/main.go does:
 * "apiVersion TAB kind TAB document" is answered by "fault: ..." or "strict: ...". */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "schema/validation/check.h"
#include "json/scan.h"

static bool find_type(lw_str *line, const lw_type **type)
{
    lw_gvk gvk;
    lw_str api_version;
    if (!lw_str_cut(*line, '\t', &api_version, line) || !lw_str_cut(*line, '\t', &gvk.kind, line) ||
        lw_api_version_parse(api_version, &gvk.group, &gvk.version, NULL) < 0)
        return false;
    *type = lw_type_of_kind(gvk);
    return *type != NULL;
}

static void print_answer(const lw_check *check)
{
    bool is_fault = check->fault.len > 0;
    printf("%s", is_fault ? "fault: " : "strict: ");
    if (is_fault)
        printf("%.*s", LW_STR_ARG(lw_buf_view(&check->fault)));
    for (size_t i = 0; !is_fault && i < check->count; i++)
        printf("%s%.*s", i > 0 ? ", " : "", LW_STR_ARG(lw_check_finding(check, i)));
    printf("\n");
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    lw_check check;
    int code = 0;
    lw_check_init(&check);
    while (code == 0 && (len = getline(&line, &room, stdin)) > 0) {
        const lw_type *type;
        lw_str rest = lw_str_trim(lw_str_make(line, (size_t)len));
        if (!find_type(&rest, &type) || lw_json_validate(rest, 0, NULL) < 0 ||
            lw_check_document(&check, type, rest) < 0) {
            fprintf(stderr, "no type, no JSON or no memory: %s", line);
            code = 1;
        } else {
            print_answer(&check);
        }
    }
    lw_check_done(&check);
    free(line);
    return code;
}
