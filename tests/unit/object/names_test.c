/* SPDX-License-Identifier: Apache-2.0 */
/* names_test.c -- name forms and Kubernetes' words for what is wrong with a name. */
#include "object/names.h"

#include "base/str.h"
#include "unit/object/selector_texts.h"
#include "unit/test.h"

/* clang-format off */
#define LABEL_TEXT "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define DNS1035_TEXT "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
/* clang-format on */

typedef bool (*check_fn)(lw_str name, lw_name_problems *problems);

typedef struct name_case {
    const char *name;
    const char *problems[3]; /* NULL: no more */
} name_case;

static void check_cases(check_fn check, const name_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lw_name_problems found;
        lw_str name = lw_str_of(cases[i].name);
        size_t expected = 0;
        while (expected < 3 && cases[i].problems[expected])
            expected++;
        if (check(name, &found) != (expected == 0) || found.count != expected)
            fail_msg("\"%s\" has %zu problems, not %zu", cases[i].name, found.count, expected);
        for (size_t j = 0; j < expected; j++)
            assert_string_equal(found.text[j], cases[i].problems[j]);
        assert_int_equal(check(name, NULL), expected == 0);
    }
}
#define CHECK(check, cases) check_cases(check, cases, sizeof(cases) / sizeof((cases)[0]))

static void dns1123_labels(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "a", { NULL } },
        { "0", { NULL } },
        { "my-name", { NULL } },
        { "a--b", { NULL } },
        { K63, { NULL } },
        { "", { LABEL_TEXT } },
        { "-", { LABEL_TEXT } },
        { "-a", { LABEL_TEXT } },
        { "a-", { LABEL_TEXT } },
        { "A", { LABEL_TEXT } },
        { "a_b", { LABEL_TEXT } },
        { "a b", { LABEL_TEXT } },
        { "a\n", { LABEL_TEXT } },
        { "\xc3\xa9", { LABEL_TEXT } },
        { "a.b", { "must not contain dots" } },
        { "a..b", { LABEL_TEXT } },
        { K63 "k", { "must be no more than 63 characters" } },
        { K63 ".k", { "must be no more than 63 characters", "must not contain dots" } },
        { K63 "K", { "must be no more than 63 characters", LABEL_TEXT } },
    };
    CHECK(lw_name_is_dns1123_label, cases);
}

static void dns1123_subdomains(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "a", { NULL } },
        { "example.com", { NULL } },
        { "1.2.3", { NULL } },
        { K63 "kk.a", { NULL } },
        { D253, { NULL } },
        { "", { SUBDOMAIN_TEXT } },
        { ".", { SUBDOMAIN_TEXT } },
        { ".a", { SUBDOMAIN_TEXT } },
        { "a.", { SUBDOMAIN_TEXT } },
        { "a..b", { SUBDOMAIN_TEXT } },
        { "a.-b", { SUBDOMAIN_TEXT } },
        { "a-.b", { SUBDOMAIN_TEXT } },
        { "A.b", { SUBDOMAIN_TEXT } },
        { "a/b", { SUBDOMAIN_TEXT } },
        { D253 "d", { "must be no more than 253 characters" } },
        { D253 ".", { "must be no more than 253 characters", SUBDOMAIN_TEXT } },
    };
    CHECK(lw_name_is_dns1123_subdomain, cases);
}

static void dns1035_labels(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "a", { NULL } },           { "a-0", { NULL } },
        { K63, { NULL } },           { "", { DNS1035_TEXT } },
        { "0a", { DNS1035_TEXT } },  { "9", { DNS1035_TEXT } },
        { "-a", { DNS1035_TEXT } },  { "a-", { DNS1035_TEXT } },
        { "a.b", { DNS1035_TEXT } }, { K63 "k", { "must be no more than 63 characters" } },
    };
    CHECK(lw_name_is_dns1035_label, cases);
}

static void qualified_names(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "a", { NULL } },
        { "A.b_c-d", { NULL } },
        { "a..b", { NULL } },
        { "example.com/MyName", { NULL } },
        { D253 "/" K63, { NULL } },
        { "", { "name part must be non-empty", "name part " KEY_TEXT } },
        { "a/", { "name part must be non-empty", "name part " KEY_TEXT } },
        { "/a", { "prefix part must be non-empty" } },
        { "/",
          { "prefix part must be non-empty", "name part must be non-empty",
            "name part " KEY_TEXT } },
        { "A/b", { "prefix part " SUBDOMAIN_TEXT } },
        { "_/b", { "prefix part " SUBDOMAIN_TEXT } },
        { "_", { "name part " KEY_TEXT } },
        { "a_", { "name part " KEY_TEXT } },
        { "a b", { "name part " KEY_TEXT } },
        { K63 "k", { "name part must be no more than 63 bytes" } },
        { K63 "k_", { "name part must be no more than 63 bytes", "name part " KEY_TEXT } },
        { D253 "d/n", { "prefix part must be no more than 253 bytes" } },
        { "a/b/c",
          { "a valid label key " KEY_TEXT
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')" } },
        { "//",
          { "a valid label key " KEY_TEXT
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')" } },
    };
    CHECK(lw_name_is_qualified, cases);
}

static void the_most_problems_fit(void **state)
{
    (void)state;
    lw_name_problems found;
    lw_str name = LW_STR(D253 "D/" K63 "_");
    assert_false(lw_name_is_qualified(name, &found));
    assert_int_equal(found.count, 4);
    assert_string_equal(found.text[0], "prefix part must be no more than 253 bytes");
    assert_string_equal(found.text[3], "name part " KEY_TEXT);
    assert_false(lw_name_is_port(LW_STR("--------------%-"), &found));
    assert_int_equal(found.count, LW_NAME_PROBLEMS_MAX);
    assert_string_equal(found.text[0], "must be no more than 15 characters");
    assert_string_equal(found.text[4], "must not begin or end with a hyphen");
}

static void names_of_ports(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "http", { NULL } },
        { "8080-tcp", { NULL } },
        { "80", { "must contain at least one letter (a-z)" } },
        { "a--b", { "must not contain consecutive hyphens" } },
        { "a_b", { "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)" } },
        { "a-", { "must not begin or end with a hyphen" } },
        { "",
          { "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
            "must contain at least one letter (a-z)" } },
    };
    CHECK(lw_name_is_port, cases);
}

static void label_values(void **state)
{
    (void)state;
    static const name_case cases[] = {
        { "", { NULL } },
        { "1.2_3-A", { NULL } },
        { V63, { NULL } },
        { "-", { VALUE_TEXT } },
        { "a-", { VALUE_TEXT } },
        { ".a", { VALUE_TEXT } },
        { "a/b", { VALUE_TEXT } },
        { "a b", { VALUE_TEXT } },
        { V63 "v", { "must be no more than 63 bytes" } },
        { V63 "_", { "must be no more than 63 bytes", VALUE_TEXT } },
    };
    CHECK(lw_name_is_label_value, cases);
}

static void nul_bytes_are_no_part_of_a_name(void **state)
{
    (void)state;
    lw_str name = LW_STR("a\0b");
    assert_false(lw_name_is_dns1123_label(name, NULL));
    assert_false(lw_name_is_dns1123_subdomain(name, NULL));
    assert_false(lw_name_is_dns1035_label(name, NULL));
    assert_false(lw_name_is_qualified(name, NULL));
    assert_false(lw_name_is_label_value(name, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dns1123_labels), TEST(dns1123_subdomains),
        TEST(dns1035_labels), TEST(qualified_names),
        TEST(label_values),   TEST(the_most_problems_fit),
        TEST(names_of_ports), TEST(nul_bytes_are_no_part_of_a_name),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
