/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h -- a small editable JSON document, for patches and YAML.
 *
 * A tree owns its nodes, also detached ones; they are valid until the tree is freed.  Numbers keep
 * their text, objects the order of their keys.  Memory comes from the tree, which has a limit.  The
 * first failure is remembered: then functions that make nodes return NULL and changes do nothing.
 * Every function accepts a NULL node as "absent", so build freely and check lw_tree_status once.
 *
 * A parsed tree is nested at most LW_TREE_DEPTH deep.  A tree that was built deeper is safe to use:
 * copying and writing it is LW_ERR_LIMIT, and below that depth nothing is equal or sorted.
 * One thread at a time, even for reading: reading an object by position may reorganise it. */
#ifndef LW_JSON_TREE_H
#define LW_JSON_TREE_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/hash.h"
#include "json/cursor.h"
#include "json/node_read.h"
#include "json/writer.h"

enum {
    LW_TREE_LIMIT = 64 * 1024 * 1024, /* default limit of the memory of a tree, in bytes */
    LW_TREE_DEPTH = 512,              /* nesting limit */
};

typedef struct lw_tree lw_tree;
typedef struct lw_node lw_node;

/* Makes an empty tree with a memory limit of |limit| bytes (0: LW_TREE_LIMIT).  Its root is NULL.
 */
lw_status lw_tree_new(lw_tree **out, size_t limit);

/* Parses one JSON value and validates it.  Of members with the same name, the last one is used, in
 * the position of the first.  LW_ERR_SYNTAX with the offset, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_tree_parse(lw_tree **out, lw_str json, size_t limit, lw_error *err);

/* The same, charged to |budget| (may be NULL) as by lw_tree_set_budget. */
lw_status lw_tree_parse_within(lw_tree **out, lw_str json, size_t limit, lw_budget *budget,
                               lw_error *err);

/* The same, but objects that are values of members named |name| are left closed, at any depth:
 * their text is kept and read only if somebody asks for a member, so that what nobody looks at
 * costs little.  A failure to read one is a failure of its tree.  |is_compact|: the text is as
 * lw_node_write writes it, so that they can be written without being read. */
lw_status lw_tree_parse_closed(lw_tree **out, lw_str json, lw_str name, bool is_compact,
                               lw_budget *budget, lw_error *err);

/* The same for the text of an lw_object: that was validated when the object was made, and is not
 * validated again. */
lw_status lw_tree_parse_stored(lw_tree **out, lw_str json, lw_str name, lw_budget *budget,
                               lw_error *err);

/* A member of the root of a document. */
typedef struct lw_tree_part {
    lw_str name;
    lw_str text; /* of its value, compact JSON of an object */
} lw_tree_part;

/* Like lw_tree_parse_closed for a text that is not compact; a value of the root is left closed too
 * if it is that of the part in |parts| with that name, with its members in the same order and its
 * numbers written alike (lw_node_is_same).  It gets the text of the part then: lw_node_is_known. At
 * most 32 parts. */
lw_status lw_tree_parse_known(lw_tree **out, lw_str json, lw_str name, const lw_tree_part *parts,
                              size_t count, lw_budget *budget, lw_error *err);

/* Like lw_tree_parse_stored; the |parts| of the root (their texts do not matter) are left closed
 * too. */
lw_status lw_tree_parse_parts(lw_tree **out, lw_str json, lw_str name, const lw_tree_part *parts,
                              size_t count, lw_budget *budget, lw_error *err);

/* Returns true for a closed object, and its |text|. */
bool lw_node_is_closed(const lw_node *node, lw_str *text);

/* Makes a closed object of |json|, which is copied: an object as lw_node_write writes it. */
lw_node *lw_tree_closed(lw_tree *tree, lw_str json);

/* Returns true if both are closed objects with the same text. */
bool lw_node_has_same_text(const lw_node *a, const lw_node *b);

/* Opens a closed object, all of it; does nothing to others.  LW_ERR_NOMEM, LW_ERR_LIMIT: its tree
 * has failed. */
lw_status lw_node_open(lw_node *node);

/* Changes |object|, a node of |tree| that has just been read as a whole.  Failures stick in |tree|.
 */
typedef void (*lw_node_reader)(lw_tree *tree, const void *arg, lw_node *object);

/* From now on the closed object |node| is what |reader| (NULL: nobody) makes of its text, when
 * somebody asks for a member; until then it is written as its text.  Copies are the same.  Does
 * nothing to other nodes. */
void lw_node_set_reader(lw_node *node, lw_node_reader reader, const void *arg);

/* Reads all of the text of the closed object |node| into a new one in |tree|. */
lw_node *lw_tree_read_closed(lw_tree *tree, const lw_node *node);

/* Returns a closed object in |tree| with the text of |node|, whose tree must live as long; a |node|
 * that is not closed is returned itself. */
lw_node *lw_tree_share_closed(lw_tree *tree, lw_node *node);

/* From now on the growth of the tree is charged to |budget| (NULL: to none), which must outlive the
 * tree.  When it is over, the tree fails with LW_ERR_LIMIT. */
void lw_tree_set_budget(lw_tree *tree, lw_budget *budget);
lw_budget *lw_tree_budget(const lw_tree *tree);

/* Charges |steps| to the budget of the tree.  False: it is over, and the tree has failed. */
bool lw_tree_charge(lw_tree *tree, uint64_t steps);

/* Charges one walk through everything in the tree, for code that visits its nodes without making
 * new ones. */
bool lw_tree_charge_pass(lw_tree *tree);

/* The same for code that does not look at all of the texts that were parsed. */
bool lw_tree_charge_nodes(lw_tree *tree);

/* Returns true if a parsed object had members with the same name. */
bool lw_tree_had_repeats(const lw_tree *tree);

/* Returns false if no text that was parsed into the tree had null. */
bool lw_tree_had_nulls(const lw_tree *tree);

/* Makes the root anew from the text that the tree was parsed from, as it was before it was changed;
 * the old nodes stay valid.  Only if lw_tree_can_reread.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_tree_reread(lw_tree *tree);
bool lw_tree_can_reread(const lw_tree *tree);

void lw_tree_free(lw_tree *tree);

/* Returns the first failure: LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT. */
lw_status lw_tree_status(const lw_tree *tree);

lw_node *lw_tree_root(const lw_tree *tree);
void lw_tree_set_root(lw_tree *tree, lw_node *root);

/* Parses |json| into |tree| as a detached node. */
lw_status lw_tree_parse_node(lw_tree *tree, lw_str json, lw_node **out, lw_error *err);

/* Make a detached node, which can be put into one place. */
lw_node *lw_tree_null(lw_tree *tree);
lw_node *lw_tree_bool(lw_tree *tree, bool value);
lw_node *lw_tree_int(lw_tree *tree, int64_t value);
lw_node *lw_tree_number(lw_tree *tree, lw_str text); /* JSON number text, copied */
lw_node *lw_tree_string(lw_tree *tree, lw_str text); /* decoded UTF-8, copied */
lw_node *lw_tree_array(lw_tree *tree);
lw_node *lw_tree_object(lw_tree *tree);
lw_node *lw_tree_copy(lw_tree *tree,
                      const lw_node *node); /* deep copy; the node may belong to another tree */

/* Make a deep copy that shares texts and keys: the tree of |node| must live as long as |tree|.  The
 * second one leaves out null members on all levels. */
lw_node *lw_tree_share(lw_tree *tree, const lw_node *node);
lw_node *lw_tree_share_without_nulls(lw_tree *tree, const lw_node *node);

/* Removes the null members of |node| on all levels, without a copy. */
void lw_tree_drop_nulls(lw_tree *tree, lw_node *node);

/* The same as lw_tree_share_without_nulls for a CustomResourceDefinition, whose schemas may have
 * null inside a default, an example or an allowed value. */
lw_node *lw_tree_share_definition(lw_tree *tree, const lw_node *node);

/* Readers, besides those in node_read.h. */
bool lw_node_bool(const lw_node *node); /* false unless it is true */
bool lw_node_was_escaped(
    const lw_node *node); /* a string that was parsed from a text with escapes */
bool lw_node_int64(const lw_node *node, int64_t *out);

/* The same, for one member after the other of objects that are mostly in the same order: |*at| is
 * the position where |key| is looked for first; it begins with 0. */
static inline lw_node *lw_node_get_next(const lw_node *node, lw_str key, size_t *at)
{
    size_t count = lw_node_is(node, LW_JSON_OBJECT) ? lw_node_count(node) : 0;
    for (size_t i = *at; i < count && i < *at + 2; i++) { /* one member may be missing */
        lw_str found;
        lw_node *value = lw_node_member_at(node, i, &found);
        if (found.len == key.len && lw_str_same(found.ptr, key.ptr, key.len)) {
            *at = i + 1;
            return value;
        }
    }
    return count > 0 ? lw_node_get(node, key) : NULL;
}

/* Returns true if both values are equal: the order of members does not matter, numbers are compared
 * by value (1 and 1.0 and 1e0 are equal). */
bool lw_node_equal(const lw_node *a, const lw_node *b);

/* The same, charged to |budget| (may be NULL): false if that is over. */
bool lw_node_equal_within(const lw_node *a, const lw_node *b, lw_budget *budget);

/* Returns true if both values are written alike: also with the same order of members.  Charged to
 * |budget| (may be NULL): false if that is over. */
bool lw_node_is_same(const lw_node *a, const lw_node *b, lw_budget *budget);

/* Returns a hash that is equal for equal values; the depth is limited to LW_TREE_DEPTH. */
uint64_t lw_node_hash(const lw_node *node, lw_hash_seed seed);

/* Changes.  The node must have the type in the name, an index must be in range; a NULL value or
 * node does nothing.  New members come last; a replaced member keeps its position. */
void lw_node_put(lw_tree *tree, lw_node *object, lw_str key, lw_node *value); /* add or replace */

/* As lw_node_put for a |key| that |object| is known not to have. */
void lw_node_add(lw_tree *tree, lw_node *object, lw_str key, lw_node *value);

bool lw_node_remove(lw_node *object, lw_str key); /* returns true if it existed */

/* Makes room for |count| more members, if |object| has none or is small compared to that: then it
 * does not grow step by step. */
void lw_node_reserve(lw_tree *tree, lw_node *object, size_t count);

/* Removes the members of |object| for which |is_removed| returns true, in linear time: it is called
 * once for each member, in order.  It may change the inside of |value| and replace the member, but
 * not add or remove one.  (A loop that reads members by position and removes some with
 * lw_node_remove is quadratic.) */
typedef bool (*lw_node_predicate)(void *arg, lw_str key, lw_node *value);
void lw_node_remove_if(lw_node *object, lw_node_predicate is_removed, void *arg);

void lw_node_append(lw_tree *tree, lw_node *array, lw_node *value);
void lw_node_insert(lw_tree *tree, lw_node *array, size_t index, lw_node *value);
void lw_node_set_at(lw_node *array, size_t index, lw_node *value);
void lw_node_remove_at(lw_node *array, size_t index);

/* Sorts the members of |object|, not of those in it, by the keys: |compare| returns their order. */
typedef int (*lw_node_key_compare)(void *arg, lw_str a, lw_str b);
void lw_node_sort_members(lw_node *object, lw_node_key_compare compare, void *arg);

/* Sorts the members of |node| and of all objects in it by key, like maps in Go. */
void lw_node_sort_keys(lw_node *node);

/* Writes |node| (NULL: null) as the next value of |w|.  LW_ERR_LIMIT: nested deeper than
 * LW_TREE_DEPTH. */
void lw_node_write(const lw_node *node, lw_json_writer *w);

#endif
