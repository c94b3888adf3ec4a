/* SPDX-License-Identifier: Apache-2.0 */
/* functions_test.c -- the functions of CEL, and Kubernetes' libraries. */
#include "unit/cel/cel_eval.h"

static void texts_are_searched_and_changed(void **state)
{
    static const cel_case cases[] = {
        { "'h\u00e9llo'.size() == 5 && size('h\u00e9llo') == 5", "true" },
        { "'hello'.contains('ell') && 'hello'.startsWith('he') && 'hello'.endsWith('lo')", "true" },
        { "'h\u00e9llo'.charAt(1) + '|' + 'ab'.charAt(2) + '|'", "\u00e9||" },
        { "'ab'.charAt(3)", "error: index out of range: 3" },
        { "'hello mellow'.indexOf('ello')", "1" },
        { "'hello mellow'.indexOf('ello', 2)", "7" },
        { "'hello mellow'.lastIndexOf('ello')", "7" },
        { "'hello mellow'.lastIndexOf('ello', 6)", "1" },
        { "'hello'.indexOf('z')", "-1" },
        { "'TacoCat'.lowerAscii() + 'x\u00e9'.upperAscii()", "tacocatX\u00e9" },
        { "'tacocat'.substring(4) + 'tacocat'.substring(0, 4)", "cattaco" },
        { "'tacocat'.substring(4, 3)", "error: invalid substring range. start: 4, end: 3" },
        { "'  \\ttrim\\n '.trim()", "trim" },
        { "'hello hello'.replace('he', 'we')", "wello wello" },
        { "'hello hello'.replace('he', 'we', 1)", "wello hello" },
        { "'ab'.replace('', '-')", "-a-b-" },
        { "'a,b,c'.split(',') == ['a', 'b', 'c']", "true" },
        { "'a,b,c'.split(',', 2) == ['a', 'b,c']", "true" },
        { "'abc'.split('') == ['a', 'b', 'c'] && 'a'.split(',', 0) == []", "true" },
        { "['a', 'b'].join('-') + ['c', 'd'].join()", "a-bcd" },
        { "strings.quote('a\"b\\n')", "\"a\\\"b\\n\"" },
        { "'%s is %d, %.2f, %x, %b, %o, %%: %s'.format(['a', dyn(5), dyn(1.5), dyn(255), dyn(5), "
          "dyn(8), dyn([1, 2])])",
          "a is 5, 1.50, ff, 101, 10, %: [1, 2]" },
        { "'%s'.format([])", "error: error during formatting: index out of range: the format "
                             "string has more clauses than arguments" },
    };
    (void)state;
    check_cases(cases);
}

static void patterns_are_found(void **state)
{
    static const cel_case cases[] = {
        { "'abc123'.matches('^[a-z]+[0-9]+$') && matches('abc', 'b')", "true" },
        { "'abc 123 45'.find('[0-9]+')", "123" },
        { "'abc'.find('[0-9]+')", "" },
        { "'aaa'.find('a+?') + '|' + 'aaa'.find('a|aa') + '|' + 'xaab'.find('a*b')", "a|a|aab" },
        { "'123 abc 456'.findAll('[0-9]*') == ['123', '', '', '', '', '', '456']", "false" },
        { "'123 abc 456'.findAll('[0-9]+') == ['123', '456']", "true" },
        { "'123 abc 456'.findAll('[0-9]+', 1) == ['123']", "true" },
        { "'baaab'.findAll('a*') == ['', 'aaa', '']", "true" },
        { "['(', '['].exists(p, 'a'.matches(p)) || true", "true" },
    };
    (void)state;
    check_cases(cases);
}

static void lists_are_asked_as_a_whole(void **state)
{
    static const cel_case cases[] = {
        { "[1, 2, 2].isSorted() && !['b', 'a'].isSorted()", "true" },
        { "[1, 2, 3].sum() == 6 && [1.5, 2.0].sum() == 3.5 && [].sum() == 0", "true" },
        { "[3, 1, 2].min() == 1 && ['a', 'c'].max() == 'c'", "true" },
        { "dyn([]).max()", "error: max called on empty list" },
        { "[9223372036854775807, 1].sum()", "error: integer overflow" },
        { "[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2 && [1].indexOf(5) == -1",
          "true" },
        { "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3]", "true" },
        { "[1, 2].reverse() == [2, 1] && [1, 2, 1].distinct() == [1, 2]", "true" },
        { "[3, 1, 2].sort() == [1, 2, 3] && lists.range(3) == [0, 1, 2]", "true" },
        { "sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && "
          "!sets.intersects([1], [2])",
          "true" },
        { "[1, 2].first().value() == 1 && [1, 2].last().value() == 2", "true" },
    };
    (void)state;
    check_cases(cases);
}

static void times_are_read_and_moved(void **state)
{
    static const cel_case cases[] = {
        { "timestamp('2024-02-29T23:59:59Z').getFullYear()", "2024" },
        { "timestamp('2024-02-29T23:59:59Z').getMonth()", "1" },
        { "timestamp('2024-02-29T23:59:59Z').getDate()", "29" },
        { "timestamp('2024-12-31T00:00:00Z').getDayOfYear()", "365" },
        { "timestamp('2024-02-29T23:59:59Z').getDayOfWeek()", "4" },
        { "timestamp('2024-02-29T23:59:59Z').getHours('+01:00')", "0" },
        { "timestamp('2024-02-29T23:59:59Z').getDayOfMonth('+01:00')", "0" },
        { "timestamp('1969-12-31T23:59:59.5Z').getMilliseconds()", "500" },
        { "timestamp('2024-01-01T00:00:00Z').getHours('Mars/Base')",
          "error: unknown time zone Mars/Base: use UTC or an offset such as +01:00" },
        { "string(timestamp('2024-01-01T00:00:00Z') + duration('1h30m0.5s'))",
          "2024-01-01T01:30:00.5Z" },
        { "timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == "
          "duration('24h')",
          "true" },
        { "duration('-1.5h').getMinutes()", "-90" },
        { "string(duration('1500ms'))", "1.5s" },
        { "timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow" },
        { "duration('1m') < duration('1h')", "true" },
        { "int(timestamp('1970-01-02T00:00:00Z'))", "86400" },
    };
    (void)state;
    check_cases(cases);
}

static void quantities_are_compared_and_added(void **state)
{
    static const cel_case cases[] = {
        { "isQuantity('1.3Gi') && !isQuantity('1.3 Gi')", "true" },
        { "quantity('1Ki').compareTo(quantity('1024')) == 0 && quantity('1Ki') == "
          "quantity('1024')",
          "true" },
        { "quantity('50M').isLessThan(quantity('50Mi'))", "true" },
        { "quantity('200k').add(quantity('1k')).sub(1000).asInteger()", "200000" },
        { "quantity('1500m').isInteger() || quantity('1500m').asApproximateFloat() != 1.5",
          "false" },
        { "quantity('-1').sign()", "-1" },
    };
    (void)state;
    check_cases(cases);
}

static void addresses_are_told_apart(void **state)
{
    static const cel_case cases[] = {
        { "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.01') && !isIP('::ffff:1.2.3.4')",
          "true" },
        { "ip('192.168.0.1').family() == 4 && ip('2001:db8::1').family() == 6", "true" },
        { "ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified()", "true" },
        { "ip('fe80::1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast()", "true" },
        { "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')", "true" },
        { "cidr('192.168.0.0/24').containsIP('192.168.0.7')", "true" },
        { "cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", "false" },
        { "string(cidr('192.168.0.7/24').masked()) + ' ' + string(cidr('10.0.0.1/8').ip())",
          "192.168.0.0/24 10.0.0.1" },
        { "cidr('::/12').prefixLength()", "12" },
        { "isCIDR('10.0.0.0/33')", "false" },
    };
    (void)state;
    check_cases(cases);
}

static void urls_are_taken_apart(void **state)
{
    static const cel_case cases[] = {
        { "isURL('https://a.b:80/c?d=e') && isURL('/path') && !isURL('a b') && !isURL('x')",
          "true" },
        { "url('https://u@a.b:80/c%20d?e=f').getHost()", "a.b:80" },
        { "url('https://[::1]:80/').getHostname() + url('http://a:81/').getPort()", "::181" },
        { "url('HTTPS://a/b/c?d=e&d=f').getQuery()['d'] == ['e', 'f']", "true" },
        { "url('https://a/b/c').getEscapedPath() + url('HTTPS://a').getScheme()", "/b/chttps" },
    };
    (void)state;
    check_cases(cases);
}

static void named_formats_tell_what_is_wrong(void **state)
{
    static const cel_case cases[] = {
        { "format.dns1123Label().validate('my-name') == null", "false" },
        { "format.dns1123Label().validate('my-name').hasValue()", "false" },
        { "format.dns1123Label().validate('a.b').value()[0]", "must not contain dots" },
        { "format.dns1123Subdomain().validate('A').value().size()", "1" },
        { "format.named('dns1035Label').value().validate('1a').hasValue()", "true" },
        { "format.named('nope').hasValue()", "false" },
        { "format.dns1123LabelPrefix().validate('prefix-').hasValue()", "false" },
        { "format.dns1123Label().validate('prefix-').hasValue()", "true" },
        { "format.qualifiedName().validate('example.com/Name').hasValue()", "false" },
        { "format.labelValue().validate('a b').hasValue()", "true" },
        { "format.uri().validate('/path').hasValue() || format.uri().validate('x').hasValue()",
          "true" },
        { "format.uuid().validate('123e4567-E89B-12d3-a456-426614174000').hasValue()", "false" },
        { "format.uuid().validate('123e4567e89b12d3a456426614174000').hasValue()", "false" },
        { "format.uuid().validate('123e-4567').value()[0]", "does not match the UUID format" },
        { "format.byte().validate('aGVsbG8=').hasValue()", "false" },
        { "format.byte().validate('').value()[0]", "invalid base64" },
        { "format.date().validate('2021-02-29').value()[0]", "invalid date" },
        { "format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", "false" },
        { "format.date() == format.named('date').value() && format.date() != format.uri()",
          "true" },
    };
    (void)state;
    check_cases(cases);
}

static void semantic_versions_are_compared(void **state)
{
    static const cel_case cases[] = {
        { "semver('1.2.3').major() + semver('1.2.3').minor() * 10 + semver('1.2.3').patch() * 100",
          "321" },
        { "['1.0', '01.0.0', 'v1.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', 'x', ''].exists(v, "
          "isSemver(v))",
          "false" },
        { "['1.0.0', '0.1.0-alpha.1', '1.0.0-x+01'].all(v, isSemver(v))", "true" },
        { "isSemver('v1.0', true) && isSemver('01.02', true) && !isSemver('1-rc', true)", "true" },
        { "semver('v1', true) == semver('1.0.0')", "true" },
        { "semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))", "true" },
        { "semver('1.0.0-rc.2').isLessThan(semver('1.0.0-rc.10'))", "true" },
        { "semver('1.0.0-1').isLessThan(semver('1.0.0-a'))", "true" },
        { "semver('1.0.0-a').compareTo(semver('1.0.0-a.1'))", "-1" },
        { "semver('1.2.0+x').compareTo(semver('1.2.0+y'))", "0" },
        { "semver('nope')", "error: 'nope' is not a valid semantic version" },
    };
    (void)state;
    check_cases(cases);
}

static void arguments_of_format_may_be_of_several_types(void **state)
{
    static const cel_case cases[] = {
        { "'%s-%d'.format(['a', 1])", "a-1" },
        { "[1, 'a'].size()", "compile: ERROR: <input>:1:5: expected type 'int' but found 'string'"
                             "\n | [1, 'a'].size()\n | ....^" },
    };
    (void)state;
    check_cases(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(texts_are_searched_and_changed),
        TEST(patterns_are_found),
        TEST(lists_are_asked_as_a_whole),
        TEST(times_are_read_and_moved),
        TEST(quantities_are_compared_and_added),
        TEST(addresses_are_told_apart),
        TEST(urls_are_taken_apart),
        TEST(named_formats_tell_what_is_wrong),
        TEST(semantic_versions_are_compared),
        TEST(arguments_of_format_may_be_of_several_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
