/* SPDX-License-Identifier: Apache-2.0 */
/* text_format.h -- checks texts for the formats of schemas and expressions. */
#ifndef LW_BASE_TEXT_TEXT_FORMAT_H
#define LW_BASE_TEXT_TEXT_FORMAT_H

#include <stdbool.h>

#include <listwatch/str.h>

/* "2024-02-29". */
bool lw_text_is_date(lw_str text);

/* "2024-02-29T12:00:00Z". */
bool lw_text_is_date_time(lw_str text);

/* "123e4567-e89b-12d3-a456-426614174000", in either case; the dashes may be missing. */
bool lw_text_is_uuid(lw_str text);

#endif
