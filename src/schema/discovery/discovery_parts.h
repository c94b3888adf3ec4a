/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_parts.h -- parts that several discovery and OpenAPI documents share. */
#ifndef LW_SCHEMA_DISCOVERY_DISCOVERY_PARTS_H
#define LW_SCHEMA_DISCOVERY_DISCOVERY_PARTS_H

#include "schema/kinds/kind.h"
#include "json/writer.h"

enum {
    LW_DISCOVERY_NAME_MAX = 4096, /* limit of a path or of "group/version", in bytes */
};

/* Writes the names of |verbs| as an array, sorted. */
void lw_discovery_write_verbs(unsigned verbs, lw_json_writer *w);

/* Writes the member |key| with |names| up to the empty one; nothing if |names| is NULL. */
void lw_discovery_write_names(const char *key, const lw_str *names, lw_json_writer *w);

/* Writes the member |key|: {"group":...,"version":...,"kind":...}. */
void lw_discovery_write_gvk(const char *key, lw_gvk gvk, lw_json_writer *w);

/* Writes |text| as the next string of |w| and frees it.  A failure of |text| becomes a failure of
 * |w|. */
void lw_discovery_write_text(lw_buf *text, lw_json_writer *w);

#endif
