/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h -- everything that can be called: operators, the functions of CEL, and the libraries
 * of Kubernetes.
 *
 * A signature is a string of letters: the types of the arguments, a ':', and the type of the
 * result.  A leading '.' means that the first argument is the receiver.  b bool, i int, u uint, d
 * double, s string, y bytes, r duration, t timestamp, T type, n null, lX list of X, mKV map, oX
 * optional, q quantity, p IP, c CIDR, w URL, f named format, v semantic version, a authorizer, h
 * path check, g group check, e resource check, D decision, * any type, A and B any type that is the
 * same in all places. */
#ifndef LW_CEL_FUNCTIONS_H
#define LW_CEL_FUNCTIONS_H

#include "cel/value.h"

enum {
    LW_CEL_ARGS_MAX = 4,
};

/* None of |args| is an error, and each has the kind of the signature. */
typedef lw_cel_value (*lw_cel_fn)(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* The cost of a call as cel-go and Kubernetes count it: a tenth per character that is traversed. */
typedef enum lw_cel_price {
    LW_CEL_PRICE_ONE,
    LW_CEL_PRICE_FIRST,       /* traverses the first argument */
    LW_CEL_PRICE_FIRST_TWICE, /* traverses the first argument and the result */
    LW_CEL_PRICE_SECOND,
    LW_CEL_PRICE_SUM,      /* traverses both arguments */
    LW_CEL_PRICE_MIN,      /* traverses the shorter argument */
    LW_CEL_PRICE_PRODUCT,  /* traverses the second argument at each position of the first */
    LW_CEL_PRICE_REGEX,    /* the second argument is a regular expression */
    LW_CEL_PRICE_ELEMENTS, /* visits each element of the first argument */
    LW_CEL_PRICE_IN,       /* visits each element of the second argument */
    LW_CEL_PRICE_PAIRS,    /* compares each element of the first argument with each of the second */
    LW_CEL_PRICE_RESULT_TWICE, /* join: traverses the result */
    LW_CEL_PRICE_COPY,         /* copies the elements of the first argument to a new list */
    LW_CEL_PRICE_ADDRESS,      /* compares two addresses; the second may be a string */
    LW_CEL_PRICE_CHECK,        /* asks an authorizer */
    LW_CEL_PRICE_SELECTOR,     /* parses the second argument as a selector */
    LW_CEL_PRICE_FORMAT,       /* matches the second argument against the named format */
} lw_cel_price;

typedef struct lw_cel_overload {
    const char *name;
    const char *signature;
    lw_cel_fn fn;
    lw_cel_price price;
} lw_cel_overload;

/* Returns all overloads of |name|, which are adjacent; NULL: none. */
const lw_cel_overload *lw_cel_find_overloads(lw_str name, size_t *count);

/* True if values of these kinds can be the arguments. */
bool lw_cel_overload_takes(const lw_cel_overload *overload, const lw_cel_value *args, size_t count);

/* Returns the kind of a letter of a signature; LW_CEL_DYN for '*', 'A' and 'B'. */
lw_cel_kind lw_cel_signature_kind(char letter);

/* Skips one type of a signature: "ls:s" -> ":s". */
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

/* Appends |value| as string() writes it; false: string() does not accept it. */
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

/* Adds nanoseconds to a time; false: outside the years 1 to 9999. */
bool lw_cel_time_add(lw_time time, int64_t ns, lw_time *out);
/* Parses a duration in Go's format, "1h30m", "-1.5s", or in the schema format, "3 days". */
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

/* Returns the position of |part| in |text| at or after byte |from|; SIZE_MAX: not found. */
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
lw_cel_value lw_cel_fn_sort_by(lw_cel_run *run, const lw_cel_value *args, size_t count);
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

/* Appends an address in canonical form, with its prefix length if |with_prefix|. */
void lw_cel_append_address(lw_buf *out, const lw_ip_range *address, bool with_prefix);

/* urls.c */
lw_cel_value lw_cel_fn_url(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_is_url(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_scheme(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_host(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_hostname(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_port(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_path(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_url_query(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* True if |text| is a URL as in an HTTP request. */
bool lw_cel_is_url(lw_str text);

/* formats.c */
lw_cel_value lw_cel_fn_format_named(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_format_of(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_format_validate(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* Returns the number of pattern characters that a match against |format| costs. */
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

/* structs.c */
lw_cel_value lw_cel_fn_escape_key(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* authorizer.c */
lw_cel_value lw_cel_fn_authz_path(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_group(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_account(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_resource(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_refine(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_check(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_allowed(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_reason(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_errored(lw_cel_run *run, const lw_cel_value *args, size_t count);
lw_cel_value lw_cel_fn_authz_error(lw_cel_run *run, const lw_cel_value *args, size_t count);

/* Returns <0, 0 or >0; build metadata after a '+' is ignored. */
int lw_cel_semver_compare(const lw_cel_semver *a, const lw_cel_semver *b);

#endif
