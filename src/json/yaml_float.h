/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_float.h -- converts decimal text to the nearest double and back, in the formats of Go. */
#ifndef LW_JSON_YAML_FLOAT_H
#define LW_JSON_YAML_FLOAT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/str.h>

enum {
    LW_YAML_FLOAT_SIZE = 40, /* size of every format below, without a terminator */
};

/* Parses all of |text| as [+-](digits[.[digits]]|.digits)[(e|E)[+-]digits]; underscores are skipped
 * everywhere.  Returns false and leaves |*out| unchanged if it is something else or too large for a
 * double; a value that is too small becomes 0.  In any locale. */
bool lw_yaml_float_parse(lw_str text, double *out);

/* Write |value|, which is finite, with the fewest digits that read back as the same double, and
 * return the length.
 * json: as encoding/json (1000, 0.000001, 1e-7, 1e+21).
 * general: as strconv's 'g', which is how YAML is written (1000, 1e+06, 1e-05). */
size_t lw_yaml_float_json(char out[LW_YAML_FLOAT_SIZE], double value);
size_t lw_yaml_float_general(char out[LW_YAML_FLOAT_SIZE], double value);

/* Writes |value| as Kubernetes makes a key of it: general form with the digits of a single
 * precision float, ".inf" when it is too large for one, ".nan".  Returns the length. */
size_t lw_yaml_float_key(char out[LW_YAML_FLOAT_SIZE], double value);

#endif
