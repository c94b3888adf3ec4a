/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath_internal.h -- a parsed template, shared by its parser and its evaluation. */
#ifndef LISTWATCH_CLI_JSONPATH_INTERNAL_H
#define LISTWATCH_CLI_JSONPATH_INTERNAL_H

#include "jsonpath.h"

enum {
    JSONPATH_TEXT_MAX = 64 * 1024, /* bytes of a template */
    JSONPATH_DEPTH_MAX = 16,       /* nested filters, unions and ranges */
    JSONPATH_VALUES_MAX = 1000 * 1000,
};

typedef enum step_kind {
    STEP_FIELD,   /* .name */
    STEP_ALL,     /* .* and [*] */
    STEP_DESCEND, /* .. : the value and everything in it */
    STEP_SLICE,   /* [n] and [from:to:step] */
    STEP_UNION,   /* [a,b]: |paths| */
    STEP_FILTER,  /* [?(left operator right)] */
    STEP_ROOT,    /* $ */
} step_kind;

typedef enum filter_operator {
    FILTER_EXISTS,
    FILTER_EQUAL,
    FILTER_NOT_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
} filter_operator;

typedef struct step step;

/* A path, or a literal if |literal| is set. */
typedef struct step_path {
    step *first, *last;
    char *literal;
    struct step_path *next; /* in a union */
} step_path;

struct step {
    step_kind kind;
    step *next;
    char *name;            /* STEP_FIELD */
    long from, to, stride; /* STEP_SLICE */
    bool has_from, has_to, is_index;
    step_path *paths;   /* STEP_UNION; STEP_FILTER: left, then right */
    filter_operator op; /* STEP_FILTER */
};

typedef enum part_kind {
    PART_TEXT,
    PART_PATH,
    PART_RANGE, /* |path|, |inside| */
} part_kind;

typedef struct part part;
struct part {
    part_kind kind;
    part *next;
    char *text;
    size_t len;
    step_path *path;
    part *inside; /* PART_RANGE: up to the end */
};

struct jsonpath {
    part *first;
};

#endif
