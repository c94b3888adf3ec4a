/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.c -- asks the types. */
#include "api/field_findings.h"

#include "schema/check.h"

enum {
    TEXT_MAX = 1 << 20, /* bytes of what is found */
};

void lw_field_verdict_init(lw_field_verdict *verdict)
{
    lw_buf_init(&verdict->fault, TEXT_MAX);
    lw_buf_init(&verdict->findings, TEXT_MAX);
    lw_buf_init(&verdict->strict, TEXT_MAX);
}

void lw_field_verdict_done(lw_field_verdict *verdict)
{
    lw_buf_done(&verdict->fault);
    lw_buf_done(&verdict->findings);
    lw_buf_done(&verdict->strict);
}

lw_status lw_field_findings(lw_gvk gvk, lw_str json, lw_field_verdict *verdict)
{
    const lw_type *type = lw_type_of_kind(gvk);
    if (!type)
        return LW_OK;
    lw_check check;
    lw_check_init(&check);
    lw_status st = lw_check_document(&check, type, json);
    if (st == LW_OK && check.fault.len > 0) {
        lw_buf_append_str(&verdict->fault, lw_buf_view(&check.fault));
    } else if (st == LW_OK && check.count > 0) {
        for (size_t i = 0; i < check.count; i++) {
            lw_buf_append_str(&verdict->findings, lw_check_finding(&check, i));
            lw_buf_append_char(&verdict->findings, '\0');
        }
        lw_check_append_strict(&check, &verdict->strict);
    }
    if (verdict->findings.st == LW_ERR_NOMEM || verdict->strict.st == LW_ERR_NOMEM ||
        verdict->fault.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    lw_check_done(&check);
    return st;
}
