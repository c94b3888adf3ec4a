/* SPDX-License-Identifier: Apache-2.0 */
/* printer_ingress.c -- the columns of networking.k8s.io. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

enum {
    SHOWN_MAX = 3, /* number of hosts shown */
};

/* The hosts of the first rules; '*' if no rule has a host. */
static void cell_hosts(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str rule;
    size_t rules = 0, shown = 0;
    bool has_more = false;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->spec, "/rules");
         lw_value_next_element(&walk, &rule); rules++) {
        has_more = has_more || shown == SHOWN_MAX;
        if (has_more || lw_value_at(rule, "/host").len <= 2)
            continue;
        lw_table_cell_separate(&text, 0, ",");
        (void)lw_value_append(rule, "/host", &text);
        shown++;
    }
    if (has_more)
        lw_buf_printf(&text, " + %zu more...", rules - SHOWN_MAX);
    lw_table_cell_end(&text, "*", w);
}

static void cell_address(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_balancer(&text, row->status);
    lw_table_cell_end(&text, "", w);
}

static void cell_ports(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    lw_table_cell_write(w, lw_value_count(row->spec, "/tls") > 0 ? "80, 443" : "80");
}

/* "Kind.group/name" */
static void cell_parameters(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str parameters = lw_value_at(row->spec, "/parameters");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (parameters.len > 0) {
        (void)lw_value_append(parameters, "/kind", &text);
        if (lw_value_at(parameters, "/apiGroup").len > 0)
            lw_buf_append_char(&text, '.');
        (void)lw_value_append(parameters, "/apiGroup", &text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(parameters, "/name", &text);
    }
    lw_table_cell_end(&text, "<none>", w);
}

/* "services/default/web", "gateways.gateway.networking.k8s.io/default/web" */
static void cell_parent(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str parent = lw_value_at(row->spec, "/parentRef");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (parent.len > 0) {
        (void)lw_value_append(parent, "/resource", &text);
        if (lw_value_at(parent, "/group").len > 2) /* more than the quotes */
            lw_buf_append_char(&text, '.');
        (void)lw_value_append(parent, "/group", &text);
        lw_table_cell_to_lower(&text);
        if (lw_value_at(parent, "/namespace").len > 2)
            lw_buf_append_char(&text, '/');
        (void)lw_value_append(parent, "/namespace", &text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(parent, "/name", &text);
    }
    lw_table_cell_end(&text, "<none>", w);
}

static void cell_cidrs(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_each(&text, lw_value_at(row->spec, "/cidrs"), "", ",");
    lw_table_cell_end(&text, "", w);
}

const lw_table_column lw_table_columns_ipaddress[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("ParentRef", "string", 0, NULL, cell_parent, "Object that uses the address."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_servicecidr[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("CIDRs", "string", 0, NULL, cell_cidrs, "Ranges of IP addresses."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_ingress[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Class", "string", 0, "/spec/ingressClassName", lw_table_cell_string_or_none,
              "The IngressClass."),
    LW_COLUMN("Hosts", "string", 0, NULL, cell_hosts, "Hosts of the rules."),
    LW_COLUMN("Address", "string", 0, NULL, cell_address, "Addresses of the load balancer."),
    LW_COLUMN("Ports", "string", 0, NULL, cell_ports, "Ports that are open."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_ingressclass[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Controller", "string", 0, "/spec/controller", lw_table_cell_string,
              "Controller of the class."),
    LW_COLUMN("Parameters", "string", 0, NULL, cell_parameters,
              "Object with settings for the controller."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_networkpolicy[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Pod-Selector", "string", 0, "/spec/podSelector", lw_table_cell_selector,
              "Label selector of the pods it applies to."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
