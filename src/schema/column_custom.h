/* SPDX-License-Identifier: Apache-2.0 */
/* column_custom.h -- the columns that a definition makes (additionalPrinterColumns). */
#ifndef LW_SCHEMA_COLUMN_CUSTOM_H
#define LW_SCHEMA_COLUMN_CUSTOM_H

#include "schema/column.h"

/* The cell of a column whose pointer is a field path (field_path.h), by the column's type: strings
 * as they print, numbers, booleans, dates as ages; null when there is no such value. */
void lw_cell_custom(const lw_column *column, lw_row *row, lw_json_writer *w);

#endif
