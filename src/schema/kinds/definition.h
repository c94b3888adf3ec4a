/* SPDX-License-Identifier: Apache-2.0 */
/* definition.h -- a CustomResourceDefinition as the server uses it: the kinds it makes, one a
 * version.
 *
 * Made once from the stored object and never changed; held by the registries that serve it.
 * Threads: any number of readers. */
#ifndef LW_SCHEMA_KINDS_DEFINITION_H
#define LW_SCHEMA_KINDS_DEFINITION_H

#include "schema/kinds/kind.h"
#include "schema/structural/structural.h"
#include "schema/structural/structural_types.h"

typedef struct lw_definition lw_definition;

/* One version. */
typedef struct lw_custom {
    lw_kind kind; /* kind.custom leads back here */
    const lw_definition *definition;
    lw_structural *schema; /* NULL: objects are taken as they come */
    lw_structural_types *types;
} lw_custom;

/* What a definition calls its resource; views of the definition. */
typedef struct lw_definition_names {
    lw_str group, plural, singular, kind, list_kind;
    const lw_str *short_names; /* ends with an empty one; NULL: none */
    const lw_str *categories;  /* the same */
} lw_definition_names;

/* Reads |crd|, a CustomResourceDefinition of apiextensions.k8s.io/v1 that was validated when it was
 * stored.  LW_ERR_INVALID: it was not, and err->message says what is wrong; LW_ERR_NOMEM. */
lw_status lw_definition_new(lw_definition **out, const lw_object *crd, lw_error *err);

lw_definition *lw_definition_ref(lw_definition *definition);
void lw_definition_unref(lw_definition *definition); /* NULL does nothing */

/* The versions that are served. */
const lw_custom *lw_definition_served(const lw_definition *definition, size_t *count);

/* The version that objects are stored in, served or not; NULL: there is none. */
const lw_kind *lw_definition_storage_kind(const lw_definition *definition);

lw_str lw_definition_name(const lw_definition *definition); /* "widgets.example.com" */
lw_str lw_definition_uid(const lw_definition *definition);
uint64_t lw_definition_revision(const lw_definition *definition); /* of the object it is made of */
const lw_definition_names *lw_definition_names_of(const lw_definition *definition);
lw_str lw_definition_storage(const lw_definition *definition);          /* "example.com/widgets" */
const lw_object *lw_definition_object(const lw_definition *definition); /* as it was stored */
bool lw_definition_is_namespaced(const lw_definition *definition);
bool lw_definition_is_terminating(const lw_definition *definition);

/* Its names had been accepted when it was stored. */
bool lw_definition_is_established(const lw_definition *definition);

/* Holds what |kind| is part of: the definition of a custom one; built-in kinds live for ever. */
const lw_kind *lw_kind_ref(const lw_kind *kind);
void lw_kind_unref(const lw_kind *kind); /* NULL does nothing */

/* True for one of the kinds that show the same objects: the built-in kind that they are stored as,
 * the first served version of a definition. */
bool lw_kind_is_first(const lw_kind *kind);

/* What the server keeps for the objects of the definition: |serving| is the data of its kinds and
 * is given to |release| with the definition's end.  Once, before others see it. */
void lw_definition_set_serving(lw_definition *definition, void *serving,
                               void (*release)(void *serving));
void *lw_definition_serving(const lw_definition *definition);

/* Its objects are converted between versions by a webhook; otherwise only apiVersion changes. */
bool lw_definition_has_webhook(const lw_definition *definition);

/* True if |kind| and |other|, versions of one definition, are converted by a webhook. */
bool lw_kind_needs_webhook(const lw_kind *kind, const lw_kind *other);

/* What converts them (api/conversion), given to |release| with the definition's end.  Once, before
 * others see it. */
void lw_definition_set_converter(lw_definition *definition, void *converter,
                                 void (*release)(void *converter));
void *lw_definition_converter(const lw_definition *definition);

/* The kind of |version|, served or not; NULL: the definition has no such version. */
const lw_kind *lw_definition_version(const lw_definition *definition, lw_str version);

/* Fills in defaults that |tree|, which is the stored |obj| of |kind|, lacks: its schema may have
 * got them later, or it was written in another version.  True: there were some.  Failures are
 * sticky in |tree|. */
bool lw_kind_default_stored(const lw_kind *kind, const lw_object *obj, lw_tree *tree);

#endif
