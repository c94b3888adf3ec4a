/* SPDX-License-Identifier: Apache-2.0 */
/* printer_service.c -- the columns of services: addresses and ports. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static void cell_type(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->spec, "/type", &text);
    lw_table_cell_end(&text, "ClusterIP", w);
}

static void cell_cluster_ip(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str spec = row->spec;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (!lw_value_append(spec, "/clusterIPs/0", &text))
        (void)lw_value_append(spec, "/clusterIP", &text);
    lw_table_cell_end(&text, "<none>", w);
}

static void cell_external_ip(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str spec = row->spec;
    bool is_balanced = lw_value_is(spec, "/type", LW_STR("LoadBalancer"));
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (lw_value_is(spec, "/type", LW_STR("ExternalName"))) {
        (void)lw_value_append(spec, "/externalName", &text);
        lw_table_cell_end(&text, "", w);
        return;
    }
    if (is_balanced)
        lw_table_cell_append_balancer(&text, row->status);
    if (lw_value_count(spec, "/externalIPs") > 0) {
        lw_table_cell_separate(&text, 0, ",");
        lw_table_cell_append_each(&text, lw_value_at(spec, "/externalIPs"), "", ",");
    }
    lw_table_cell_end(&text, is_balanced ? "<pending>" : "<none>", w);
}

/* "80/TCP,443:30443/TCP" */
static void cell_ports(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str port;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->spec, "/ports");
         lw_value_next_element(&walk, &port);) {
        int64_t node_port = lw_value_int(port, "/nodePort", 0);
        lw_table_cell_separate(&text, 0, ",");
        lw_table_cell_append_int(&text, lw_value_int(port, "/port", 0));
        if (node_port > 0) {
            lw_buf_append_char(&text, ':');
            lw_table_cell_append_int(&text, node_port);
        }
        lw_buf_append_char(&text, '/');
        if (!lw_value_append(port, "/protocol", &text))
            lw_buf_append_text(&text, "TCP");
    }
    lw_table_cell_end(&text, "<none>", w);
}

const lw_table_column lw_table_columns_service[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Type", "string", 0, NULL, cell_type, "How the service is exposed."),
    LW_COLUMN("Cluster-IP", "string", 0, NULL, cell_cluster_ip, "IP address in the cluster."),
    LW_COLUMN("External-IP", "string", 0, NULL, cell_external_ip, "External addresses."),
    LW_COLUMN("Port(s)", "string", 0, NULL, cell_ports, "Ports of the service and node ports."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("Selector", "string", 1, "/spec/selector", lw_table_cell_labels,
              "Label selector of the pods."),
    LW_TABLE_COLUMN_END,
};
