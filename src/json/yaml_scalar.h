/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar.h -- converts a YAML scalar to a JSON value.
 *
 * It follows the reader of Kubernetes (sigs.k8s.io/yaml) for YAML 1.1 exactly: more booleans than
 * the standard, octal with and without the "o", binary, underscores, no sexagesimals.  Pure
 * functions. */
#ifndef LW_JSON_YAML_SCALAR_H
#define LW_JSON_YAML_SCALAR_H

#include <stdint.h>

#include <listwatch/str.h>

#include "json/yaml_float.h"

typedef enum lw_yaml_type {
    LW_YAML_NULL,
    LW_YAML_BOOL,
    LW_YAML_INT,       /* fits into int64 */
    LW_YAML_UINT,      /* fits only into uint64 */
    LW_YAML_FLOAT,     /* may be infinite or NaN, which JSON cannot express */
    LW_YAML_STRING,    /* the text itself */
    LW_YAML_TIMESTAMP, /* the text itself too */
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

/* Writes a boolean, integer or float as the key it makes and returns the length; 0 when it cannot
 * be one (null, and integers beyond int64). */
size_t lw_yaml_scalar_key(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE]);

/* True when the string |text| would be read as something else, here or by another reader of YAML
 * 1.1, if it were written plain. */
bool lw_yaml_is_ambiguous(lw_str text);

#endif
