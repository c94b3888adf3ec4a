/* SPDX-License-Identifier: Apache-2.0 */
/* printer_node.c -- the columns of nodes. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* "Ready", "NotReady", or "Unknown" if there is no such condition. */
static const char *readiness(const lw_row *row)
{
    const char *text = "Unknown";
    lw_str condition;
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", LW_STR("Ready")))
            text = lw_value_is(condition, "/status", LW_STR("True")) ? "Ready" : "NotReady";
    }
    return text;
}

static void cell_status(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_buf_append_text(&text, readiness(row));
    if (lw_value_bool(row->spec, "/unschedulable", false))
        lw_buf_append_text(&text, ",SchedulingDisabled");
    lw_table_cell_end(&text, "", w);
}

static void append_role(lw_buf *text, lw_str role)
{
    lw_table_cell_separate(text, 0, ",");
    lw_buf_append_str(text, role);
}

/* The roles are the suffixes of the labels node-role.kubernetes.io/<role>, which are sorted, and
 * the value of kubernetes.io/role, which is inserted in order. */
static void cell_roles(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    static const lw_str prefix = LW_STR_INIT("node-role.kubernetes.io/");
    lw_str other = lw_str_of(lw_object_label(row->obj, "kubernetes.io/role"));
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (size_t i = 0; i < lw_object_label_count(row->obj); i++) {
        lw_str key = lw_object_label_at(row->obj, i).key;
        if (!lw_str_starts_with(key, prefix) || key.len == prefix.len)
            continue;
        lw_str role = lw_str_skip(key, prefix.len);
        if (other.len > 0 && lw_str_compare(other, role) < 0)
            append_role(&text, other);
        if (lw_str_compare(other, role) <= 0)
            other = LW_STR("");
        append_role(&text, role);
    }
    if (other.len > 0)
        append_role(&text, other);
    lw_table_cell_end(&text, "<none>", w);
}

/* The first address of the type in column->pointer. */
static void cell_address(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str address;
    lw_buf text;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->status, "/addresses");
         lw_value_next_element(&walk, &address);) {
        if (!lw_value_is(address, "/type", lw_str_of(column->pointer)))
            continue;
        (void)lw_value_append(address, "/address", &text);
        break;
    }
    lw_table_cell_end(&text, "<none>", w);
}

const lw_table_column lw_table_columns_node[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Status", "string", 0, NULL, cell_status,
              "Whether the node is ready and schedulable."),
    LW_COLUMN("Roles", "string", 0, NULL, cell_roles, "Roles of the node, from its labels."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("Version", "string", 0, "/status/nodeInfo/kubeletVersion", lw_table_cell_string,
              "Version of the kubelet."),
    LW_COLUMN("Internal-IP", "string", 1, "InternalIP", cell_address, "Internal IP address."),
    LW_COLUMN("External-IP", "string", 1, "ExternalIP", cell_address, "External IP address."),
    LW_COLUMN("OS-Image", "string", 1, "/status/nodeInfo/osImage", lw_table_cell_string_or_unknown,
              "Operating system of the node."),
    LW_COLUMN("Kernel-Version", "string", 1, "/status/nodeInfo/kernelVersion",
              lw_table_cell_string_or_unknown, "Version of the kernel."),
    LW_COLUMN("Container-Runtime", "string", 1, "/status/nodeInfo/containerRuntimeVersion",
              lw_table_cell_string_or_unknown, "Container runtime and its version."),
    LW_TABLE_COLUMN_END,
};
