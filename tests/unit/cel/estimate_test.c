/* SPDX-License-Identifier: Apache-2.0 */
/* estimate_test.c -- upper bounds of costs.  The numbers are those that the cost estimate of
 * Kubernetes 1.37 gives for the same rules on the same schema. */
#include "unit/cel/cel_eval.h"

#define TEXT(most)                                                                                 \
    {                                                                                              \
        .kind = LW_CEL_STRING, .max_size = (most)                                                  \
    }

static const lw_cel_type ten = TEXT(40), twenty = TEXT(80), three = TEXT(12), two = TEXT(8);
static const lw_cel_type unlimited = TEXT(3145726), key = TEXT(0);
static const lw_cel_type any = { .kind = LW_CEL_DYN, .max_size = 3145726 };
static const lw_cel_type blob = { .kind = LW_CEL_BYTES, .max_size = 6 };
static const lw_cel_type created = { .kind = LW_CEL_TIMESTAMP, .max_size = 32 };
static const lw_cel_type list = { .kind = LW_CEL_LIST, .elem = &three, .max_size = 5 };
static const lw_cel_type labels = { .kind = LW_CEL_MAP, .key = &key, .elem = &two, .max_size = 4 };
static const lw_cel_field inner_fields[] = { { LW_STR_INIT("a"), LW_STR_INIT("a"), &unlimited } };
static const lw_cel_type inner = { .kind = LW_CEL_OBJECT,
                                   .fields = inner_fields,
                                   .field_count = 1 };
static const lw_cel_field fields[] = {
    { LW_STR_INIT("__namespace__"), LW_STR_INIT("namespace"), &twenty },
    { LW_STR_INIT("any"), LW_STR_INIT("any"), &any },
    { LW_STR_INIT("blob"), LW_STR_INIT("blob"), &blob },
    { LW_STR_INIT("count"), LW_STR_INIT("count"), &lw_cel_int },
    { LW_STR_INIT("created"), LW_STR_INIT("created"), &created },
    { LW_STR_INIT("inner"), LW_STR_INIT("inner"), &inner },
    { LW_STR_INIT("labels"), LW_STR_INIT("labels"), &labels },
    { LW_STR_INIT("list"), LW_STR_INIT("list"), &list },
    { LW_STR_INIT("name"), LW_STR_INIT("name"), &ten },
    { LW_STR_INIT("text"), LW_STR_INIT("text"), &unlimited },
};
static const lw_cel_type object = { .kind = LW_CEL_OBJECT,
                                    .fields = fields,
                                    .field_count = sizeof(fields) / sizeof(fields[0]) };

typedef struct cost_case {
    const char *expression;
    uint64_t expected;
} cost_case;

static uint64_t max_cost(const char *expression)
{
    static const lw_cel_variable variables[] = { { LW_STR_INIT("self"), &object },
                                                 { LW_STR_INIT("oldSelf"), &object } };
    lw_cel_program *program = NULL;
    lw_buf why;
    lw_buf_init(&why, 1 << 16);
    if (lw_cel_compile(&program, lw_str_of(expression), variables, 2, &why) < 0)
        fail_msg("%s: %.*s", expression, LW_STR_ARG(lw_buf_view(&why)));
    uint64_t cost = lw_cel_program_max_cost(program);
    lw_cel_program_free(program);
    lw_buf_done(&why);
    return cost;
}

static void check_costs(const cost_case *cases, size_t count)
{
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t found = max_cost(cases[i].expression);
        if (found == cases[i].expected)
            continue;
        print_error("%s\n  costs %llu\n  not %llu\n", cases[i].expression,
                    (unsigned long long)found, (unsigned long long)cases[i].expected);
        bad++;
    }
    assert_int_equal(bad, 0);
}

static void objects_and_keys_of_maps_are_compared_at_no_cost(void **state)
{
    static const cost_case cases[] = {
        { "self == oldSelf", 2 },
        { "self.inner == oldSelf.inner", 4 },
        { "self.labels.all(k, k.matches('^[a-z]+$'))", 27 },
        { "self.labels.all(k, self.labels[k].matches('^[a-z]+$'))", 39 },
        { "self.labels.all(k, v, k.size() > 1 && v == 'a')", 35 },
    };
    (void)state;
    check_costs(cases, sizeof(cases) / sizeof(cases[0]));
}

static void macros_cost_what_their_expansion_costs(void **state)
{
    static const cost_case cases[] = {
        { "self.list.all(x, x.startsWith('a'))", 28 },
        { "self.list.exists(x, x == self.name)", 48 },
        { "self.list.exists_one(x, x == 'a')", 24 },
        { "self.list.filter(x, x == 'a').size() == 1", 90 },
        { "self.list.map(x, x + 'b').exists(y, y == 'ab')", 114 },
        { "self.list.filter(x, x != 'a')[0].contains('b')", 91 },
        { "self.list.transformMap(i, x, x + 'a').size() == 1", 65 },
    };
    (void)state;
    check_costs(cases, sizeof(cases) / sizeof(cases[0]));
}

static void texts_cost_by_their_declared_length(void **state)
{
    static const cost_case cases[] = {
        { "self.name.contains(self.text)", 1258296 },
        { "self.name.lowerAscii().replace('a', 'bcd').split(',').size() > 1", 40 },
        { "self.list.join(',') == 'a,b'", 10 },
        { "(self.name + self.list[0]).endsWith('b')", 12 },
        { "has(self.inner.a) ? self.inner.a.size() > 1 : self.count == 3", 7 },
        { "self.count in [1, 2, 3]", 15 },
        { "self.name in ['a', 'b']", 14 },
        { "type(self.any) == int", 4 },
        { "self.created > timestamp('2024-01-01T00:00:00Z')", 4 },
        { "self.blob == b'abc'", 3 },
        { "self.?name.orValue('x') == 'x'", 4 },
        { "dyn(self.name) == 'a'", 4 },
        { "self.name.find('[0-9]+') == '1'", 13 },
        { "'%s-%d'.format([self.name, self.count]) == 'a-1'", 16 },
        { "self.__namespace__ == 'a' && self.namespace == 'b'", 6 },
    };
    (void)state;
    check_costs(cases, sizeof(cases) / sizeof(cases[0]));
}

static void functions_of_kubernetes_cost_what_it_counts(void **state)
{
    static const cost_case cases[] = {
        { "self.inner.?a.hasValue()", 4 },
        { "quantity(self.name).isLessThan(quantity('5'))", 8 },
        { "format.dns1123Label().validate(self.name) == null", 132 },
        { "!format.named('dns1035Label').value().validate(self.name).hasValue()", 134 },
        { "semver(self.name).major() == 1", 8 },
        { "cidr(self.name).containsIP(ip('10.0.0.1'))", 11 },
        { "cidr(self.name).containsCIDR('10.0.0.0/8')", 14 },
        { "url(self.name).getHost() == 'a'", 8 },
        { "isURL(self.text)", 3 },
        { "self.list.indexOf('a') == 1", 18 },
        { "self.list.isSorted()", 17 },
        { "sets.contains(self.list, ['a'])", 18 },
        { "self.list.distinct().size() == 1", 65 },
        { "self.list.sort()[0] == 'a'", 67 },
        { "self.list.slice(0, 2).size() == 2", 17 },
        { "{'a': self.name}.all(k, k == 'a')", 37 },
    };
    (void)state;
    check_costs(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_computed_list_has_elements_of_unknown_length(void **state)
{
    (void)state;
    assert_true(max_cost("self.list.map(x, x).join(',') == 'a'") > UINT32_MAX);
    assert_true(max_cost("self.?text.orValue('x').matches('a')") > UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_and_keys_of_maps_are_compared_at_no_cost),
        TEST(macros_cost_what_their_expansion_costs),
        TEST(texts_cost_by_their_declared_length),
        TEST(functions_of_kubernetes_cost_what_it_counts),
        TEST(a_computed_list_has_elements_of_unknown_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
