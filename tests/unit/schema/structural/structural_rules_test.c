/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rules_test.c -- rules in CEL: told when they cannot be, held against what is written,
 * and what is passed over because nothing has changed. */
#include <stdio.h>

#include "base/str.h"
#include "schema/structural/structural.h"
#include "unit/test.h"

static void list_faults(const lw_api_status *faults, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < faults->cause_count && len < size; i++) {
        lw_str field = lw_api_status_str(faults, faults->causes[i].field);
        lw_str message = lw_api_status_str(faults, faults->causes[i].message);
        len += (size_t)snprintf(out + len, size - len, "%s%.*s: %.*s", i > 0 ? "; " : "",
                                LW_STR_ARG(field), LW_STR_ARG(message));
    }
}

static lw_tree *parse(const char *json)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tree_parse(&tree, lw_str_of(json), 0, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return tree;
}

/* A schema whose spec is |spec| with |rules|. */
static lw_structural *compile(const char *spec, const char *rules, const char *expected)
{
    char json[8192], said[8192];
    lw_api_status faults;
    lw_structural *schema = NULL;
    (void)snprintf(json, sizeof(json),
                   "{'type':'object','properties':{'spec':{%s,'x-kubernetes-validations':[%s]}}}",
                   spec, rules);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c == '^' ? '\'' : *c;
    lw_tree *tree = parse(json);
    lw_api_status_init(&faults);
    assert_int_equal(lw_structural_new(&schema, lw_tree_root(tree), LW_STR("s"), &faults), LW_OK);
    list_faults(&faults, said, sizeof(said));
    assert_string_equal(said, expected);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
    return schema;
}

static const char sizes[] = "'type':'object','properties':{'min':{'type':'integer'},"
                            "'max':{'type':'integer'},'name':{'type':'string','maxLength':10}}";

static void assert_refused(const char *spec, const char *rules, const char *expected)
{
    lw_structural_free(compile(spec, rules, expected));
}

/* |spec| after |old| (NULL: it is new) has the faults |expected|. */
static void assert_judged(const char *schema_spec, const char *rules, const char *old,
                          const char *spec, const char *expected)
{
    char json[2048], said[8192];
    lw_structural *schema = compile(schema_spec, rules, "");
    lw_api_status faults;
    (void)snprintf(json, sizeof(json), "{\"spec\":%s}", spec);
    lw_tree *tree = parse(json), *before = NULL;
    if (old) {
        (void)snprintf(json, sizeof(json), "{\"spec\":%s}", old);
        before = parse(json);
    }
    lw_api_status_init(&faults);
    lw_structural_validate(schema, lw_tree_root(tree), before ? lw_tree_root(before) : NULL, NULL,
                           &faults);
    assert_int_equal(faults.st, LW_OK);
    list_faults(&faults, said, sizeof(said));
    assert_string_equal(said, expected);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
    lw_tree_free(before);
    lw_structural_free(schema);
}

static void a_rule_that_does_not_hold_is_a_fault(void **state)
{
    static const char rule[] = "{'rule':'self.min <= self.max'}";
    (void)state;
    assert_judged(sizes, rule, NULL, "{\"min\":1,\"max\":2}", "");
    assert_judged(sizes, rule, NULL, "{\"min\":3,\"max\":2}",
                  "spec: Invalid value: failed rule: self.min <= self.max");
    assert_judged(sizes, rule, NULL, "{\"max\":2}",
                  "spec: Invalid value: \"object\": no such key: min evaluating rule: self.min <= "
                  "self.max");
}

static void messages_reasons_and_paths_are_the_rules_own(void **state)
{
    (void)state;
    assert_judged(sizes, "{'rule':'self.min > 0','message':'be more'}", NULL, "{\"min\":0}",
                  "spec: Invalid value: be more");
    assert_judged(sizes,
                  "{'rule':'self.min > 0','messageExpression':'^is %d^.format([self.min])',"
                  "'reason':'FieldValueForbidden','fieldPath':'.min'}",
                  NULL, "{\"min\":0}", "spec.min: Forbidden: is 0");
    /* A message that cannot be made is not needed. */
    assert_judged(sizes,
                  "{'rule':'self.min > 0','message':'be more','messageExpression':'self.name'}",
                  NULL, "{\"min\":0}", "spec: Invalid value: be more");
}

static void rules_stand_at_any_depth(void **state)
{
    static const char items[] =
        "'type':'object','properties':{'l':{'type':'array','maxItems':10,'items':{'type':'string',"
        "'maxLength':10,'x-kubernetes-validations':[{'rule':'self.startsWith(^a^)'}]}},"
        "'m':{'type':'object','maxProperties':10,'additionalProperties':{'type':'integer',"
        "'x-kubernetes-validations':[{'rule':'self > 1'}]}}}";
    (void)state;
    assert_judged(items, "", NULL, "{\"l\":[\"a\",\"b\"],\"m\":{\"x\":2,\"y\":1}}",
                  "spec.l[1]: Invalid value: \"b\": failed rule: self.startsWith('a'); "
                  "spec.m[y]: Invalid value: 1: failed rule: self > 1");
}

static void rules_of_change_want_an_old_value(void **state)
{
    static const char rule[] = "{'rule':'self.min == oldSelf.min','message':'min stays'}";
    (void)state;
    assert_judged(sizes, rule, NULL, "{\"min\":3}", "");
    assert_judged(sizes, rule, "{\"min\":3}", "{\"min\":3,\"max\":1}", "");
    assert_judged(sizes, rule, "{\"min\":3}", "{\"min\":4}", "spec: Invalid value: min stays");
    assert_judged(sizes, "{'rule':'oldSelf.hasValue() || self.min == 1','optionalOldSelf':true}",
                  NULL, "{\"min\":3}",
                  "spec: Invalid value: failed rule: oldSelf.hasValue() || self.min "
                  "== 1");
}

static void elements_with_keys_are_found_again(void **state)
{
    static const char list[] =
        "'type':'object','properties':{'l':{'type':'array','maxItems':10,"
        "'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],"
        "'items':{'type':'object','required':['k'],'properties':{'k':{'type':'string'},"
        "'v':{'type':'integer'}},"
        "'x-kubernetes-validations':[{'rule':'self.v >= oldSelf.v'}]}}}";
    (void)state;
    assert_judged(list, "", "{\"l\":[{\"k\":\"a\",\"v\":1},{\"k\":\"b\",\"v\":2}]}",
                  "{\"l\":[{\"k\":\"b\",\"v\":1},{\"k\":\"a\",\"v\":1},{\"k\":\"c\",\"v\":0}]}",
                  "spec.l[0]: Invalid value: failed rule: self.v >= oldSelf.v");
}

static void what_is_as_it_was_is_passed_over(void **state)
{
    static const char rule[] = "{'rule':'self.min <= self.max'}";
    static const char bounded[] = "'type':'object','properties':{'a':{'type':'integer',"
                                  "'maximum':5},'b':{'type':'integer','maximum':5}}";
    (void)state;
    assert_judged(sizes, rule, "{\"min\":3,\"max\":2}", "{\"min\":3,\"max\":2}", "");
    assert_judged(sizes, rule, "{\"min\":3,\"max\":2}", "{\"min\":4,\"max\":2}",
                  "spec: Invalid value: failed rule: self.min <= self.max");
    assert_judged(bounded, "", "{\"a\":9,\"b\":1}", "{\"a\":9,\"b\":2}", "");
    assert_judged(bounded, "", "{\"a\":9,\"b\":1}", "{\"a\":10,\"b\":2}",
                  "spec.a: Invalid value: 10: spec.a in body should be less than or equal to 5");
    /* A rule of change is never passed over. */
    assert_judged(sizes, "{'rule':'self.min > oldSelf.min'}", "{\"min\":1}", "{\"min\":1}",
                  "spec: Invalid value: failed rule: self.min > oldSelf.min");
}

static void rules_wait_for_values_of_the_right_type(void **state)
{
    (void)state;
    assert_judged(sizes, "{'rule':'self.min > 0'}", NULL, "{\"min\":\"x\"}",
                  "spec.min: Invalid value: \"string\": spec.min in body must be of type integer: "
                  "\"string\"; <nil>: Invalid value: null: some validation rules were not checked "
                  "because the object was invalid; correct the existing errors to complete "
                  "validation");
}

static void a_rule_that_cannot_be_is_told_with_the_definition(void **state)
{
#define AT "s.properties[spec].x-kubernetes-validations[0]."
    (void)state;
    assert_refused(sizes, "{'rule':'self.nope'}",
                   AT "rule: Invalid value: \"self.nope\": compilation failed: ERROR: "
                      "<input>:1:5: undefined field 'nope'\n | self.nope\n | ....^");
    assert_refused(sizes, "{'rule':'self.min'}",
                   AT "rule: Invalid value: \"self.min\": cel expression must evaluate to a bool");
    assert_refused(sizes, "{'rule':''}", AT "rule: Required value: rule is not specified");
    assert_refused(sizes, "{'rule':'true','reason':'Odd'}",
                   AT "reason: Unsupported value: \"Odd\": supported values: "
                      "\"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", "
                      "\"FieldValueRequired\"");
    assert_refused(sizes, "{'rule':'true','messageExpression':'1'}",
                   AT "messageExpression: Invalid value: \"1\": messageExpression must evaluate to "
                      "a string");
    assert_refused("'type':'object','properties':{'l':{'type':'array','items':{'type':'integer'}}}",
                   "{'rule':'self.l.all(x, self.l.all(y, x == y))'}",
                   AT "rule: Forbidden: estimated rule cost exceeds budget by factor of more than "
                      "100x (try simplifying the rule, or adding maxItems, maxProperties, and "
                      "maxLength where arrays, maps, and strings are declared); " AT
                      "rule: Forbidden: contributed to estimated rule cost total exceeding cost "
                      "limit for entire OpenAPIv3 schema; s: Forbidden: "
                      "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                      "schema exceeds budget by factor of more than 100x (try simplifying the "
                      "rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, "
                      "and strings are declared)");
    assert_refused("'type':'array','maxItems':6000000,'items':{'type':'integer',"
                   "'x-kubernetes-validations':[{'rule':'self == 1 || self == 2'}]}",
                   "",
                   "s.properties[spec].items.x-kubernetes-validations[0].rule: Forbidden: "
                   "estimated rule cost exceeds budget by factor of 1.200000x (try simplifying the "
                   "rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and "
                   "strings are declared)");
    assert_refused("'type':'array','maxItems':5,'items':{'type':'integer',"
                   "'x-kubernetes-validations':[{'rule':'self == oldSelf'}]}",
                   "",
                   "s.properties[spec].items.x-kubernetes-validations[0].rule: Invalid value: "
                   "\"self == oldSelf\": oldSelf cannot be used on the uncorrelatable portion of "
                   "the schema within s.properties[spec]");
#undef AT
}

static void assert_accepted(const char *spec, const char *rules)
{
    lw_structural_free(compile(spec, rules, ""));
}

static void objects_and_keys_without_limits_can_be_ruled(void **state)
{
    (void)state;
    assert_accepted("'type':'object','properties':{'a':{'type':'string'},'b':{'type':'object',"
                    "'additionalProperties':{'type':'string'}}}",
                    "{'rule':'self == oldSelf'}");
    assert_accepted("'type':'object','maxProperties':8,'additionalProperties':{'type':'string'}",
                    "{'rule':'self.all(key, key.matches(^[a-z./-]+^))'}");
    assert_accepted("'type':'array','maxItems':16,'items':{'type':'object','properties':{"
                    "'n':{'type':'string'}}}",
                    "{'rule':'self.all(a, self.exists_one(b, a == b))'}");
}

static void a_message_is_counted_once(void **state)
{
    (void)state;
    assert_accepted("'type':'array','items':{'type':'string','maxLength':100,"
                    "'x-kubernetes-validations':[{'rule':'true','messageExpression':"
                    "'self + self + self'}]}",
                    "");
}

static void metadata_of_any_depth_is_seen_as_declared(void **state)
{
    static const char template[] =
        "'type':'object','properties':{'metadata':{'type':'object','properties':{"
        "'name':{'type':'string'},'namespace':{'type':'string'}}}}%s";
    char plain[512], embedded[512];
    (void)state;
    (void)snprintf(plain, sizeof(plain), template, "");
    (void)snprintf(embedded, sizeof(embedded), template, ",'x-kubernetes-embedded-resource':true");
    assert_judged(plain, "{'rule':'!has(self.metadata.namespace)'}", NULL,
                  "{\"metadata\":{\"namespace\":\"n\"}}",
                  "spec: Invalid value: failed rule: !has(self.metadata.namespace)");
    assert_accepted(embedded, "{'rule':'self.kind + self.apiVersion + self.metadata.name + "
                              "self.metadata.generateName != ^^'}");
    assert_refused(embedded, "{'rule':'has(self.metadata.labels)'}",
                   "s.properties[spec].x-kubernetes-validations[0].rule: Invalid value: "
                   "\"has(self.metadata.labels)\": compilation failed: ERROR: <input>:1:4: "
                   "undefined field 'labels'\n | has(self.metadata.labels)\n | "
                   "...^");
    /* A schema that declares all of it is taken as it is. */
    assert_accepted("'type':'object','x-kubernetes-embedded-resource':true,'properties':{"
                    "'kind':{'type':'string'},'apiVersion':{'type':'string'},'metadata':{"
                    "'type':'object','properties':{'name':{'type':'string'},'generateName':{"
                    "'type':'string'},'labels':{'type':'object','additionalProperties':{"
                    "'type':'string'}}}}}",
                    "{'rule':'has(self.metadata.labels)'}");
}

static void an_object_has_one_budget(void **state)
{
    static const char list[] = "'type':'object','properties':{'l':{'type':'array',"
                               "'maxItems':1000,'items':{'type':'integer'}}}";
    char spec[2048], *at = spec;
    (void)state;
    at += snprintf(at, 16, "{\"l\":[1");
    for (int i = 0; i < 900; i++)
        at += snprintf(at, 8, ",1");
    (void)snprintf(at, 8, "]}");
    assert_judged(list, "{'rule':'self.l.all(x, self.l.all(y, x == y))'}", NULL, spec,
                  "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit "
                  "exceeded': no further validation rules will be run due to call cost exceeds "
                  "limit for rule: self.l.all(x, self.l.all(y, x == y))");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_rule_that_does_not_hold_is_a_fault),
        TEST(messages_reasons_and_paths_are_the_rules_own),
        TEST(rules_stand_at_any_depth),
        TEST(rules_of_change_want_an_old_value),
        TEST(elements_with_keys_are_found_again),
        TEST(what_is_as_it_was_is_passed_over),
        TEST(rules_wait_for_values_of_the_right_type),
        TEST(a_rule_that_cannot_be_is_told_with_the_definition),
        TEST(objects_and_keys_without_limits_can_be_ruled),
        TEST(a_message_is_counted_once),
        TEST(metadata_of_any_depth_is_seen_as_declared),
        TEST(an_object_has_one_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
