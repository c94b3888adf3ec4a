/* SPDX-License-Identifier: Apache-2.0 */
/* document.h -- a JSON document to build and to change: what is to become an object, or a patch.
 *
 * Places are named by JSON Pointer (RFC 6901) from a value |from| on; NULL stands for the whole
 * document.  In what is set, "-" is the place after the last element of an array, and what is
 * missing on the way is made: an array where "-" comes next, else an object.
 *
 * Failures stick: after one, every change does nothing, so build freely and look once, at what
 * lw_document_to_object or lw_document_json say.  One thread at a time, readers too. */
#ifndef LISTWATCH_DOCUMENT_H
#define LISTWATCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

typedef struct lw_document lw_document;

/* One value in a document; lives as long as the document, also when it was removed from it. */
typedef struct lw_node lw_value;

/* A document that is {}.  LW_ERR_NOMEM. */
LW_API lw_status lw_document_new(lw_document **out, lw_error *err);

/* One from a JSON text, all of which is checked.  LW_ERR_SYNTAX with the offset, LW_ERR_LIMIT (64
 * MiB of memory, 512 levels), LW_ERR_NOMEM. */
LW_API lw_status lw_document_from_json(lw_document **out, const char *json, size_t len,
                                       lw_error *err);

/* A copy of an object, to be changed, with the apiVersion and kind that it reports.  LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
LW_API lw_status lw_document_from_object(lw_document **out, const lw_object *obj, lw_error *err);

/* Frees it with all its values.  NULL does nothing. */
LW_API void lw_document_free(lw_document *doc);

/* The first failure: LW_OK, LW_ERR_NOMEM, LW_ERR_LIMIT, or LW_ERR_INVALID for a pointer that is
 * malformed or leads through what is neither an object nor an array. */
LW_API lw_status lw_document_status(const lw_document *doc);

/* The value at |pointer|, or NULL. */
LW_API lw_value *lw_document_find(const lw_document *doc, const lw_value *from,
                                  const char *pointer);

/* The value at |pointer| if it is there and of that type, else |fallback|.  Strings end in a NUL
 * and live as long as the document. */
LW_API const char *lw_document_string(lw_document *doc, const lw_value *from, const char *pointer,
                                      const char *fallback);
LW_API int64_t lw_document_int(const lw_document *doc, const lw_value *from, const char *pointer,
                               int64_t fallback);
LW_API bool lw_document_bool(const lw_document *doc, const lw_value *from, const char *pointer,
                             bool fallback);

/* How many elements or members |value| has (0 for others, and for NULL), and one of them; a member
 * has a key.  NULL and "" from the count on. */
LW_API size_t lw_document_count(const lw_value *value);
LW_API lw_value *lw_document_item(const lw_value *value, size_t index);
LW_API lw_str lw_document_key(const lw_value *value, size_t index);

/* Whether both are the same: objects whatever their order, numbers by their value; NULL is the same
 * as NULL only.  They may be of two documents. */
LW_API bool lw_document_equal(const lw_value *a, const lw_value *b);

/* Sets the value at |pointer| and returns it; NULL: it failed.  Text is copied. */
LW_API lw_value *lw_document_set_string(lw_document *doc, lw_value *from, const char *pointer,
                                        const char *text);
LW_API lw_value *lw_document_set_int(lw_document *doc, lw_value *from, const char *pointer,
                                     int64_t value);
LW_API lw_value *lw_document_set_bool(lw_document *doc, lw_value *from, const char *pointer,
                                      bool value);
LW_API lw_value *lw_document_set_null(lw_document *doc, lw_value *from, const char *pointer);
LW_API lw_value *lw_document_set_object(lw_document *doc, lw_value *from, const char *pointer);
LW_API lw_value *lw_document_set_array(lw_document *doc, lw_value *from, const char *pointer);

/* The same with a copy of |value|, of this or another document; NULL does nothing. */
LW_API lw_value *lw_document_set_copy(lw_document *doc, lw_value *from, const char *pointer,
                                      const lw_value *value);

/* The same with a JSON text, such as lw_object_raw gives; one that is malformed: LW_ERR_SYNTAX. */
LW_API lw_value *lw_document_set_json(lw_document *doc, lw_value *from, const char *pointer,
                                      lw_str json);

/* Sets a copy of |value| (NULL: null) as the member |key| of |object|, whatever bytes are in the
 * key. */
LW_API lw_value *lw_document_put(lw_document *doc, lw_value *object, lw_str key,
                                 const lw_value *value);

/* Takes away what is at |pointer|; false: nothing was there. */
LW_API bool lw_document_remove(lw_document *doc, lw_value *from, const char *pointer);

/* The value |from| (NULL: all of it) as compact JSON, which ends in a NUL and lives as long as the
 * document.  The first failure of the document, LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_API lw_status lw_document_json(lw_document *doc, const lw_value *from, lw_str *out,
                                  lw_error *err);

/* The document as an object, which holds nothing of it.  Errors as lw_document_json and
 * lw_object_from_json. */
LW_API lw_status lw_document_to_object(lw_document *doc, lw_object **out, lw_error *err);

LW_END_DECLS

#endif
