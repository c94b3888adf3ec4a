/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scenarios.c -- reads and writes YAML, with every allocation failing in turn. */
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "json/yaml/yaml.h"

/* Reads all documents of |text| and appends them to |out|. */
static lw_status read_all(lw_str text, lw_buf *out, lw_error *err)
{
    lw_yaml_reader *reader;
    if (lw_yaml_reader_new(&reader, text) < 0)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    lw_tree *tree;
    lw_buf twice;
    lw_buf_init(&twice, 1000);
    lw_yaml_reader_report_duplicates(reader, &twice);
    do {
        tree = NULL;
        st = lw_yaml_reader_next(reader, 0, &tree, err);
        if (st == LW_OK && tree) {
            lw_json_writer w;
            lw_json_writer_init(&w, out, LW_JSON_COMPACT);
            lw_node_write(lw_tree_root(tree), &w);
            st = lw_json_writer_status(&w);
        }
        lw_tree_free(tree);
    } while (st == LW_OK && tree);
    lw_yaml_reader_free(reader);
    if (st == LW_OK)
        st = twice.st;
    lw_buf_done(&twice);
    return st;
}

static lw_status reads_as(lw_str text, const char *json, lw_error *err)
{
    lw_buf out;
    lw_buf_init(&out, 1 << 16);
    lw_status st = read_all(text, &out, err);
    if (st == LW_OK && !lw_str_equal(lw_buf_view(&out), lw_str_of(json)))
        st = lw_error_set(err, LW_ERR_INTERNAL, "read %.*s", LW_STR_ARG(lw_buf_view(&out)));
    lw_buf_done(&out);
    return st;
}

static lw_status yaml_is_read(lw_error *err)
{
    return reads_as(
        LW_STR("# a comment\na: 0\na: [1, 2.5, yes, ~, 'x']\nb:\n- {c: \"d\\n\"}\n- |\n  e\n"),
        "{\"a\":[1,2.5,true,null,\"x\"],\"b\":[{\"c\":\"d\\n\"},\"e\\n\"]}", err);
}

static lw_status anchors_are_followed(lw_error *err)
{
    return reads_as(LW_STR("a: &x {k: [1]}\nb: *x\nc: {<<: [*x, {l: 2}], m: !!binary aGk=}\n"),
                    "{\"a\":{\"k\":[1]},\"b\":{\"k\":[1]},"
                    "\"c\":{\"l\":2,\"k\":[1],\"m\":\"hi\"}}",
                    err);
}

static lw_status documents_are_separated(lw_error *err)
{
    return reads_as(LW_STR("%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n---\n"
                           "{\"b\":\"\\/\"}{c: d}\n...\ne\n"),
                    "{\"a\":\"1\"}{\"b\":\"/\"}{\"c\":\"d\"}\"e\"", err);
}

static lw_status tree_is_written(lw_error *err)
{
    static const char json[] =
        "{\"a\":[1,\"two words\",\"true\",{}],\"b\":{\"c\":\"x\\ny\"},\"\":[[]]}";
    static const char yaml[] = "a:\n- 1\n- two words\n- \"true\"\n- {}\nb:\n  c: |-\n    x\n    y\n"
                               "\"\":\n- []\n";
    lw_tree *tree = NULL;
    lw_buf out;
    lw_buf_init(&out, 1 << 16);
    lw_status st = lw_tree_parse(&tree, LW_STR(json), 0, err);
    if (st == LW_OK)
        st = lw_yaml_write(&out, lw_tree_root(tree));
    if (st == LW_OK && !lw_str_equal(lw_buf_view(&out), LW_STR(yaml)))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrote %.*s", LW_STR_ARG(lw_buf_view(&out)));
    lw_tree_free(tree);
    lw_buf_done(&out);
    return st;
}

const oom_scenario yaml_scenarios[] = {
    { "yaml is read", yaml_is_read },
    { "anchors are followed", anchors_are_followed },
    { "documents are separated", documents_are_separated },
    { "tree is written", tree_is_written },
};
const size_t yaml_scenario_count = sizeof(yaml_scenarios) / sizeof(yaml_scenarios[0]);
