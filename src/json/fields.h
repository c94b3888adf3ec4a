/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h -- reads and sets the members of an object in a tree by name.
 *
 * As everywhere in trees, a NULL node means absent, and the tree remembers its first failure. */
#ifndef LW_JSON_FIELDS_H
#define LW_JSON_FIELDS_H

#include "json/tree.h"

/* Returns the value at |pointer| ("/spec/template"), a JSON Pointer without escapes; NULL: none. */
lw_node *lw_fields_find(const lw_node *root, const char *pointer);

/* Returns the string member |key| of |object|; "" if it is absent or not a string.  Inline as
 * lw_node_get is. */
static inline lw_str lw_fields_text(const lw_node *object, const char *key)
{
    const lw_node *node = lw_node_get(object, lw_str_of(key));
    return lw_node_is(node, LW_JSON_STRING) ? lw_node_text(node) : lw_str_make("", 0);
}

/* Returns the string at |pointer|; "" if it is absent or not a string. */
lw_str lw_fields_text_at(const lw_node *root, const char *pointer);

/* Returns the integer member |key|; |fallback| if it is absent or not an integer. */
int64_t lw_fields_int(const lw_node *object, const char *key, int64_t fallback);

/* Returns the member |key| of |object|, which is an object; makes it if it is absent; NULL if it is
 * something else. */
lw_node *lw_fields_object(lw_tree *tree, lw_node *object, const char *key);

/* Set a member. */
void lw_fields_set_text(lw_tree *tree, lw_node *object, const char *key, lw_str value);
void lw_fields_set_int(lw_tree *tree, lw_node *object, const char *key, int64_t value);

/* Sets the member |key| to a copy of |value|, whose tree must live as long, because the copy shares
 * its texts; NULL removes it. */
void lw_fields_set_copy(lw_tree *tree, lw_node *object, const char *key, const lw_node *value);

/* Set a member if it is absent (or an empty string). */
void lw_fields_default_text(lw_tree *tree, lw_node *object, const char *key, const char *value);
void lw_fields_default_int(lw_tree *tree, lw_node *object, const char *key, int64_t value);
void lw_fields_default_bool(lw_tree *tree, lw_node *object, const char *key, bool value);

/* Removes the member |key|. */
void lw_fields_remove(lw_node *object, const char *key);

/* Returns true if the objects |a| and |b| differ in a member that is not in |but|, which ends with
 * NULL. */
bool lw_fields_differ(const lw_node *a, const lw_node *b, const char *const *but);

/* Returns true if the array |list| contains the string |text|. */
bool lw_fields_list_has(const lw_node *list, lw_str text);

#endif
