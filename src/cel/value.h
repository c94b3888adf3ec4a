/* SPDX-License-Identifier: Apache-2.0 */
/* value.h -- what expressions work with while they are evaluated.
 *
 * A value is three words and is passed by value; what it points to is of the evaluation's arena, of
 * the program, or of the trees that are looked at.  Lists, maps and objects of a tree stay there
 * and are read when somebody asks. */
#ifndef LW_CEL_VALUE_H
#define LW_CEL_VALUE_H

#include <listwatch/quantity.h>

#include "base/arena.h"
#include "base/time_text.h"
#include "cel/cel.h"

typedef struct lw_cel_value lw_cel_value;
typedef struct lw_cel_entry lw_cel_entry;

/* An address, and of a block of them how many bits of it count. */
typedef struct lw_cel_address {
    unsigned char bytes[16];
    unsigned family; /* 4 or 6 */
    unsigned prefix;
} lw_cel_address;

typedef struct lw_cel_url {
    lw_str text, scheme, host, path, query; /* all as they were written */
} lw_cel_url;

/* "1.2.3-rc.1": the numbers, and what is behind the '-'. */
typedef struct lw_cel_semver {
    uint64_t numbers[3];
    lw_str pre; /* empty: none */
} lw_cel_semver;

/* A named format of strings; formats.c has them all. */
typedef struct lw_cel_format lw_cel_format;

struct lw_cel_value {
    uint8_t kind; /* lw_cel_kind */
    bool is_tree; /* LIST, MAP: of a tree, as OBJECT always is */
    union {
        bool boolean;
        int64_t integer; /* INT; DURATION in nanoseconds; TYPE: an lw_cel_kind */
        uint64_t natural;
        double real;
        lw_str text; /* STRING, BYTES, ERROR */
        lw_time time;
        struct {
            const lw_node *node;
            const lw_cel_type *type;
        } tree;
        struct {
            const lw_cel_value *items;
            size_t count;
        } list;
        struct {
            const lw_cel_entry *entries;
            size_t count;
        } map;
        const lw_cel_value *inner; /* OPTIONAL; NULL: none */
        const lw_quantity *quantity;
        const lw_cel_address *address; /* IP, CIDR */
        const lw_cel_url *url;
        const lw_cel_format *format;
        const lw_cel_semver *semver;
    };
};

struct lw_cel_entry {
    lw_cel_value key, value;
};

/* An evaluation under way. */
typedef struct lw_cel_run {
    lw_arena arena;
    uint64_t cost, budget;
    uint64_t work;
    lw_status st; /* LW_ERR_LIMIT: it costs too much; LW_ERR_NOMEM.  Ends everything */
    lw_cel_value *slots;
    const struct lw_regex *pattern; /* of the call under way, if it was made before */
    lw_str function;                /* the name of the call under way */
} lw_cel_run;

/* Counts |cost| against the budget, |steps| against the bound of work; false: it is over. */
bool lw_cel_charge(lw_cel_run *run, uint64_t cost);
bool lw_cel_labour(lw_cel_run *run, uint64_t steps);

/* The error that stands for run->st. */
lw_cel_value lw_cel_over(lw_cel_run *run);

/* True when nothing goes on: memory or budget are used up. */
bool lw_cel_is_over(lw_cel_run *run);

/* An error with a text. */
lw_cel_value lw_cel_fail(lw_cel_run *run, const char *format, ...) LW_PRINTF(2, 3);
lw_cel_value lw_cel_no_overload(lw_cel_run *run);

static inline bool lw_cel_is_error(const lw_cel_value *value)
{
    return value->kind == LW_CEL_ERROR;
}

static inline lw_cel_value lw_cel_of_bool(bool boolean)
{
    return (lw_cel_value){ .kind = LW_CEL_BOOL, .boolean = boolean };
}

static inline lw_cel_value lw_cel_of_int(int64_t integer)
{
    return (lw_cel_value){ .kind = LW_CEL_INT, .integer = integer };
}

static inline lw_cel_value lw_cel_of_double(double real)
{
    return (lw_cel_value){ .kind = LW_CEL_DOUBLE, .real = real };
}

static inline lw_cel_value lw_cel_of_text(lw_str text)
{
    return (lw_cel_value){ .kind = LW_CEL_STRING, .text = text };
}

static inline lw_cel_value lw_cel_of_null(void)
{
    return (lw_cel_value){ .kind = LW_CEL_NULL };
}

static inline lw_cel_value lw_cel_of_list(const lw_cel_value *items, size_t count)
{
    return (lw_cel_value){ .kind = LW_CEL_LIST, .list = { items, count } };
}

/* The optional of |inner|, which is copied; lw_cel_none: without one. */
lw_cel_value lw_cel_some(lw_cel_run *run, lw_cel_value inner);
static inline lw_cel_value lw_cel_none(void)
{
    return (lw_cel_value){ .kind = LW_CEL_OPTIONAL };
}

/* A STRING of a copy of |text|, or of what is in |buf|, which is done. */
lw_cel_value lw_cel_copy_text(lw_cel_run *run, lw_str text);
lw_cel_value lw_cel_take_buf(lw_cel_run *run, lw_buf *buf);

/* What |node| is as a value of |type|; NULL: null. */
lw_cel_value lw_cel_of_node(lw_cel_run *run, const lw_node *node, const lw_cel_type *type);

/* Of a LIST, MAP, OBJECT, STRING or BYTES: elements, members, characters or bytes.  1 for others.
 */
size_t lw_cel_size(const lw_cel_value *value);

/* An element of a LIST, which has it. */
lw_cel_value lw_cel_item(lw_cel_run *run, const lw_cel_value *list, size_t index);

/* The key and the value at a place of a MAP. */
lw_cel_value lw_cel_key_at(const lw_cel_value *map, size_t index);
lw_cel_value lw_cel_value_at(lw_cel_run *run, const lw_cel_value *map, size_t index);

/* The value under |key| of a MAP; false: there is none. */
bool lw_cel_lookup(lw_cel_run *run, const lw_cel_value *map, const lw_cel_value *key,
                   lw_cel_value *out);

/* The member |name| of an OBJECT, as expressions have it; false: it is not there. */
bool lw_cel_member(lw_cel_run *run, const lw_cel_value *object, lw_str name, lw_cel_value *out);

/* The declared field |name| of |type|; NULL: none.  A reserved word is found without its escape
 * too: "namespace" for "__namespace__". */
const lw_cel_field *lw_cel_field_of(const lw_cel_type *type, lw_str name);

/* The same for the escaped name only. */
const lw_cel_field *lw_cel_field_exact(const lw_cel_type *type, lw_str name);

/* True when both are the same: numbers by value, lists and maps by what is in them. */
bool lw_cel_equal(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b);

/* Orders two numbers, texts, bytes, truths, moments or durations: |*order| is <0, 0 or >0.  False:
 * these have no order. */
bool lw_cel_order(const lw_cel_value *a, const lw_cel_value *b, int *order);

/* "list": what |kind| is called as a type. */
const char *lw_cel_kind_name(lw_cel_kind kind);

#endif
