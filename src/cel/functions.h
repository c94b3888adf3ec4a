/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h -- what can be called: operators, the functions of CEL, and Kubernetes' libraries.
 *
 * A signature is letters: what the arguments are, a ':', and what comes out; a '.' in front: the
 * first argument stands before the name.  b bool, i int, u uint, d double, s string, y bytes,
 * r duration, t timestamp, T type, n null, lX list of X, mKV map, oX optional, q quantity, p IP,
 * c CIDR, w URL, f named format, v semantic version, * anything, A and B anything, but the same
 * wherever they stand. */
#ifndef LW_CEL_FUNCTIONS_H
#define LW_CEL_FUNCTIONS_H

#include "cel/value.h"

enum {
    LW_CEL_ARGS_MAX = 4,
};

/* None of |args| is an error, and each is of the kind that the signature says. */
typedef lw_cel_value (*lw_cel_fn)(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* What a call costs, as cel-go and Kubernetes count it: a tenth for each character that is gone
 * through. */
typedef enum lw_cel_price {
    LW_CEL_PRICE_ONE,
    LW_CEL_PRICE_FIRST,       /* through the first argument */
    LW_CEL_PRICE_FIRST_TWICE, /* through it and what comes out */
    LW_CEL_PRICE_SECOND,
    LW_CEL_PRICE_SUM,          /* through both */
    LW_CEL_PRICE_MIN,          /* through the shorter one */
    LW_CEL_PRICE_PRODUCT,      /* through the second at each place of the first */
    LW_CEL_PRICE_REGEX,        /* the second is a pattern */
    LW_CEL_PRICE_ELEMENTS,     /* each element of the first */
    LW_CEL_PRICE_IN,           /* each element of the second */
    LW_CEL_PRICE_PAIRS,        /* each element of the first with each of the second */
    LW_CEL_PRICE_RESULT_TWICE, /* join: what comes out */
    LW_CEL_PRICE_COPY,         /* a new list of the elements of the first */
    LW_CEL_PRICE_ADDRESS,      /* two addresses are compared, the second may be a text */
    LW_CEL_PRICE_FORMAT,       /* the second is matched against the named format */
} lw_cel_price;

typedef struct lw_cel_overload {
    const char *name;
    const char *signature;
    lw_cel_fn fn;
    lw_cel_price price;
} lw_cel_overload;

/* All that have |name|, which stand side by side; NULL: none. */
const lw_cel_overload *lw_cel_find_overloads(lw_str name, size_t *count);

/* True when values of these kinds can be the arguments. */
bool lw_cel_overload_takes(const lw_cel_overload *overload, const lw_cel_value *args, size_t count);

/* The kind that a letter of a signature stands for; LW_CEL_DYN for '*', 'A' and 'B'. */
lw_cel_kind lw_cel_signature_kind(char letter);

/* Behind one type of a signature: "ls:s" -> ":s". */
const char *lw_cel_signature_skip(const char *signature);

/* operators.c */
lw_cel_value lw_cel_op_add(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_subtract(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_multiply(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_divide(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_modulo(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_negate(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_add_lists(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* relations.c */
lw_cel_value lw_cel_op_not(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_equal(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_unequal(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_less(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_less_equal(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_greater(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_greater_equal(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_in(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_index(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_op_opt_index(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_size(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* convert.c */
lw_cel_value lw_cel_fn_dyn(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_type(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_int(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_uint(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_double(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_string(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_bytes(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_bool(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* Appends |value| as string() writes it; false: string() does not take it. */
bool lw_cel_append_text(lw_buf *out, const lw_cel_value *value);

/* times.c */
lw_cel_value lw_cel_fn_duration(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_timestamp(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_year(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_month(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_day_of_year(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_day_of_month(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_date(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_day_of_week(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_hours(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_minutes(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_seconds(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_milliseconds(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* A moment plus nanoseconds; false: beyond the years 1 to 9999. */
bool lw_cel_time_add(lw_time time, int64_t ns, lw_time *out);
/* Reads a duration as Go writes them: "1h30m", "-1.5s"; or as schemas have them, "3 days". */
bool lw_cel_duration_parse(lw_str text, int64_t *out);

/* strings.c, strings_split.c */
lw_cel_value lw_cel_fn_contains(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_starts_with(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ends_with(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_char_at(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_last_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_lower(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_upper(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_substring(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_trim(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_replace(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_split(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_join(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quote(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_format(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* Where |part| begins in |text| at or behind byte |from|; SIZE_MAX: nowhere. */
size_t lw_cel_text_find(lw_str text, lw_str part, size_t from);

/* lists.c */
lw_cel_value lw_cel_fn_is_sorted(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_sum_ints(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_sum_uints(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_sum_doubles(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_sum_durations(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_min(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_max(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_list_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_list_last_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_slice(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_flatten(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_reverse(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_distinct(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_sort(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_range(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_includes(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_first(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_last(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_set_contains(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_set_equivalent(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_set_intersects(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* regex.c */
lw_cel_value lw_cel_fn_matches(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_find(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_find_all(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* optionals.c */
lw_cel_value lw_cel_fn_optional_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_optional_of_non_zero(lw_cel_run *run, const lw_cel_value *args,
                                            size_t count);
lw_cel_value lw_cel_fn_optional_none(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_has_value(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_value(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_or(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_or_value(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_unwrap(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* quantities.c */
lw_cel_value lw_cel_fn_quantity(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_quantity(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_sign(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_compare(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_is_less(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_is_greater(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_add(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_sub(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_is_int(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_int(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_quantity_double(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* addresses.c */
lw_cel_value lw_cel_fn_ip(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_ip(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_is_canonical(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_family(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_is_unspecified(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_is_loopback(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_is_local_multicast(lw_cel_run *run, const lw_cel_value *args,
                                             size_t count);
lw_cel_value lw_cel_fn_ip_is_local_unicast(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_ip_is_global_unicast(lw_cel_run *run, const lw_cel_value *args,
                                            size_t count);
lw_cel_value lw_cel_fn_cidr(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_cidr(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_cidr_ip(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_cidr_masked(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_cidr_prefix(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_cidr_contains(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* Appends an address, and of a CIDR its prefix, in the one form they have. */
void lw_cel_append_address(lw_buf *out, const lw_cel_address *address, bool with_prefix);

/* urls.c */
lw_cel_value lw_cel_fn_url(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_url(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_scheme(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_host(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_hostname(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_port(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_path(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_query(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* True when |text| is a URL as requests have it. */
bool lw_cel_is_url(lw_str text);

/* formats.c */
lw_cel_value lw_cel_fn_format_named(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_format_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_format_validate(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* The characters of the pattern that a match against |format| is charged for. */
size_t lw_cel_format_regex_size(const lw_cel_format *format);

/* semver.c */
lw_cel_value lw_cel_fn_semver(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_semver(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_compare(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_is_less(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_is_greater(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_major(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_minor(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_semver_patch(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* <0, 0 or >0; what is behind a '+' does not count. */
int lw_cel_semver_compare(const lw_cel_semver *a, const lw_cel_semver *b);

#endif
