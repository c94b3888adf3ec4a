// SPDX-License-Identifier: Apache-2.0
// oracle_simdjson.cpp -- simdjson's DOM, which checks the whole document before it answers.
#include <new>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "oracle/oracle.h"

using namespace simdjson;

struct oracle_simdjson {
    dom::parser parser;
    size_t max_depth;
};

namespace {

// Thrown when a member has a type it must not have.
struct misshapen {};

using text = oracle_text;

text read_text(dom::element value)
{
    if (value.is_null())
        return {};
    std::string_view found;
    if (value.get(found) != SUCCESS)
        throw misshapen();
    // An empty string is present: its address must not be NULL.
    return { found.data() ? found.data() : "", found.size() };
}

// An object, or nothing where there is null.
bool read_object(dom::element value, dom::object &object)
{
    if (value.is_null())
        return false;
    if (value.get(object) != SUCCESS)
        throw misshapen();
    return true;
}

class list_reader
{
public:
    list_reader(oracle_text_fn put_, void *arg_) : put(put_), arg(arg_) {}

    void read(dom::element root)
    {
        dom::object object;
        text api_version = {}, kind = {};
        if (root.get(object) != SUCCESS)
            throw misshapen();
        for (auto member : object) {
            if (member.key == "apiVersion")
                api_version = read_text(member.value);
            else if (member.key == "kind")
                kind = read_text(member.value);
            else if (member.key == "metadata")
                read_list_metadata(member.value);
            else if (member.key == "items")
                read_items(member.value);
        }
        put("apiVersion", api_version, arg);
        put("kind", kind, arg);
        put("resourceVersion", resource_version, arg);
        put("continue", continue_token, arg);
        put("remaining", { remaining.data(), remaining.size() }, arg);
        put("items", { has_items ? "" : nullptr, 0 }, arg);
        put(nullptr, {}, arg);
    }

private:
    oracle_text_fn put;
    void *arg;
    bool has_items = false;
    text resource_version = {}, continue_token = {};
    std::string remaining = "-1";

    void read_list_metadata(dom::element value)
    {
        dom::object metadata;
        resource_version = continue_token = {};
        remaining = "-1";
        if (!read_object(value, metadata))
            return;
        for (auto member : metadata) {
            if (member.key == "resourceVersion")
                resource_version = read_text(member.value);
            else if (member.key == "continue")
                continue_token = read_text(member.value);
            else if (member.key == "remainingItemCount")
                read_remaining(member.value);
        }
    }

    void read_remaining(dom::element value)
    {
        int64_t count = -1;
        if (!value.is_null() && (value.get(count) != SUCCESS || count < 0))
            throw misshapen();
        remaining = std::to_string(count);
    }

    void read_items(dom::element value)
    {
        dom::array items;
        if (has_items)
            throw misshapen();
        has_items = true;
        if (value.is_null())
            return;
        if (value.get(items) != SUCCESS)
            throw misshapen();
        for (dom::element item : items)
            read_item(item);
    }

    void read_item(dom::element value)
    {
        dom::object item, metadata;
        text api_version = {}, kind = {};
        bool has_metadata = false;
        if (value.get(item) != SUCCESS)
            throw misshapen();
        for (auto member : item) {
            if (member.key == "apiVersion") {
                api_version = read_text(member.value);
            } else if (member.key == "kind") {
                kind = read_text(member.value);
            } else if (member.key == "metadata") {
                has_metadata = read_object(member.value, metadata);
                if (has_metadata)
                    check_metadata(metadata);
            }
        }
        put("apiVersion", api_version, arg);
        put("kind", kind, arg);
        put_metadata(has_metadata ? &metadata : nullptr);
        put(nullptr, {}, arg);
    }

    // Even what a later member of the same name hides must be of the right type.
    static void check_metadata(const dom::object &metadata)
    {
        for (auto member : metadata) {
            dom::object labels;
            if (member.key == "namespace" || member.key == "name" || member.key == "uid" ||
                member.key == "resourceVersion")
                read_text(member.value);
            else if (member.key == "labels" && read_object(member.value, labels))
                for (auto label : labels)
                    read_text(label.value);
        }
    }

    void put_metadata(const dom::object *metadata)
    {
        text ns = {}, name = {}, uid = {}, rv = {};
        dom::object labels;
        bool has_labels = false;
        if (metadata)
            for (auto member : *metadata) {
                if (member.key == "namespace")
                    ns = read_text(member.value);
                else if (member.key == "name")
                    name = read_text(member.value);
                else if (member.key == "uid")
                    uid = read_text(member.value);
                else if (member.key == "resourceVersion")
                    rv = read_text(member.value);
                else if (member.key == "labels")
                    has_labels = read_object(member.value, labels);
            }
        put("namespace", ns, arg);
        put("name", name, arg);
        put("uid", uid, arg);
        put("resourceVersion", rv, arg);
        if (has_labels)
            for (auto label : labels) {
                put("key", { label.key.data() ? label.key.data() : "", label.key.size() }, arg);
                put("value", read_text(label.value), arg);
            }
    }
};

// The parser copies |bytes| to where there is room behind them.
bool parse(oracle_simdjson *oracle, const char *bytes, size_t len, dom::element &root)
{
    if (oracle->parser.capacity() < len &&
        oracle->parser.allocate(len * 2, oracle->max_depth) != SUCCESS)
        std::abort();
    return oracle->parser.parse(bytes, len, true).get(root) == SUCCESS;
}

} // namespace

oracle_simdjson *oracle_simdjson_new(size_t max_depth)
{
    oracle_simdjson *oracle = new (std::nothrow) oracle_simdjson();
    if (!oracle)
        return nullptr;
    // simdjson counts the document itself as a level.
    oracle->max_depth = max_depth + 1;
    if (oracle->parser.allocate(4096, oracle->max_depth) != SUCCESS)
        std::abort();
    return oracle;
}

void oracle_simdjson_free(oracle_simdjson *oracle)
{
    delete oracle;
}

bool oracle_simdjson_accepts(oracle_simdjson *oracle, const char *bytes, size_t len)
{
    dom::element root;
    return parse(oracle, bytes, len, root);
}

oracle_verdict oracle_simdjson_list(oracle_simdjson *oracle, const char *bytes, size_t len,
                                    oracle_text_fn put, void *arg)
{
    dom::element root;
    if (!parse(oracle, bytes, len, root))
        return ORACLE_REFUSED;
    try {
        list_reader(put, arg).read(root);
        return ORACLE_ACCEPTED;
    } catch (const misshapen &) {
        return ORACLE_MISSHAPEN;
    }
}
