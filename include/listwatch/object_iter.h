/* SPDX-License-Identifier: Apache-2.0 */
/* object_iter.h -- walks the arrays and objects inside an lw_object, without copying.
 *
 *     lw_iter c = lw_object_iter(pod, "/spec/containers");
 *     while (lw_iter_next(&c)) {
 *         puts(lw_iter_string(&c, "/name", "?"));
 *         lw_iter p = lw_iter_enter(&c, "/ports");
 *         while (lw_iter_next(&p))
 *             printf("  %d\n", (int)lw_iter_int(&p, "/containerPort", 0));
 *     }
 *
 * An iterator is a plain value: it needs no cleanup, and is valid as long as its object.  Any
 * number of threads may walk the same object, each with its own iterators. */
#ifndef LISTWATCH_OBJECT_ITER_H
#define LISTWATCH_OBJECT_ITER_H

#include <listwatch/object.h>

LW_BEGIN_DECLS

/* A position in an array or an object.  Only |index|, |key| and |json| are for programs. */
typedef struct lw_iter {
    size_t index; /* of the current item: 0, 1 ... */
    lw_str key;   /* of the current member, decoded; empty in an array */
    lw_str json;  /* text of the current item; valid as long as the object */
    const lw_object *object;
    const char *at, *end;
    char close;
    bool is_started;
} lw_iter;

/* Returns an iterator before the first item of the array or object at |pointer| ("" is the whole
 * object).  If there is no such value, it has no items. */
LW_API lw_iter lw_object_iter(const lw_object *obj, const char *pointer);

/* Moves to the next item; false: there are no more.  A member whose key cannot be decoded because
 * memory runs out has the key as it is in the JSON. */
LW_API bool lw_iter_next(lw_iter *iter);

/* As lw_object_iter, below the current item. */
LW_API lw_iter lw_iter_enter(const lw_iter *iter, const char *pointer);

/* Return the value at |pointer| below the current item ("" is the item itself) if it exists and has
 * the type, otherwise |fallback|, like lw_object_string.  Strings are NUL-terminated and valid as
 * long as the object. */
LW_API const char *lw_iter_string(const lw_iter *iter, const char *pointer, const char *fallback);
LW_API int64_t lw_iter_int(const lw_iter *iter, const char *pointer, int64_t fallback);
LW_API bool lw_iter_bool(const lw_iter *iter, const char *pointer, bool fallback);

/* Gets the JSON text of the value at |pointer| below the current item.  Errors as lw_object_raw. */
LW_MUST_CHECK LW_API lw_status lw_iter_raw(const lw_iter *iter, const char *pointer, lw_str *out);

LW_END_DECLS

#endif
