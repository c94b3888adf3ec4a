/* SPDX-License-Identifier: Apache-2.0 */
/* printer_custom.h -- the columns that a definition makes (additionalPrinterColumns). */
#ifndef LW_SCHEMA_PRINTERS_PRINTER_CUSTOM_H
#define LW_SCHEMA_PRINTERS_PRINTER_CUSTOM_H

#include "schema/printers/table_column.h"

/* The cell of a column whose pointer is a field path (jsonpath.h), by the column's type: strings
 * as they print, numbers, booleans, dates as ages; null when there is no such value. */
void lw_table_cell_custom(const lw_table_column *column, lw_row *row, lw_json_writer *w);

#endif
