/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_timestamp.h -- does a text read as a date or time in YAML 1.1? */
#ifndef LW_JSON_YAML_TIMESTAMP_H
#define LW_JSON_YAML_TIMESTAMP_H

#include <listwatch/str.h>

/* True for a date (2001-2-3), a date and time with a zone (2001-02-03T4:5:6.7Z, t for T, +01:00
 * for Z) and a date, blanks and a time without one: what Kubernetes' YAML takes for a timestamp,
 * which it then reads as a string and writes in quotes. */
bool lw_yaml_is_timestamp(lw_str text);

#endif
