// SPDX-License-Identifier: Apache-2.0
// contest_simdjson.cpp -- simdjson's on-demand parser at the job.  A note beside the contest, not a
// part of it: it is C++, needs the whole list in memory, and checks only what it is asked for.
#include <simdjson.h>

#include "bench/contest.h"

using namespace simdjson;

static uint64_t hash_of(ondemand::value value)
{
    std::string_view text = value.get_string();
    return contest_hash(text.data(), text.size());
}

static void read_metadata(ondemand::object metadata, contest_item &item)
{
    for (auto field : metadata) {
        std::string_view key = field.unescaped_key();
        if (key == "name")
            item.name = hash_of(field.value());
        else if (key == "namespace")
            item.ns = hash_of(field.value());
        else if (key == "uid")
            item.uid = hash_of(field.value());
        else if (key == "resourceVersion")
            item.resource_version = hash_of(field.value());
        else if (key == "labels")
            for (auto label : field.value().get_object()) {
                std::string_view name = label.unescaped_key();
                contest_add_label(&item, contest_hash(name.data(), name.size()),
                                  hash_of(label.value()));
            }
    }
}

bool contest_simdjson_split(const contest_list *list, contest_answer *answer)
{
    static_assert(SIMDJSON_PADDING <= CONTEST_PADDING, "the list needs more room behind it");
    try {
        ondemand::parser parser(list->len + 1);
        padded_string_view text(list->bytes, list->len, list->len + CONTEST_PADDING);
        ondemand::document document = parser.iterate(text);
        for (ondemand::object object : document["items"].get_array()) {
            contest_item item = {};
            read_metadata(object["metadata"].get_object(), item);
            contest_add_item(answer, &item);
        }
        return true;
    } catch (const simdjson_error &) {
        return false;
    }
}
