/* SPDX-License-Identifier: Apache-2.0 */
/* object.h -- one Kubernetes object: immutable, reference-counted, readable from any thread.
 *
 * An object consists of its JSON and of its metadata, which is decoded when the object is made.
 * Returned strings are NUL-terminated, decoded, and valid as long as the object.  An object never
 * changes: to change it, make a new one. */
#ifndef LISTWATCH_OBJECT_H
#define LISTWATCH_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/key.h>
#include <listwatch/label.h>
#include <listwatch/read_options.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

typedef struct lw_object lw_object;

/* Makes an object from its JSON, which is validated completely; managedFields are dropped.
 * LW_ERR_SYNTAX (malformed JSON) and LW_ERR_INVALID (not an object, or metadata of the wrong type)
 * with the offset; LW_ERR_LIMIT (too large or nested too deeply); LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_object_from_json(lw_object **out, const char *json, size_t len,
                                                   lw_error *err);

/* As lw_object_from_json, with options for what is kept.  NULL |options| means the defaults. */
LW_MUST_CHECK LW_API lw_status lw_object_from_json_with(lw_object **out, const char *json,
                                                        size_t len, const lw_read_options *options,
                                                        lw_error *err);

/* Makes a copy of |obj| whose metadata.resourceVersion is |rv|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK LW_API lw_status lw_object_with_revision(lw_object **out, const lw_object *obj,
                                                       uint64_t rv);

/* Takes a reference, which the caller releases with lw_object_unref.  Never fails. */
LW_API lw_object *lw_object_ref(const lw_object *obj);

/* Releases a reference; the last one frees the object.  NULL does nothing. */
LW_API void lw_object_unref(lw_object *obj);

/* Return the identity of the object; "" for members that are absent.  Items of a typed list have no
 * apiVersion and kind; they report those of their list ("v1" and "Pod" for a PodList), see
 * list_reader.h. */
LW_API const char *lw_object_api_version(const lw_object *obj);
LW_API const char *lw_object_kind(const lw_object *obj);
LW_API const char *lw_object_namespace(const lw_object *obj);
LW_API const char *lw_object_name(const lw_object *obj);
LW_API const char *lw_object_uid(const lw_object *obj);
LW_API const char *lw_object_resource_version(const lw_object *obj);

/* Returns the resourceVersion as a number, which it is on every known server; 0 if it is not one.
 */
LW_API uint64_t lw_object_revision(const lw_object *obj);

/* Returns namespace and name; valid as long as the object. */
LW_API lw_key lw_object_key(const lw_object *obj);

/* Returns the value of the label |key|, or NULL. */
LW_API const char *lw_object_label(const lw_object *obj, const char *key);

/* Return the number of labels, and one label.  Labels are sorted by the bytes of their keys.  Both
 * strings of a label are NUL-terminated; |index| must be less than the count. */
LW_API size_t lw_object_label_count(const lw_object *obj);
LW_API lw_label lw_object_label_at(const lw_object *obj, size_t index);

/* Returns the value of the annotation |key|, or NULL if there is none or memory runs out. */
LW_API const char *lw_object_annotation(const lw_object *obj, const char *key);

/* A reference to an owner of an object. */
typedef struct lw_owner_reference {
    lw_str api_version, kind, name, uid;
} lw_owner_reference;

/* Finds the owner that controls |obj|: the first of its ownerReferences whose "controller" is true,
 * as GetControllerOf in Go.  The texts are valid as long as |obj|, are not always NUL-terminated,
 * and are empty where the reference has none.  False: there is no controller, or memory ran out. */
LW_API bool lw_object_controller(const lw_object *obj, lw_owner_reference *out);

/* Returns the JSON of the object as it was received, without the dropped members; NUL-terminated.
 * If the object was received as protobuf (see lw_factory_options.encoding), this is the JSON that
 * the server would have sent; it is made by the first call, and empty if memory runs out. */
LW_API lw_str lw_object_json(const lw_object *obj);

/* Return the value at a JSON Pointer ("/spec/nodeName", "/spec/containers/0/image") if it exists
 * and has the type.  Otherwise return |fallback|, also if |pointer| is malformed or memory runs
 * out.  Integers must be exact and in range; a string of digits is a string. */
LW_API const char *lw_object_string(const lw_object *obj, const char *pointer,
                                    const char *fallback);
LW_API int64_t lw_object_int(const lw_object *obj, const char *pointer, int64_t fallback);
LW_API bool lw_object_bool(const lw_object *obj, const char *pointer, bool fallback);

/* Gets the string at |pointer|, with the reason if there is none.  |*out| is NUL-terminated, valid
 * as long as the object, and may contain NUL bytes.  LW_ERR_NOT_FOUND: there is no value.
 * LW_ERR_INVALID: the value is not a string, or |pointer| is malformed.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_object_get_string(const lw_object *obj, const char *pointer,
                                                    lw_str *out);

/* Gets the JSON text of the value at |pointer|, a part of lw_object_json or, if the object was
 * received as protobuf, a text of its own; valid as long as the object.  LW_ERR_NOT_FOUND: there is
 * no value.  LW_ERR_INVALID: |pointer| is malformed.  LW_ERR_NOMEM: it cannot be made. */
LW_MUST_CHECK LW_API lw_status lw_object_raw(const lw_object *obj, const char *pointer,
                                             lw_str *out);

/* Returns the memory that the object uses, in bytes, including the strings decoded so far. */
LW_API size_t lw_object_memory(const lw_object *obj);

LW_END_DECLS

#endif
