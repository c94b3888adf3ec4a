/* SPDX-License-Identifier: Apache-2.0 */
/* printer_endpoints.c -- the columns of endpoints and endpoint slices. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

enum {
    SHOWN_MAX = 3, /* number of addresses or ports shown */
};

/* Appends "10.0.0.1:80", or "[fd00::1]:80"; only the address if |port| is negative. */
static void append_address(lw_buf *text, lw_str address, int64_t port)
{
    size_t start = text->len;
    lw_buf_append_char(text, '[');
    (void)lw_value_append(address, "/ip", text);
    bool is_v6 = text->st == LW_OK && memchr(text->data + start, ':', text->len - start);
    if (port < 0 || !is_v6) {
        lw_buf_truncate(text, start);
        (void)lw_value_append(address, "/ip", text);
    } else {
        lw_buf_append_char(text, ']');
    }
    if (port >= 0) {
        lw_buf_append_char(text, ':');
        lw_table_cell_append_int(text, port);
    }
}

/* Appends the addresses of |subset| up to the limit; returns the total number. */
static size_t append_subset(lw_buf *text, lw_str subset, int64_t port, size_t count)
{
    lw_str address;
    for (lw_value_walk walk = lw_value_elements(subset, "/addresses");
         lw_value_next_element(&walk, &address); count++) {
        if (count >= SHOWN_MAX)
            continue;
        lw_table_cell_separate(text, 0, ",");
        append_address(text, address, port);
    }
    return count;
}

static void append_more(lw_buf *text, size_t count)
{
    if (count > SHOWN_MAX)
        lw_buf_printf(text, " + %zu more...", count - SHOWN_MAX);
}

static void cell_endpoints(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str json = row->json, subset, port;
    size_t count = 0, subsets = 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(json, "/subsets");
         lw_value_next_element(&walk, &subset); subsets++) {
        /* A headless service may have no ports. */
        if (lw_value_count(subset, "/ports") == 0)
            count = append_subset(&text, subset, -1, count);
        size_t addresses = lw_value_count(subset, "/addresses");
        for (lw_value_walk ports = lw_value_elements(subset, "/ports");
             lw_value_next_element(&ports, &port);) {
            if (count >= SHOWN_MAX)
                count += addresses;
            else
                count = append_subset(&text, subset, lw_value_int(port, "/port", 0), count);
        }
    }
    append_more(&text, count);
    lw_table_cell_end(&text, subsets > 0 ? "" : "<none>", w);
}

static void cell_slice_ports(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str port;
    size_t count = 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->json, "/ports");
         lw_value_next_element(&walk, &port); count++) {
        if (count >= SHOWN_MAX)
            continue;
        lw_table_cell_separate(&text, 0, ",");
        if (!lw_value_append(port, "/port", &text) && !lw_value_append(port, "/name", &text))
            lw_buf_append_char(&text, '*');
    }
    append_more(&text, count);
    lw_table_cell_end(&text, "<unset>", w);
}

static void cell_slice_endpoints(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str endpoint, address;
    size_t count = 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->json, "/endpoints");
         lw_value_next_element(&walk, &endpoint);) {
        for (lw_value_walk addresses = lw_value_elements(endpoint, "/addresses");
             lw_value_next_element(&addresses, &address); count++) {
            if (count >= SHOWN_MAX)
                continue;
            lw_table_cell_separate(&text, 0, ",");
            (void)lw_value_append(address, "", &text);
        }
    }
    append_more(&text, count);
    lw_table_cell_end(&text, "<unset>", w);
}

const lw_table_column lw_table_columns_endpoints[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Endpoints", "string", 0, NULL, cell_endpoints, "Addresses of the endpoints."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_endpointslice[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("AddressType", "string", 0, "/addressType", lw_table_cell_string,
              "Type of the addresses."),
    LW_COLUMN("Ports", "string", 0, NULL, cell_slice_ports, "Ports of every endpoint."),
    LW_COLUMN("Endpoints", "string", 0, NULL, cell_slice_endpoints, "Addresses of the endpoints."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
