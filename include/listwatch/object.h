/* SPDX-License-Identifier: Apache-2.0 */
/* object.h -- one Kubernetes object: immutable, shared by reference, readable from any thread.
 *
 * An object is its JSON and, decoded beside it, what is read often.  Strings handed out are
 * NUL-terminated, decoded, and live as long as the object.  Nobody can change an object; a change
 * is a new object. */
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

/* Reads one object from its JSON, checking all of it and dropping managedFields.
 * LW_ERR_SYNTAX (malformed) and LW_ERR_INVALID (not an object, or metadata of the wrong type) with
 * the offset; LW_ERR_LIMIT (too large, too deep); LW_ERR_NOMEM. */
LW_API lw_status lw_object_from_json(lw_object **out, const char *json, size_t len, lw_error *err);

/* The same with a say in what is kept.  NULL |options|: the defaults. */
LW_API lw_status lw_object_from_json_with(lw_object **out, const char *json, size_t len,
                                          const lw_read_options *options, lw_error *err);

/* A new object: |obj| with metadata.resourceVersion set to |rv|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_API lw_status lw_object_with_revision(lw_object **out, const lw_object *obj, uint64_t rv);

/* Takes a further reference, to be given back with lw_object_unref.  Never fails. */
LW_API lw_object *lw_object_ref(const lw_object *obj);

/* Gives a reference back; the last one frees the object.  NULL does nothing. */
LW_API void lw_object_unref(lw_object *obj);

/* What identifies an object; "" where it is absent.  Items of a typed list carry no apiVersion and
 * kind; they report those of their list ("v1" and "Pod" of a PodList), see list_reader.h. */
LW_API const char *lw_object_api_version(const lw_object *obj);
LW_API const char *lw_object_kind(const lw_object *obj);
LW_API const char *lw_object_namespace(const lw_object *obj);
LW_API const char *lw_object_name(const lw_object *obj);
LW_API const char *lw_object_uid(const lw_object *obj);
LW_API const char *lw_object_resource_version(const lw_object *obj);

/* The resourceVersion as the number it is in every known server, or 0 where it is not one. */
LW_API uint64_t lw_object_revision(const lw_object *obj);

/* Namespace and name; lives as long as the object. */
LW_API lw_key lw_object_key(const lw_object *obj);

/* The value of the label |key|, or NULL. */
LW_API const char *lw_object_label(const lw_object *obj, const char *key);

/* The labels in the order of their keys (by bytes).  Both strings of lw_object_label_at are
 * NUL-terminated; |index| must be below the count. */
LW_API size_t lw_object_label_count(const lw_object *obj);
LW_API lw_label lw_object_label_at(const lw_object *obj, size_t index);

/* The value of the annotation |key|, or NULL where there is none (or no memory to decode it). */
LW_API const char *lw_object_annotation(const lw_object *obj, const char *key);

/* The object's JSON as it came, without what was dropped; NUL-terminated. */
LW_API lw_str lw_object_json(const lw_object *obj);

/* Reading by JSON Pointer ("/spec/nodeName", "/spec/containers/0/image"): the value if it is there
 * and of that type, else |fallback|; so too when |pointer| is malformed or memory runs out.
 * Integers must be exact and fit; a string of digits is a string. */
LW_API const char *lw_object_string(const lw_object *obj, const char *pointer,
                                    const char *fallback);
LW_API int64_t lw_object_int(const lw_object *obj, const char *pointer, int64_t fallback);
LW_API bool lw_object_bool(const lw_object *obj, const char *pointer, bool fallback);

/* The string at |pointer|, where it matters why there is none.  |*out| is NUL-terminated, lives as
 * long as the object, and may hold NUL bytes.
 * LW_ERR_NOT_FOUND: nothing is there.  LW_ERR_INVALID: it is not a string, or |pointer| is
 * malformed.  LW_ERR_NOMEM. */
LW_API lw_status lw_object_get_string(const lw_object *obj, const char *pointer, lw_str *out);

/* The JSON text of the value at |pointer|, inside lw_object_json.
 * LW_ERR_NOT_FOUND: nothing is there.  LW_ERR_INVALID: |pointer| is malformed. */
LW_API lw_status lw_object_raw(const lw_object *obj, const char *pointer, lw_str *out);

/* Bytes this object takes: its block, and the strings that were decoded from it since. */
LW_API size_t lw_object_memory(const lw_object *obj);

LW_END_DECLS

#endif
