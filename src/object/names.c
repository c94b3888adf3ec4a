/* SPDX-License-Identifier: Apache-2.0 */
/* names.c -- the name forms of Kubernetes, each matched in one pass over the bytes. */
#include "object/names.h"

#include "base/str.h"

#define LABEL_FORM     "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define DNS1035_FORM   "[a-z]([-a-z0-9]*[a-z0-9])?"
#define QUALIFIED_FORM "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

/* The two packages of Kubernetes that validate names have different messages. */
#define DNS_AT_MOST_63    "must be no more than 63 characters"
#define DNS_AT_MOST_253   "must be no more than 253 characters"
#define LABEL_AT_MOST_63  "must be no more than 63 bytes"
#define LABEL_AT_MOST_253 "must be no more than 253 bytes"
#define NOT_EMPTY         "must be non-empty"

#define LABEL_TEXT                                                                                 \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "   \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "     \
    "used for validation is '" LABEL_FORM "')"

#define SUBDOMAIN_TEXT                                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '" LABEL_FORM "(\\." LABEL_FORM ")*')"

#define DNS1035_TEXT                                                                               \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '" DNS1035_FORM "')"

#define QUALIFIED_TEXT                                                                             \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '" QUALIFIED_FORM "')"

#define VALUE_TEXT                                                                                 \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "             \
    "'my_value',  or '12345', regex used for validation is '(" QUALIFIED_FORM ")?')"

static bool is_lower_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

static bool has_label_form(lw_str s)
{
    if (s.len == 0 || !is_lower_alnum(s.ptr[0]) || !is_lower_alnum(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_lower_alnum(s.ptr[i]) && s.ptr[i] != '-')
            return false;
    }
    return true;
}

static bool has_subdomain_form(lw_str s)
{
    lw_str label;
    bool more;
    do {
        more = lw_str_cut(s, '.', &label, &s);
        if (!has_label_form(label))
            return false;
    } while (more);
    return true;
}

static bool has_qualified_form(lw_str s)
{
    if (s.len == 0 || !is_alnum(s.ptr[0]) || !is_alnum(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!is_alnum(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return true;
}

static void add(lw_name_problems *problems, const char *text)
{
    problems->text[problems->count++] = text;
}

/* Copies the problems and returns true if there are none. */
static bool answer(const lw_name_problems *found, lw_name_problems *problems)
{
    if (problems)
        *problems = *found;
    return found->count == 0;
}

bool lw_name_is_dns1123_label(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    if (name.len > LW_NAME_LABEL_MAX)
        add(&found, DNS_AT_MOST_63);
    if (!has_label_form(name))
        add(&found, has_subdomain_form(name) ? "must not contain dots" : LABEL_TEXT);
    return answer(&found, problems);
}

bool lw_name_is_dns1123_subdomain(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    if (name.len > LW_NAME_SUBDOMAIN_MAX)
        add(&found, DNS_AT_MOST_253);
    if (!has_subdomain_form(name))
        add(&found, SUBDOMAIN_TEXT);
    return answer(&found, problems);
}

bool lw_name_is_dns1035_label(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    if (name.len > LW_NAME_LABEL_MAX)
        add(&found, DNS_AT_MOST_63);
    if (!has_label_form(name) || (name.ptr[0] >= '0' && name.ptr[0] <= '9'))
        add(&found, DNS1035_TEXT);
    return answer(&found, problems);
}

static void check_prefix(lw_str prefix, lw_name_problems *found)
{
    if (prefix.len == 0) {
        add(found, "prefix part " NOT_EMPTY);
        return;
    }
    if (prefix.len > LW_NAME_SUBDOMAIN_MAX)
        add(found, "prefix part " LABEL_AT_MOST_253);
    if (!has_subdomain_form(prefix))
        add(found, "prefix part " SUBDOMAIN_TEXT);
}

bool lw_name_is_qualified(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    lw_str prefix, rest;
    if (lw_str_cut(name, '/', &prefix, &rest)) {
        if (rest.len > 0 && memchr(rest.ptr, '/', rest.len)) {
            add(&found, "a valid label key " QUALIFIED_TEXT
                        " with an optional DNS subdomain prefix and '/' (e.g. "
                        "'example.com/MyName')");
            return answer(&found, problems);
        }
        check_prefix(prefix, &found);
        name = rest;
    }
    if (name.len == 0)
        add(&found, "name part " NOT_EMPTY);
    else if (name.len > LW_NAME_LABEL_MAX)
        add(&found, "name part " LABEL_AT_MOST_63);
    if (!has_qualified_form(name))
        add(&found, "name part " QUALIFIED_TEXT);
    return answer(&found, problems);
}

bool lw_name_is_label_value(lw_str value, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    if (value.len > LW_NAME_LABEL_MAX)
        add(&found, LABEL_AT_MOST_63);
    if (value.len > 0 && !has_qualified_form(value))
        add(&found, VALUE_TEXT);
    return answer(&found, problems);
}

bool lw_name_is_path_segment(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    if (lw_str_equal(name, LW_STR(".")))
        add(&found, "may not be '.'");
    else if (lw_str_equal(name, LW_STR("..")))
        add(&found, "may not be '..'");
    if (name.len > 0 && memchr(name.ptr, '/', name.len))
        add(&found, "may not contain '/'");
    if (name.len > 0 && memchr(name.ptr, '%', name.len))
        add(&found, "may not contain '%'");
    return answer(&found, problems);
}

bool lw_name_is_port(lw_str name, lw_name_problems *problems)
{
    lw_name_problems found = { 0 };
    bool is_clean = name.len > 0, has_letter = false, has_two_hyphens = false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_letter = c >= 'a' && c <= 'z';
        has_letter |= is_letter;
        is_clean &= is_letter || lw_char_is_digit(c) || c == '-';
        has_two_hyphens |= c == '-' && i > 0 && name.ptr[i - 1] == '-';
    }
    if (name.len > LW_NAME_PORT_MAX)
        add(&found, "must be no more than 15 characters");
    if (!is_clean)
        add(&found, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (!has_letter)
        add(&found, "must contain at least one letter (a-z)");
    if (has_two_hyphens)
        add(&found, "must not contain consecutive hyphens");
    if (name.len > 0 && (name.ptr[0] == '-' || name.ptr[name.len - 1] == '-'))
        add(&found, "must not begin or end with a hyphen");
    return answer(&found, problems);
}
