/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h -- values out of objects by printed JSON Pointers, without copies of them.
 *
 * Informers share objects, and what lw_object_string decodes stays with the object; controllers
 * that look at every pod read here. */
#ifndef LW_CONTROL_RUNTIME_FIELDS_H
#define LW_CONTROL_RUNTIME_FIELDS_H

#include <listwatch.h>

/* The string at the pointer that is printed; empty where there is none.  Lives as long as the
 * object. */
LW_PRINTF(2, 3) lw_str lw_read_text(const lw_object *obj, const char *pointer, ...);

/* The JSON of the value there; empty where there is none, or null. */
LW_PRINTF(2, 3) lw_str lw_read_raw(const lw_object *obj, const char *pointer, ...);

/* Whether something is there that is not null. */
LW_PRINTF(2, 3) bool lw_read_has(const lw_object *obj, const char *pointer, ...);

/* An amount there, written as a string or as a number, in units or thousandths; 0: none. */
LW_PRINTF(2, 3) int64_t lw_read_units(const lw_object *obj, const char *pointer, ...);
LW_PRINTF(2, 3) int64_t lw_read_milli(const lw_object *obj, const char *pointer, ...);

/* The status ("True", "False", "Unknown") of the condition |type| in /status/conditions; empty
 * where there is none.  |at| (may be NULL) is its place in the array. */
lw_str lw_read_condition(const lw_object *obj, const char *type, size_t *at);

/* The uid of the owner that controls |obj|; empty where nobody does.  |at| (may be NULL) is its
 * place in /metadata/ownerReferences. */
lw_str lw_read_controller(const lw_object *obj, size_t *at);

/* The moment there; false: there is none. */
LW_PRINTF(3, 4)
bool lw_read_timestamp(const lw_object *obj, int64_t *wall_ns, const char *pointer, ...);

/* A selector of whatever has all labels of the map at |pointer|.  LW_ERR_NOT_FOUND: there is none;
 * LW_ERR_INVALID, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_read_map_selector(const lw_object *obj, const char *pointer, lw_label_selector **out);

/* Copies |text| into |dst|, cut to |size|. */
void lw_text_copy(lw_str text, char *dst, size_t size);

/* Whether |text| and the NUL-terminated |word| are the same. */
bool lw_text_is(lw_str text, const char *word);

#endif
