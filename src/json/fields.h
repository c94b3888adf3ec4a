/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h -- reading and filling in the members of an object in the making, by their names.
 *
 * As everywhere in trees a NULL node is one that is absent, and failures stick in the tree. */
#ifndef LW_JSON_FIELDS_H
#define LW_JSON_FIELDS_H

#include "json/tree.h"

/* The value at |pointer| ("/spec/template"), a JSON Pointer without escapes; NULL: none. */
lw_node *lw_fields_find(const lw_node *root, const char *pointer);

/* The string member |key| of |object|; "" when it is absent or no string. */
lw_str lw_fields_text(const lw_node *object, const char *key);

/* The string at |pointer|; "" when it is absent or no string. */
lw_str lw_fields_text_at(const lw_node *root, const char *pointer);

/* The integer member |key|; |fallback| when it is absent or no integer. */
int64_t lw_fields_int(const lw_node *object, const char *key, int64_t fallback);

/* The member |key| of |object| as an object, made when it is absent; NULL when it is something
 * else. */
lw_node *lw_fields_object(lw_tree *tree, lw_node *object, const char *key);

/* Sets a member whatever it was. */
void lw_fields_set_text(lw_tree *tree, lw_node *object, const char *key, lw_str value);
void lw_fields_set_int(lw_tree *tree, lw_node *object, const char *key, int64_t value);

/* Sets the member |key| to a copy of |value|, of any tree that lives as long, since the copy shares
 * its texts; NULL takes it out. */
void lw_fields_set_copy(lw_tree *tree, lw_node *object, const char *key, const lw_node *value);

/* Set a member when it is absent (or, a string, empty). */
void lw_fields_default_text(lw_tree *tree, lw_node *object, const char *key, const char *value);
void lw_fields_default_int(lw_tree *tree, lw_node *object, const char *key, int64_t value);
void lw_fields_default_bool(lw_tree *tree, lw_node *object, const char *key, bool value);

/* Takes the member |key| out. */
void lw_fields_remove(lw_node *object, const char *key);

/* True when the array |list| has the string |text|. */
bool lw_fields_list_has(const lw_node *list, lw_str text);

#endif
