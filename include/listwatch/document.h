/* SPDX-License-Identifier: Apache-2.0 */
/* document.h -- a JSON document that can be changed, to build an object or a patch.
 *
 * A place is a JSON Pointer (RFC 6901) relative to a value |from|; NULL means the whole document.
 * When a value is set, "-" means the place after the last element of an array, and missing parents
 * are created: an array if "-" is the next segment, otherwise an object.
 *
 * The first failure is remembered: all later changes do nothing.  A program can make all changes
 * and check once, with lw_document_to_object or lw_document_json.  Only one thread at a time may
 * use a document, even for reading. */
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

/* One value of a document.  It is valid as long as the document, even after it was removed. */
typedef struct lw_node lw_value;

/* Makes the document {}.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_document_new(lw_document **out, lw_error *err);

/* Makes a document from a JSON text, which is validated completely.  LW_ERR_SYNTAX with the offset,
 * LW_ERR_LIMIT (64 MiB of memory, 512 levels), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_document_from_json(lw_document **out, const char *json,
                                                     size_t len, lw_error *err);

/* Makes a document from an object, with the apiVersion and kind that the object reports.
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_document_from_object(lw_document **out, const lw_object *obj,
                                                       lw_error *err);

/* Frees the document and all its values.  NULL does nothing. */
LW_API void lw_document_free(lw_document *doc);

/* Returns the first failure, or LW_OK.  LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_SYNTAX (a JSON text that
 * was set is malformed), LW_ERR_INVALID (a pointer is malformed, or a value on its path is neither
 * an object nor an array). */
LW_MUST_CHECK LW_API lw_status lw_document_status(const lw_document *doc);

/* Returns the value at |pointer|, or NULL. */
LW_API lw_value *lw_document_find(const lw_document *doc, const lw_value *from,
                                  const char *pointer);

/* Return the value at |pointer| if it exists and has the type, otherwise |fallback|.  Strings are
 * NUL-terminated and valid as long as the document. */
LW_API const char *lw_document_string(lw_document *doc, const lw_value *from, const char *pointer,
                                      const char *fallback);
LW_API int64_t lw_document_int(const lw_document *doc, const lw_value *from, const char *pointer,
                               int64_t fallback);
LW_API bool lw_document_bool(const lw_document *doc, const lw_value *from, const char *pointer,
                             bool fallback);

/* Return the number of elements or members of |value| (0 for other types and for NULL), one of
 * them, and the key of a member.  If |index| is not less than the count, they return NULL and "".
 */
LW_API size_t lw_document_count(const lw_value *value);
LW_API lw_value *lw_document_item(const lw_value *value, size_t index);
LW_API lw_str lw_document_key(const lw_value *value, size_t index);

/* Returns true if both values are equal: the order of members does not matter, numbers are compared
 * by value, and NULL equals only NULL.  The values may belong to different documents. */
LW_API bool lw_document_equal(const lw_value *a, const lw_value *b);

/* Set the value at |pointer| and return it, or NULL on failure.  Text is copied. */
LW_API lw_value *lw_document_set_string(lw_document *doc, lw_value *from, const char *pointer,
                                        const char *text);
LW_API lw_value *lw_document_set_int(lw_document *doc, lw_value *from, const char *pointer,
                                     int64_t value);
LW_API lw_value *lw_document_set_bool(lw_document *doc, lw_value *from, const char *pointer,
                                      bool value);
LW_API lw_value *lw_document_set_null(lw_document *doc, lw_value *from, const char *pointer);
LW_API lw_value *lw_document_set_object(lw_document *doc, lw_value *from, const char *pointer);
LW_API lw_value *lw_document_set_array(lw_document *doc, lw_value *from, const char *pointer);

/* Sets a copy of |value|, which may belong to another document; NULL does nothing. */
LW_API lw_value *lw_document_set_copy(lw_document *doc, lw_value *from, const char *pointer,
                                      const lw_value *value);

/* Sets a JSON text, e.g. the result of lw_object_raw.  A malformed text is the failure
 * LW_ERR_SYNTAX. */
LW_API lw_value *lw_document_set_json(lw_document *doc, lw_value *from, const char *pointer,
                                      lw_str json);

/* Sets the member |key| of |object| to a copy of |value| (NULL: null).  The key may contain any
 * bytes. */
LW_API lw_value *lw_document_put(lw_document *doc, lw_value *object, lw_str key,
                                 const lw_value *value);

/* Removes the value at |pointer|.  Returns false if there was none. */
LW_API bool lw_document_remove(lw_document *doc, lw_value *from, const char *pointer);

/* Gets |from| (NULL: the whole document) as compact JSON, which is NUL-terminated and valid as long
 * as the document.  Returns the first failure of the document, LW_ERR_NOMEM or LW_ERR_LIMIT. */
LW_MUST_CHECK LW_API lw_status lw_document_json(lw_document *doc, const lw_value *from, lw_str *out,
                                                lw_error *err);

/* Makes an object from the document; it shares no memory with the document.  Errors as
 * lw_document_json and lw_object_from_json. */
LW_MUST_CHECK LW_API lw_status lw_document_to_object(lw_document *doc, lw_object **out,
                                                     lw_error *err);

LW_END_DECLS

#endif
