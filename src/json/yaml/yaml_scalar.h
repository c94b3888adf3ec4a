/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar.h -- converts a YAML scalar to a JSON value.
 *
 * It follows the reader of Kubernetes (sigs.k8s.io/yaml) for YAML 1.1 exactly: more booleans than
 * the standard, octal with and without the "o", binary, underscores, no sexagesimals.  Pure
 * functions. */
#ifndef LW_JSON_YAML_YAML_SCALAR_H
#define LW_JSON_YAML_YAML_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_YAML_FLOAT_SIZE = 40, /* bytes of the longest number below; there is no terminator */
};

typedef enum lw_yaml_type {
    LW_YAML_NULL,
    LW_YAML_BOOL,
    LW_YAML_INT,       /* fits into int64 */
    LW_YAML_UINT,      /* fits only into uint64 */
    LW_YAML_FLOAT,     /* may be infinite or NaN, which JSON cannot express */
    LW_YAML_STRING,    /* the text itself */
    LW_YAML_TIMESTAMP, /* also the text itself */
    LW_YAML_BINARY,    /* the text is base64 of a string; by tag only */
} lw_yaml_type;

typedef struct lw_yaml_scalar {
    lw_yaml_type type;
    union {
        bool boolean;
        int64_t integer;
        uint64_t unsigned_integer;
        double number;
    } as;
} lw_yaml_scalar;

/* Converts the plain (unquoted, untagged) scalar |text|. */
lw_yaml_scalar lw_yaml_scalar_plain(lw_str text);

/* Converts |text| with the full tag |tag| ("tag:yaml.org,2002:int", "!mine").  Returns false if the
 * text does not match the tag; then |*out| is its untagged value.  Unknown tags make a string. */
bool lw_yaml_scalar_tagged(lw_str tag, lw_str text, lw_yaml_scalar *out);

/* Returns the short tag of |type| ("!!int"). */
const char *lw_yaml_type_name(lw_yaml_type type);

/* Write an integer or float as a JSON number, or as a YAML scalar, like Kubernetes, and return the
 * length.  A float must be finite. */
size_t lw_yaml_scalar_json(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE]);
size_t lw_yaml_scalar_yaml(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE]);

/* Writes a boolean, integer or float as a key and returns the length; 0 if it cannot be a key
 * (null, and integers that do not fit into int64). */
size_t lw_yaml_scalar_key(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE]);

/* Returns true if the string |text|, written without quotes, would be read as something else by
 * this or another YAML 1.1 reader. */
bool lw_yaml_is_ambiguous(lw_str text);

/* Returns true if Kubernetes reads |text| as a YAML 1.1 timestamp: a date (2001-2-3), a date and
 * time with a zone (2001-02-03T4:5:6.7Z, t for T, +01:00 for Z), or a date, blanks and a time
 * without a zone.  Kubernetes converts timestamps to strings, and writes such strings in quotes. */
bool lw_yaml_is_timestamp(lw_str text);

/* Decodes the base64 |text| of a scalar tagged !!binary and appends it as a string like Kubernetes:
 * each byte that is not UTF-8 becomes U+FFFD.  Line breaks in |text| are skipped, padding is
 * required.  Returns false and leaves |out| unchanged if it is not base64; other failures are in
 * out->st. */
bool lw_yaml_binary_decode(lw_buf *out, lw_str text);

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

/* Writes |value| as Kubernetes writes a key: in the general format with the digits of a
 * single-precision float; ".inf" if it is too large for one; ".nan".  Returns the length. */
size_t lw_yaml_float_key(char out[LW_YAML_FLOAT_SIZE], double value);

#endif
