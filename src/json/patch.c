/* SPDX-License-Identifier: Apache-2.0 */
/* patch.c -- JSON Patch: RFC 6902, and where Kubernetes goes beyond it:
 * array indices may be negative and count from the end (-1 is the last element; for "add", the
 * place behind it); a "test" against null holds for a member that is absent; an operation without
 * "value" means null, which clients that omit empty fields rely on. */
#include "json/patch.h"

#include "base/error.h"
#include "base/str.h"
#include "json/node.h"
#include "json/path.h"
#include "json/text.h"

enum {
    SHOWN_PATH = 100,    /* bytes of a path that go into a message */
    MOVES_PER_STEP = 64, /* elements that are moved in the time of one step of a budget */
    OPERATION_STEPS = 4, /* of one operation, besides what it copies and moves */
};

/* The state of applying a patch, with the current operation. */
typedef struct patch_run {
    lw_tree *tree;
    lw_buf key;    /* scratch for a decoded segment */
    size_t copied; /* bytes that "copy" has added */
    size_t moved;  /* elements of arrays that made room or closed a gap */
    lw_error *err;
    size_t number; /* of the operation in the patch, from 0 */
    lw_str op, path, from;
    const lw_node *value; /* NULL: not given */
} patch_run;

/* A location in the document: a container, and the last segment of the path. */
typedef struct place {
    lw_node *parent; /* NULL: the place is the whole document */
    lw_str segment;  /* still escaped */
} place;

/* Fails the operation because of |path|: "operation 2 (remove): path "/a": |what|". */
static lw_status refuse(const patch_run *run, lw_status st, lw_str path, const char *what)
{
    lw_buf shown; /* quoted, so that a message stays one printable line */
    lw_buf_init(&shown, SHOWN_PATH * 6 + 8);
    bool is_cut = path.len > SHOWN_PATH;
    if (is_cut)
        path.len = SHOWN_PATH;
    lw_json_append_quoted(&shown, path);
    lw_buf_append_text(&shown, is_cut ? "..." : "");
    lw_str text = lw_buf_view(&shown);
    lw_error_set(run->err, st, "operation %zu (%.*s): path %.*s: %s", run->number,
                 LW_STR_ARG(run->op), LW_STR_ARG(text), what);
    lw_buf_done(&shown);
    return st;
}

static lw_status refuse_missing(const patch_run *run, lw_str path)
{
    return refuse(run, LW_ERR_NOT_FOUND, path, "does not exist");
}

/* Reports the failure of the tree as the failure of this operation. */
static lw_status tree_result(const patch_run *run)
{
    lw_status st = lw_tree_status(run->tree);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(run->err, st, "operation %zu (%.*s): the patched document is too large",
                            run->number, LW_STR_ARG(run->op));
    return st < 0 ? lw_error_nomem(run->err) : LW_OK;
}

/* Returns the decoded |segment|, which is valid until the next call. */
static lw_status decode(patch_run *run, lw_str segment, lw_str *name)
{
    *name = segment;
    if (segment.len == 0 || !memchr(segment.ptr, '~', segment.len))
        return LW_OK;
    lw_buf_reset(&run->key);
    lw_json_path_append_decoded(&run->key, segment);
    *name = lw_buf_view(&run->key);
    return run->key.st < 0 ? lw_error_nomem(run->err) : LW_OK;
}

/* Reads |segment| as the index of one of |count| elements. */
static bool read_index(lw_str segment, size_t count, size_t *index)
{
    bool is_negative = segment.len > 0 && segment.ptr[0] == '-';
    size_t n;
    if (!lw_json_path_index(lw_str_skip(segment, is_negative), &n))
        return false;
    if (is_negative && n > 0) {
        if (n > count)
            return false;
        n = count - n;
    }
    *index = n;
    return n < count;
}

/* Sets |*child| to the child |segment| of |parent|, or to NULL. */
static lw_status child_of(patch_run *run, const lw_node *parent, lw_str segment, lw_node **child)
{
    *child = NULL;
    if (lw_node_is(parent, LW_JSON_ARRAY)) {
        size_t index;
        if (read_index(segment, lw_node_count(parent), &index))
            *child = lw_node_at(parent, index);
        return LW_OK;
    }
    lw_str name;
    lw_status st = decode(run, segment, &name);
    if (st == LW_OK)
        *child = lw_node_get(parent, name);
    return st;
}

/* Finds the location of |path|; its container must exist and be an object or array. */
static lw_status find_place(patch_run *run, lw_str path, place *out)
{
    lw_node *node = lw_tree_root(run->tree);
    lw_str rest = path;
    *out = (place){ 0 };
    while (lw_json_path_next(&rest, &out->segment)) {
        if (!lw_node_is(node, LW_JSON_OBJECT) && !lw_node_is(node, LW_JSON_ARRAY))
            return refuse_missing(run, path);
        out->parent = node;
        if (rest.len == 0)
            break;
        lw_status st = child_of(run, node, out->segment, &node);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

/* Sets |*node| to the value at |at|, or to NULL. */
static lw_status get_at(patch_run *run, place at, lw_node **node)
{
    if (at.parent)
        return child_of(run, at.parent, at.segment, node);
    *node = lw_tree_root(run->tree);
    return LW_OK;
}

/* Finds the location and the value of |path|: NULL for an absent member.  An element must exist. */
static lw_status find_node(patch_run *run, lw_str path, place *at, lw_node **node)
{
    lw_status st = find_place(run, path, at);
    if (st == LW_OK)
        st = get_at(run, *at, node);
    if (st == LW_OK && !*node && lw_node_is(at->parent, LW_JSON_ARRAY))
        st = refuse_missing(run, path);
    return st;
}

/* The same for a value that must exist. */
static lw_status find_existing(patch_run *run, lw_str path, place *at, lw_node **node)
{
    lw_status st = find_node(run, path, at, node);
    if (st == LW_OK && !*node)
        st = refuse_missing(run, path);
    return st;
}

/* Counts the elements after |index| that an insertion or removal shifts. */
static lw_status charge_move(patch_run *run, const lw_node *array, size_t index)
{
    size_t count = lw_node_count(array) - index;
    run->moved += count;
    if (!lw_tree_charge(run->tree, count / MOVES_PER_STEP))
        return tree_result(run);
    if (run->moved <= LW_JSON_PATCH_MAX_MOVED)
        return LW_OK;
    return refuse(run, LW_ERR_LIMIT, run->path,
                  "the patch moves too many array elements: split it into smaller patches");
}

/* Adds |value| (NULL: the tree has failed) at the operation's path. */
static lw_status add_at_path(patch_run *run, lw_node *value)
{
    place at;
    lw_str name;
    lw_status st = find_place(run, run->path, &at);
    if (st < 0 || !value)
        return st < 0 ? st : tree_result(run);
    if (!at.parent) {
        lw_tree_set_root(run->tree, value);
    } else if (lw_node_is(at.parent, LW_JSON_ARRAY)) {
        size_t index = lw_node_count(at.parent);
        if (!lw_str_equal(at.segment, LW_STR("-")) && !read_index(at.segment, index + 1, &index))
            return refuse(run, LW_ERR_NOT_FOUND, run->path, "is not a valid index of the array");
        st = charge_move(run, at.parent, index);
        if (st < 0)
            return st;
        lw_node_insert(run->tree, at.parent, index, value);
    } else {
        st = decode(run, at.segment, &name);
        if (st < 0)
            return st;
        lw_node_put(run->tree, at.parent, name, value);
    }
    return tree_result(run);
}

/* Removes the value at |at|. */
static lw_status remove_found(patch_run *run, place at)
{
    lw_str name;
    size_t index;
    if (lw_node_is(at.parent, LW_JSON_ARRAY)) {
        if (!read_index(at.segment, lw_node_count(at.parent), &index))
            return LW_OK;
        lw_status moved = charge_move(run, at.parent, index);
        if (moved == LW_OK)
            lw_node_remove_at(at.parent, index);
        return moved;
    }
    lw_status st = decode(run, at.segment, &name);
    if (st == LW_OK)
        (void)lw_node_remove(at.parent, name);
    return st;
}

static lw_node *copy_value(patch_run *run)
{
    return run->value ? lw_tree_copy(run->tree, run->value) : lw_tree_null(run->tree);
}

static lw_status apply_add(patch_run *run)
{
    return add_at_path(run, copy_value(run));
}

static lw_status apply_remove(patch_run *run)
{
    place at;
    lw_node *node;
    lw_status st = find_existing(run, run->path, &at, &node);
    if (st < 0)
        return st;
    if (!at.parent)
        return refuse(run, LW_ERR_INVALID, run->path, "the whole document cannot be removed");
    return remove_found(run, at);
}

/* An absent member is added, as Kubernetes' library does; RFC 6902 section 4.3 would refuse it. */
static lw_status apply_replace(patch_run *run)
{
    place at;
    lw_node *node;
    lw_status st = find_node(run, run->path, &at, &node);
    if (st < 0)
        return st;
    if (!lw_node_is(at.parent, LW_JSON_ARRAY))
        return add_at_path(run, copy_value(run));
    size_t index;
    if (read_index(at.segment, lw_node_count(at.parent), &index))
        lw_node_set_at(at.parent, index, copy_value(run));
    return tree_result(run);
}

static lw_status apply_move(patch_run *run)
{
    place at;
    lw_node *node;
    /* RFC 6902 §4.4: the "from" location must not be a proper prefix of the "path" location. */
    if (run->path.len > run->from.len && lw_str_starts_with(run->path, run->from) &&
        run->path.ptr[run->from.len] == '/')
        return refuse(run, LW_ERR_INVALID, run->path, "is inside the value to be moved");
    lw_status st = find_existing(run, run->from, &at, &node);
    if (st == LW_OK && at.parent)
        st = remove_found(run, at);
    return st < 0 ? st : add_at_path(run, node);
}

/* Counts the size of |node| as JSON towards the limit of "copy". */
static lw_status charge_copy(patch_run *run, const lw_node *node)
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, LW_JSON_PATCH_MAX_COPY - run->copied);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    lw_status st = lw_json_writer_status(&w);
    run->copied += text.len;
    lw_buf_done(&text);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(run->err, st,
                            "operation %zu (%.*s): copy operations add more than %d bytes",
                            run->number, LW_STR_ARG(run->op), (int)LW_JSON_PATCH_MAX_COPY);
    return st < 0 ? lw_error_nomem(run->err) : LW_OK;
}

static lw_status apply_copy(patch_run *run)
{
    place at;
    lw_node *node;
    lw_status st = find_node(run, run->from, &at, &node);
    if (st == LW_OK)
        st = charge_copy(run, node);
    if (st < 0)
        return st;
    return add_at_path(run, node ? lw_tree_copy(run->tree, node) : lw_tree_null(run->tree));
}

static lw_status apply_test(patch_run *run)
{
    place at;
    lw_node *node;
    lw_status st = find_node(run, run->path, &at, &node);
    if (st < 0)
        return st;
    bool wants_null = lw_node_type(run->value) == LW_JSON_NULL;
    bool holds = wants_null ? lw_node_type(node) == LW_JSON_NULL
                            : lw_node_equal_within(node, run->value, lw_tree_budget(run->tree));
    return holds ? LW_OK
                 : refuse(run, LW_ERR_TEST_FAILED, run->path,
                          "the value differs from the expected value");
}

typedef struct operation {
    const char *name;
    bool has_from;
    lw_status (*apply)(patch_run *run);
} operation;

static const operation operations[] = {
    { "add", false, apply_add },  { "remove", false, apply_remove },
    { "copy", true, apply_copy }, { "replace", false, apply_replace },
    { "move", true, apply_move }, { "test", false, apply_test },
};

static const operation *operation_named(lw_str name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (lw_str_equal(name, lw_str_of(operations[i].name)))
            return &operations[i];
    }
    return NULL;
}

/* Reads the member |name| of |node|, which must be a JSON Pointer. */
static lw_status read_pointer(const patch_run *run, const lw_node *node, const char *name,
                              lw_str *out)
{
    const lw_node *member = lw_node_get(node, lw_str_of(name));
    if (!lw_node_is(member, LW_JSON_STRING))
        return lw_error_set(run->err, LW_ERR_INVALID, "operation %zu (%.*s): \"%s\" %s",
                            run->number, LW_STR_ARG(run->op), name,
                            member ? "is not a string" : "is missing");
    *out = lw_node_text(member);
    if (lw_json_path_check(*out) < 0)
        return refuse(run, LW_ERR_INVALID, *out, "is not a JSON Pointer");
    return LW_OK;
}

/* Applies |node|, one element of the patch. */
static lw_status apply_operation(patch_run *run, const lw_node *node)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return lw_error_set(run->err, LW_ERR_INVALID, "operation %zu is not an object",
                            run->number);
    const lw_node *op = lw_node_get(node, LW_STR("op"));
    if (!lw_node_is(op, LW_JSON_STRING))
        return lw_error_set(run->err, LW_ERR_INVALID, "operation %zu: \"op\" %s", run->number,
                            op ? "is not a string" : "is missing");
    const operation *known = operation_named(lw_node_text(op));
    if (!known)
        return lw_error_set(run->err, LW_ERR_INVALID,
                            "operation %zu: \"op\" is not a JSON patch operation", run->number);
    run->op = lw_str_of(known->name);
    run->value = lw_node_get(node, LW_STR("value"));
    lw_status st = read_pointer(run, node, "path", &run->path);
    if (st == LW_OK && known->has_from)
        st = read_pointer(run, node, "from", &run->from);
    return st < 0 ? st : known->apply(run);
}

lw_status lw_json_patch_apply(lw_tree *tree, const lw_node *patch, lw_error *err)
{
    if (!lw_node_is(patch, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID, "a JSON patch must be an array of operations");
    size_t count = lw_node_count(patch);
    if (count > LW_JSON_PATCH_MAX_OPS)
        return lw_error_set(err, LW_ERR_LIMIT, "the patch has %zu operations; the limit is %d",
                            count, (int)LW_JSON_PATCH_MAX_OPS);
    patch_run run = { .tree = tree, .err = err };
    lw_buf_init(&run.key, UINT32_MAX); /* no text of a node is longer */
    (void)lw_tree_charge(tree, count * OPERATION_STEPS);
    lw_status st = tree_result(&run);
    for (run.number = 0; run.number < count && st == LW_OK; run.number++)
        st = apply_operation(&run, lw_node_at(patch, run.number));
    lw_buf_done(&run.key);
    if (st == LW_OK && lw_node__is_deeper(lw_tree_root(tree), LW_TREE_DEPTH))
        st = lw_error_set(err, LW_ERR_LIMIT,
                          "the patched document is nested more than %d levels deep",
                          (int)LW_TREE_DEPTH);
    return st;
}

/* RFC 7386 section 2, MergePatch(Target, Patch).  |depth| is the number of levels that the patch
 * may still have. */
static lw_node *merge(lw_tree *tree, lw_node *target, const lw_node *patch, unsigned depth)
{
    if (!lw_node_is(patch, LW_JSON_OBJECT))
        return lw_tree_copy(tree, patch);
    if (depth == 0) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    if (!lw_node_is(target, LW_JSON_OBJECT))
        target = lw_tree_object(tree);
    size_t count = lw_node_count(patch);
    (void)lw_tree_charge(tree, count);
    lw_node_reserve(tree, target, count);
    for (size_t i = 0; i < count && lw_tree_status(tree) == LW_OK; i++) {
        lw_str key = lw_node_key_at(patch, i);
        const lw_node *value = lw_node_at(patch, i);
        if (lw_node_is(value, LW_JSON_NULL))
            (void)lw_node_remove(target, key);
        else
            lw_node_put(tree, target, key, merge(tree, lw_node_get(target, key), value, depth - 1));
    }
    return target;
}

lw_node *lw_json_merge_patch(lw_tree *tree, lw_node *target, const lw_node *patch)
{
    return merge(tree, target, patch, LW_TREE_DEPTH);
}
