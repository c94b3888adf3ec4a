/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector_test.c -- label selectors as k8s.io/apimachinery v0.36 parses, prints and matches
 * them; the tables were checked against it. */
#include "object/selector/label_selector.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "unit/object/selector_texts.h"
#include "unit/test.h"

typedef struct text_case {
    const char *text;
    const char *expected;
} text_case;

/* clang-format off */
static const text_case printed[] = {
    { "", "" },
    { " ", "" },
    { "a", "a" },
    { "!a", "!a" },
    { " ! a ", "!a" },
    { "a=b", "a=b" },
    { "a==b", "a==b" },
    { "a!=b", "a!=b" },
    { "a = b", "a=b" },
    { "\ta\n==\rb ", "a==b" },
    { "a=", "a=" },
    { "a==", "a==" },
    { "a!=", "a!=" },
    { "a=,b", "a=,b" },
    { "a in (b)", "a in (b)" },
    { "a in(b)", "a in (b)" },
    { "a in (c,b)", "a in (b,c)" },
    { "a in (b,b,c,b)", "a in (b,c)" },
    { "a notin (b , c)", "a notin (b,c)" },
    { "a in ()", "a in ()" },
    { "a in (,)", "a in ()" },
    { "a in (b,)", "a in (,b)" },
    { "a in (,b)", "a in (,b)" },
    { "a in (b,,c)", "a in (,b,c)" },
    { "a in (,,)", "a in ()" },
    { "a notin ()", "a notin ()" },
    { "a>1", "a>1" },
    { "a<1", "a<1" },
    { "a > 10", "a>10" },
    { "a<9223372036854775807", "a<9223372036854775807" },
    { "c,b,a", "a,b,c" },
    { "b=2,a=1", "a=1,b=2" },
    { "a=1,a=2", "a=1,a=2" },
    { "a=2,a=1", "a=2,a=1" },
    { "a,!a", "a,!a" },
    { "a!=b,a!=c", "a!=b,a!=c" },
    { "in", "in" },
    { "notin", "notin" },
    { "!in", "!in" },
    { "!notin", "!notin" },
    { "in in (in)", "in in (in)" },
    { "notin notin (notin,in)", "notin notin (in,notin)" },
    { "in=notin", "in=notin" },
    { "a=in", "a=in" },
    { "a!=notin", "a!=notin" },
    { "in,notin", "in,notin" },
    { "in in (in,notin)", "in in (in,notin)" },
    { "ex.io/a=b", "ex.io/a=b" },
    { "ex.io/a in (b,1)", "ex.io/a in (1,b)" },
    { "!ex.io/a", "!ex.io/a" },
    { "A-b_c.d=E-f_g.h", "A-b_c.d=E-f_g.h" },
    { "a=1.2.3", "a=1.2.3" },
    { "a in (B,a,C)", "a in (B,C,a)" },
    { "z in (1),y notin (2),x,!w,v=u,t==s,r!=q,p>1,o<2", "o<2,p>1,r!=q,t==s,v=u,!w,x,y notin (2),z in (1)" },
    { "x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()" },
    { K63 "=" V63, K63 "=" V63 },
    { D253 "/n=v", D253 "/n=v" },
};

static const text_case refused[] = {
    { ",", "found ',', expected: !, identifier, or 'end of string'" },
    { ",a", "found ',', expected: !, identifier, or 'end of string'" },
    { "a,", "found '', expected: identifier after ','" },
    { "a,,b", "found ',', expected: identifier after ','" },
    { "a, ,b", "found ',', expected: identifier after ','" },
    { "!", "unable to parse requirement: found '', expected: identifier" },
    { "!!a", "unable to parse requirement: found '!', expected: identifier" },
    { "!,a", "unable to parse requirement: found ',', expected: identifier" },
    { "a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { "a b c", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { "a=b c", "found 'c', expected: ',' or 'end of string'" },
    { "a=b=c", "found '=', expected: ',' or 'end of string'" },
    { "a===b", "unable to parse requirement: found '=', expected: identifier" },
    { "a=!b", "unable to parse requirement: found '!', expected: identifier" },
    { "a=(b)", "unable to parse requirement: found '(', expected: identifier" },
    { "a=)", "unable to parse requirement: found ')', expected: identifier" },
    { "a!", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt" },
    { "a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt" },
    { "!a=b", "found '=', expected: ',' or 'end of string'" },
    { "!a in (b)", "found 'in', expected: ',' or 'end of string'" },
    { "a in", "unable to parse requirement: found '' expected: '('" },
    { "a in b", "unable to parse requirement: found 'b' expected: '('" },
    { "a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier" },
    { "a in (b", "unable to parse requirement: found '', expected: ',' or ')'" },
    { "a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'" },
    { "a in (b,", "unable to parse requirement: found '', expected: ',', or identifier" },
    { "a in (,", "unable to parse requirement: found '', expected: ',', or identifier" },
    { "a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier" },
    { "a in (b=)", "unable to parse requirement: found '=', expected: ',' or ')'" },
    { "a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier" },
    { "a in (b))", "found ')', expected: ',' or 'end of string'" },
    { "a in ((b))", "unable to parse requirement: found '(', expected: ',', ')' or identifier" },
    { "a in (!b)", "unable to parse requirement: found '!', expected: ',', ')' or identifier" },
    { "a notin b", "unable to parse requirement: found 'b' expected: '('" },
    { "a in (b),", "found '', expected: identifier after ','" },
    { "a in (b) c", "found 'c', expected: ',' or 'end of string'" },
    { "(a)", "found '(', expected: !, identifier, or 'end of string'" },
    { ")", "found ')', expected: !, identifier, or 'end of string'" },
    { "=", "found '=', expected: !, identifier, or 'end of string'" },
    { "=a", "found '=', expected: !, identifier, or 'end of string'" },
    { "==", "found '==', expected: !, identifier, or 'end of string'" },
    { ">1", "found '>', expected: !, identifier, or 'end of string'" },
    { "a>", "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "a>1.5", "unable to parse requirement: values[0]: Invalid value: \"1.5\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "a>1x", "unable to parse requirement: values[0]: Invalid value: \"1x\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "a>-1", "unable to parse requirement: values[0][a]: Invalid value: \"-1\": " VALUE_TEXT },
    { "a>+1", "unable to parse requirement: values[0][a]: Invalid value: \"+1\": " VALUE_TEXT },
    { "a<9223372036854775808", "unable to parse requirement: values[0]: Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "a>=1", "unable to parse requirement: found '=', expected: identifier" },
    { "a<=1", "unable to parse requirement: found '=', expected: identifier" },
    { "a><1", "unable to parse requirement: found '<', expected: identifier" },
    { "a>1,b<y", "unable to parse requirement: values[0]: Invalid value: \"y\": for 'Gt', 'Lt' operators, the value must be an integer" },
    { "/a", "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty" },
    { "a/", "unable to parse requirement: <nil>: Invalid value: \"a/\": name part must be non-empty; name part " KEY_TEXT },
    { "/", "unable to parse requirement: <nil>: Invalid value: \"/\": prefix part must be non-empty; name part must be non-empty; name part " KEY_TEXT },
    { "a/b/c", "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key " KEY_TEXT " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')" },
    { "-a", "unable to parse requirement: <nil>: Invalid value: \"-a\": name part " KEY_TEXT },
    { "a-", "unable to parse requirement: <nil>: Invalid value: \"a-\": name part " KEY_TEXT },
    { "_a=b", "unable to parse requirement: <nil>: Invalid value: \"_a\": name part " KEY_TEXT },
    { "a@b", "unable to parse requirement: <nil>: Invalid value: \"a@b\": name part " KEY_TEXT },
    { "Ex.io/a", "unable to parse requirement: <nil>: Invalid value: \"Ex.io/a\": prefix part " SUBDOMAIN_TEXT },
    { "-x/a", "unable to parse requirement: <nil>: Invalid value: \"-x/a\": prefix part " SUBDOMAIN_TEXT },
    { "a=-", "unable to parse requirement: values[0][a]: Invalid value: \"-\": " VALUE_TEXT },
    { "a=b-", "unable to parse requirement: values[0][a]: Invalid value: \"b-\": " VALUE_TEXT },
    { "a=b@c", "unable to parse requirement: values[0][a]: Invalid value: \"b@c\": " VALUE_TEXT },
    { "a=\"b\"", "unable to parse requirement: values[0][a]: Invalid value: \"\\\"b\\\"\": " VALUE_TEXT },
    { "a in (-,_)", "unable to parse requirement: [values[0][a]: Invalid value: \"-\": " VALUE_TEXT ", values[1][a]: Invalid value: \"_\": " VALUE_TEXT "]" },
    { "a in (b,-)", "unable to parse requirement: values[0][a]: Invalid value: \"-\": " VALUE_TEXT },
    { "a!=-", "unable to parse requirement: values[0][a]: Invalid value: \"-\": " VALUE_TEXT },
    { "\u00e9=b", "unable to parse requirement: <nil>: Invalid value: \"\u00e9\": name part " KEY_TEXT },
    { "a=\u00e9", "unable to parse requirement: values[0][a]: Invalid value: \"\u00e9\": " VALUE_TEXT },
    { "a=\\", "unable to parse requirement: values[0][a]: Invalid value: \"\\\\\": " VALUE_TEXT },
    { "a\x01=b", "unable to parse requirement: <nil>: Invalid value: \"a\\x01\": name part " KEY_TEXT },
    { "a=\x7f", "unable to parse requirement: values[0][a]: Invalid value: \"\\x7f\": " VALUE_TEXT },
    { "a=\xff", "unable to parse requirement: values[0][a]: Invalid value: \"\\xff\": " VALUE_TEXT },
    { "\xff\xfe", "unable to parse requirement: <nil>: Invalid value: \"\\xff\\xfe\": name part " KEY_TEXT },
    { K63 "k", "unable to parse requirement: <nil>: Invalid value: \"" K63 "k\": name part must be no more than 63 bytes" },
    { "a=" V63 "v", "unable to parse requirement: values[0][a]: Invalid value: \"" V63 "v\": must be no more than 63 bytes" },
    { D253 "d/n", "unable to parse requirement: <nil>: Invalid value: \"" D253 "d/n\": prefix part must be no more than 253 bytes" },
    { "a=b;c", "unable to parse requirement: values[0][a]: Invalid value: \"b;c\": " VALUE_TEXT },
    { "a:b", "unable to parse requirement: <nil>: Invalid value: \"a:b\": name part " KEY_TEXT },
    { "a&b", "unable to parse requirement: <nil>: Invalid value: \"a&b\": name part " KEY_TEXT },
    { "in in in", "unable to parse requirement: found 'in' expected: '('" },
    { "in in", "unable to parse requirement: found '' expected: '('" },
    { "notin notin", "unable to parse requirement: found '' expected: '('" },
    { "a in notin (b)", "unable to parse requirement: found 'notin' expected: '('" },
};
/* clang-format on */

static lw_label_selector *parse(const char *text)
{
    lw_label_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_label_selector_parse(&selector, lw_str_of(text), &err) != LW_OK)
        fail_msg("\"%s\" is refused: %s", text, err.message);
    return selector;
}

static void prints_what_it_parsed_sorted_by_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
        lw_label_selector *selector = parse(printed[i].text);
        assert_str_equal(lw_label_selector_text(selector), printed[i].expected);
        lw_label_selector_free(selector);
    }
}

static void printed_form_parses_to_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
        lw_label_selector *selector = parse(printed[i].expected);
        assert_str_equal(lw_label_selector_text(selector), printed[i].expected);
        lw_label_selector_free(selector);
    }
}

static void refuses_in_the_words_of_kubernetes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        lw_label_selector *selector = NULL;
        lw_error err = LW_ERROR_INIT;
        char expected[LW_ERROR_MESSAGE_SIZE];
        lw_error_copy_text(expected, sizeof(expected), refused[i].expected,
                           strlen(refused[i].expected));
        lw_status st = lw_label_selector_parse(&selector, lw_str_of(refused[i].text), &err);
        if (st != LW_ERR_SYNTAX && st != LW_ERR_INVALID)
            fail_msg("\"%s\" gives status %d", refused[i].text, st);
        assert_string_equal(err.message, expected);
        assert_int_equal(err.code, st);
        assert_null(selector);
    }
}

static void tells_the_offset_of_the_token_at_fault(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
    } cases[] = {
        { "a=b c", 4 }, { ",a", 0 }, { "a in (b", 7 }, { "a,-b", 2 }, { "a, ", 3 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_label_selector *selector = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_true(lw_label_selector_parse(&selector, lw_str_of(cases[i].text), &err) < 0);
        assert_int_equal(err.offset, cases[i].offset);
    }
}

static void refuses_a_nul_byte_instead_of_ending_there(void **state)
{
    (void)state;
    lw_label_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_str text = LW_STR("a=b \0,c=d");
    assert_int_equal(lw_label_selector_parse(&selector, text, &err), LW_ERR_SYNTAX);
    assert_int_equal(err.offset, 4);
    assert_null(selector);
}

static void needs_no_error_to_refuse(void **state)
{
    (void)state;
    lw_label_selector *selector = NULL;
    assert_int_equal(lw_label_selector_parse(&selector, LW_STR("a=-"), NULL), LW_ERR_INVALID);
    assert_int_equal(lw_label_selector_parse(&selector, LW_STR("a=b c"), NULL), LW_ERR_SYNTAX);
    assert_int_equal(lw_label_selector_parse(&selector, LW_STR("-"), NULL), LW_ERR_INVALID);
}

/* Label sets of the matching table, by column. */
enum {
    SETS = 8,
};

static size_t labels_of_set(size_t set, const lw_label **labels)
{
    static const lw_label sets[SETS][3] = {
        { { { NULL, 0 }, { NULL, 0 } } },
        { { LW_STR_INIT("a"), LW_STR_INIT("b") } },
        { { LW_STR_INIT("a"), LW_STR_INIT("") } },
        { { LW_STR_INIT("a"), LW_STR_INIT("1") } },
        { { LW_STR_INIT("a"), LW_STR_INIT("-10") }, { LW_STR_INIT("b"), LW_STR_INIT("x") } },
        { { LW_STR_INIT("b"), LW_STR_INIT("b") }, { LW_STR_INIT("in"), LW_STR_INIT("notin") } },
        { { LW_STR_INIT("a"), LW_STR_INIT("c") },
          { LW_STR_INIT("b"), LW_STR_INIT("2") },
          { LW_STR_INIT("c"), LW_STR_INIT("") } },
        { { LW_STR_INIT("a"), LW_STR_INIT("+5") },
          { LW_STR_INIT("aa"), LW_STR_INIT("b") },
          { LW_STR_INIT("ex.io/a"), LW_STR_INIT("b") } },
    };
    static const size_t counts[SETS] = { 0, 1, 1, 1, 2, 2, 3, 3 };
    *labels = sets[set];
    return counts[set];
}

static const text_case matches[] = {
    { "", "11111111" },
    { "a", "01111011" },
    { "!a", "10000100" },
    { "a=b", "01000000" },
    { "a==b", "01000000" },
    { "a=", "00100000" },
    { "a!=b", "10111111" },
    { "a!=", "11011111" },
    { "a in (b,c)", "01000010" },
    { "a in ()", "00100000" },
    { "a in (,1)", "00110000" },
    { "a notin (b,c)", "10111101" },
    { "a notin ()", "11011111" },
    { "a>0", "00010001" },
    { "a<2", "00011000" },
    { "a>1", "00000001" },
    { "a<1", "00001000" },
    { "a>9223372036854775807", "00000000" },
    { "a,b", "00001010" },
    { "a,!b", "01110001" },
    { "b,c,a", "00000010" },
    { "a=b,a=c", "00000000" },
    { "a!=b,a!=c,a", "00111001" },
    { "in=notin", "00000100" },
    { "in notin (in)", "11111111" },
    { "aa,ex.io/a=b", "00000001" },
    { "zz", "00000000" },
    { "!zz", "11111111" },
};

static bool get_label(const void *arg, lw_str key, lw_str *value)
{
    const lw_label *labels = NULL;
    size_t count = labels_of_set(*(const size_t *)arg, &labels);
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(labels[i].key, key)) {
            *value = labels[i].value;
            return true;
        }
    }
    return false;
}

static void matches_as_kubernetes_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
        lw_label_selector *selector = parse(matches[i].text);
        char found[SETS + 1] = "", got[SETS + 1] = "";
        for (size_t set = 0; set < SETS; set++) {
            const lw_label *labels = NULL;
            size_t count = labels_of_set(set, &labels);
            found[set] = lw_label_selector_matches_labels(selector, labels, count) ? '1' : '0';
            got[set] = lw_label_selector__matches(selector, get_label, &set) ? '1' : '0';
        }
        if (strcmp(found, matches[i].expected) != 0 || strcmp(got, matches[i].expected) != 0)
            fail_msg("\"%s\": %s and %s, not %s", matches[i].text, found, got, matches[i].expected);
        lw_label_selector_free(selector);
    }
}

static void finds_each_of_many_labels(void **state)
{
    (void)state;
    enum {
        COUNT = 100,
    };
    char names[COUNT][8];
    lw_label labels[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        names[i][0] = 'k';
        names[i][1] = (char)('0' + i / 10);
        names[i][2] = (char)('0' + i % 10);
        labels[i].key = labels[i].value = lw_str_make(names[i], 3);
    }
    for (size_t i = 0; i < COUNT; i++) {
        char text[32] = "!a,kXX=kXX,kXXX";
        memcpy(text + 3, names[i], 3);
        memcpy(text + 7, names[i], 3);
        text[10] = '\0';
        lw_label_selector *selector = parse(text);
        assert_true(lw_label_selector_matches_labels(selector, labels, COUNT));
        assert_false(lw_label_selector_matches_labels(selector, labels, i));
        lw_label_selector_free(selector);
    }
}

static void large_sets_are_searched_whole(void **state)
{
    (void)state;
    char text[4096] = "k in (";
    size_t len = strlen(text);
    for (size_t i = 0; i < 500; i++) {
        char value[6] = { (char)('a' + i % 26), (char)('a' + i / 26), 'z', i < 499 ? ',' : ')', 0 };
        memcpy(text + len, value, 4);
        len += 4;
    }
    lw_label_selector *selector = NULL;
    assert_int_equal(lw_label_selector_parse(&selector, lw_str_make(text, len), NULL), LW_OK);
    for (size_t i = 0; i < 500; i++) {
        char value[3] = { (char)('a' + i % 26), (char)('a' + i / 26), 'z' };
        lw_label label = { LW_STR("k"), lw_str_make(value, 3) };
        assert_true(lw_label_selector_matches_labels(selector, &label, 1));
        value[2] = 'y';
        assert_false(lw_label_selector_matches_labels(selector, &label, 1));
    }
    lw_label_selector_free(selector);
}

static void everything_and_nothing_are_what_they_say(void **state)
{
    (void)state;
    const lw_label label = { LW_STR_INIT("a"), LW_STR_INIT("b") };
    const lw_label_selector *all = lw_label_selector_everything();
    const lw_label_selector *none = lw_label_selector_nothing();
    assert_true(lw_label_selector_matches_labels(all, &label, 1));
    assert_true(lw_label_selector_matches_labels(all, NULL, 0));
    assert_true(lw_label_selector_is_everything(all));
    assert_false(lw_label_selector_is_nothing(all));
    assert_false(lw_label_selector_matches_labels(none, &label, 1));
    assert_false(lw_label_selector_matches_labels(none, NULL, 0));
    assert_false(lw_label_selector_is_everything(none));
    assert_true(lw_label_selector_is_nothing(none));
    assert_str_equal(lw_label_selector_text(none), "");
}

static void null_is_everything(void **state)
{
    (void)state;
    size_t count = 7;
    lw_str value;
    assert_true(lw_label_selector_matches_labels(NULL, NULL, 0));
    assert_true(lw_label_selector__matches(NULL, get_label, NULL));
    assert_true(lw_label_selector_is_everything(NULL));
    assert_false(lw_label_selector_is_nothing(NULL));
    assert_str_equal(lw_label_selector_text(NULL), "");
    assert_null(lw_label_selector_requirements(NULL, &count));
    assert_int_equal(count, 0);
    assert_false(lw_label_selector_requires_exact(NULL, LW_STR("a"), &value));
    lw_label_selector_free(NULL);
}

static void empty_text_is_everything(void **state)
{
    (void)state;
    lw_label_selector *selector = parse("");
    assert_true(lw_label_selector_is_everything(selector));
    lw_label_selector_free(selector);
    selector = parse("a");
    assert_false(lw_label_selector_is_everything(selector));
    lw_label_selector_free(selector);
}

static void knows_which_value_it_requires(void **state)
{
    (void)state;
    static const text_case cases[] = {
        { "a=b", "b" },          { "a==b", "b" },
        { "a in (b)", "b" },     { "a=", "" },
        { "x,a=b,y", "b" },      { "a in (b,c),a=c", "c" },
        { "a in (b,c)", NULL },  { "a", NULL },
        { "!a", NULL },          { "a!=b", NULL },
        { "a notin (b)", NULL }, { "a>1", NULL },
        { "aa=b", NULL },        { "", NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_label_selector *selector = parse(cases[i].text);
        lw_str value = lw_str_of("untouched");
        bool is_exact = lw_label_selector_requires_exact(selector, LW_STR("a"), &value);
        assert_int_equal(is_exact, cases[i].expected != NULL);
        assert_str_equal(value, cases[i].expected ? cases[i].expected : "untouched");
        lw_label_selector_free(selector);
    }
}

static void lists_its_requirements(void **state)
{
    (void)state;
    lw_label_selector *selector = parse("n>7,k in (b,a),!d");
    size_t count = 0;
    const lw_label_requirement *r = lw_label_selector_requirements(selector, &count);
    assert_int_equal(count, 3);
    assert_str_equal(r[0].key, "d");
    assert_int_equal(r[0].op, LW_LABEL_DOES_NOT_EXIST);
    assert_int_equal(r[0].value_count, 0);
    assert_str_equal(r[1].key, "k");
    assert_int_equal(r[1].value_count, 2);
    assert_str_equal(r[1].values[0], "a");
    assert_str_equal(r[1].values[1], "b");
    assert_int_equal(r[2].op, LW_LABEL_GREATER_THAN);
    assert_int_equal(r[2].bound, 7);
    lw_label_selector_free(selector);
}

static void keeps_no_pointer_into_the_text(void **state)
{
    (void)state;
    char text[] = "app=web";
    lw_label_selector *selector = parse(text);
    memset(text, 'x', sizeof(text) - 1);
    const lw_label label = { LW_STR_INIT("app"), LW_STR_INIT("web") };
    assert_true(lw_label_selector_matches_labels(selector, &label, 1));
    lw_label_selector_free(selector);
}

static void bounds_length_and_terms(void **state)
{
    (void)state;
    enum {
        SIZE = LW_LABEL_SELECTOR_LENGTH_MAX + 1,
    };
    char *text = lw_alloc(SIZE);
    assert_non_null(text);
    lw_label_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    memset(text, ' ', SIZE);
    assert_int_equal(lw_label_selector_parse(&selector, lw_str_make(text, SIZE), &err),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_label_selector_parse(&selector, lw_str_make(text, SIZE - 1), &err), LW_OK);
    lw_label_selector_free(selector);
    selector = NULL;
    for (size_t i = 0; i < 2 * (size_t)LW_LABEL_SELECTOR_TERMS_MAX + 1; i++)
        text[i] = i % 2 ? ',' : 'a';
    size_t most = 2 * (size_t)LW_LABEL_SELECTOR_TERMS_MAX - 1;
    assert_int_equal(lw_label_selector_parse(&selector, lw_str_make(text, most + 2), &err),
                     LW_ERR_LIMIT);
    assert_null(selector);
    assert_int_equal(lw_label_selector_parse(&selector, lw_str_make(text, most), &err), LW_OK);
    lw_label_selector_free(selector);
    lw_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(prints_what_it_parsed_sorted_by_key),
        TEST(printed_form_parses_to_itself),
        TEST(refuses_in_the_words_of_kubernetes),
        TEST(tells_the_offset_of_the_token_at_fault),
        TEST(refuses_a_nul_byte_instead_of_ending_there),
        TEST(needs_no_error_to_refuse),
        TEST(matches_as_kubernetes_does),
        TEST(finds_each_of_many_labels),
        TEST(large_sets_are_searched_whole),
        TEST(everything_and_nothing_are_what_they_say),
        TEST(null_is_everything),
        TEST(empty_text_is_everything),
        TEST(knows_which_value_it_requires),
        TEST(lists_its_requirements),
        TEST(keeps_no_pointer_into_the_text),
        TEST(bounds_length_and_terms),
    };
    return cmocka_run_group_tests_name("label_selector", tests, NULL, NULL);
}
