/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.c -- asks the types. */
#include "api/field_findings.h"

#include "schema/check.h"

lw_status lw_field_findings(lw_gvk gvk, lw_str json, lw_buf *findings, lw_buf *strict)
{
    const lw_type *type = lw_type_of_kind(gvk);
    if (!type)
        return LW_OK;
    lw_check check;
    lw_check_init(&check);
    lw_status st = lw_check_document(&check, type, json);
    if (st == LW_OK && check.fault.len == 0 && check.count > 0) {
        for (size_t i = 0; i < check.count; i++) {
            lw_buf_append_str(findings, lw_check_finding(&check, i));
            lw_buf_append_char(findings, '\0');
        }
        lw_check_append_strict(&check, strict);
        if (findings->st == LW_ERR_NOMEM || strict->st == LW_ERR_NOMEM)
            st = LW_ERR_NOMEM;
    }
    lw_check_done(&check);
    return st;
}
