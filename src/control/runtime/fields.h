/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h -- reads fields of objects by formatted JSON Pointers, without copying.
 *
 * Informers share objects, and what lw_object_string decodes stays in the object; controllers that
 * read every pod use these functions. */
#ifndef LW_CONTROL_RUNTIME_FIELDS_H
#define LW_CONTROL_RUNTIME_FIELDS_H

#include <listwatch.h>

/* Returns the string at the formatted pointer; empty if there is none.  Valid as long as the
 * object. */
LW_PRINTF(2, 3) lw_str lw_read_text(const lw_object *obj, const char *pointer, ...);

/* Returns the JSON of the value; empty if there is none or it is null. */
LW_PRINTF(2, 3) lw_str lw_read_raw(const lw_object *obj, const char *pointer, ...);

/* True if there is a value that is not null. */
LW_PRINTF(2, 3) bool lw_read_has(const lw_object *obj, const char *pointer, ...);

/* Returns a quantity, written as a string or a number, in units or thousandths; 0: none. */
LW_PRINTF(2, 3) int64_t lw_read_units(const lw_object *obj, const char *pointer, ...);
LW_PRINTF(2, 3) int64_t lw_read_milli(const lw_object *obj, const char *pointer, ...);

/* Returns the status ("True", "False", "Unknown") of the condition |type| in /status/conditions;
 * empty if there is none.  Sets |at| (may be NULL) to its index. */
lw_str lw_read_condition(const lw_object *obj, const char *type, size_t *at);

/* Gets a timestamp; false: there is none. */
LW_PRINTF(3, 4)
bool lw_read_timestamp(const lw_object *obj, int64_t *wall_ns, const char *pointer, ...);

/* The same below the current item of an iterator ("" is the item itself).  Who reads more than one
 * member of a list walks it once. */
lw_str lw_item_text(const lw_iter *item, const char *pointer);
lw_str lw_item_raw(const lw_iter *item, const char *pointer);
int64_t lw_item_units(const lw_iter *item, const char *pointer);
int64_t lw_item_milli(const lw_iter *item, const char *pointer);

/* Creates a selector for all labels of the map at |pointer|.  LW_ERR_NOT_FOUND: there is no map;
 * LW_ERR_INVALID, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_read_map_selector(const lw_object *obj, const char *pointer, lw_label_selector **out);

/* Copies |text| to |dst|, truncated to |size|. */
void lw_text_copy(lw_str text, char *dst, size_t size);

/* True if |text| equals the NUL-terminated |word|. */
bool lw_text_is(lw_str text, const char *word);

#endif
