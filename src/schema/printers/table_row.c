/* SPDX-License-Identifier: Apache-2.0 */
/* table_row.c -- finds the parts of an object once, so that its cells do not scan it a dozen
 * times. */
#include "base/str.h"
#include "schema/printers/table_column.h"
#include "schema/printers/value.h"

void lw_row_init(lw_row *row, const lw_object *obj, int64_t now_ns)
{
    *row = (lw_row){
        .obj = obj,
        .now_ns = now_ns,
        .json = lw_str_trim(lw_object_json(obj)),
    };
    const lw_value_pick parts[] = {
        { LW_STR("metadata"), &row->metadata },
        { LW_STR("spec"), &row->spec },
        { LW_STR("status"), &row->status },
    };
    lw_value_pick_members(row->json, parts, sizeof(parts) / sizeof(parts[0]));
}

lw_str lw_row_at(const lw_row *row, const char *pointer)
{
    static const char spec[] = "/spec/", status[] = "/status/", metadata[] = "/metadata/";
    if (strncmp(pointer, spec, sizeof(spec) - 1) == 0)
        return lw_value_at(row->spec, pointer + sizeof(spec) - 2);
    if (strncmp(pointer, status, sizeof(status) - 1) == 0)
        return lw_value_at(row->status, pointer + sizeof(status) - 2);
    if (strncmp(pointer, metadata, sizeof(metadata) - 1) == 0)
        return lw_value_at(row->metadata, pointer + sizeof(metadata) - 2);
    return lw_value_at(row->json, pointer);
}
