/* SPDX-License-Identifier: Apache-2.0 */
/* cplusplus_program.cpp -- uses each class of listwatch.hpp against the server of its argument. */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

#include <listwatch/listwatch.hpp>

static int failures;

static void check(bool is_true, const char *what, const listwatch::error &err)
{
    if (!is_true) {
        std::printf("failed: %s: %s\n", what, err.message());
        failures++;
    }
}

static void use_requests(const listwatch::client &client, const lw_gvr &maps)
{
    listwatch::error err;
    const listwatch::object map = listwatch::object::from_json(
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
        "\"namespace\":\"default\",\"labels\":{\"app\":\"cpp\"}},\"data\":{\"k\":\"1\"}}",
        err);
    check(bool(map), "object", err);
    listwatch::object made = client.create(maps, map, err);
    check(made && made.string("/data/k") == "1", "create", err);
    made = client.patch(maps, "default", "a", "{\"data\":{\"k\":\"2\"}}", err);
    check(made && made.string("/data/k") == "2", "patch", err);
    const listwatch::object copy = made;
    check(client.get_object(maps, "default", "a", err).uid() == copy.uid(), "get", err);
    check(!client.get_object(maps, "default", "none", err) && err.code() == LW_ERR_NOT_FOUND &&
              err.http_status() == 404,
          "get of nothing", err);
    std::size_t count = 0;
    for (const listwatch::object &obj : client.list(maps, err))
        count += obj.label("app") == "cpp";
    check(count == 1, "list", err);
    check(!listwatch::object::from_json("{", err) && err.code() == LW_ERR_SYNTAX, "syntax", err);
}

int main(int argc, char **argv)
{
    listwatch::error err;
    listwatch::config::options where;
    where.server = argc > 1 ? argv[1] : nullptr;
    listwatch::config config;
    listwatch::client client;
    lw_resource maps;
    if (!config.load(where, err) || !client.open(config, err) || !client.find("cm", maps, err))
        return std::printf("failed: %s\n", err.message()), 1;
    use_requests(client, maps.gvr);

    std::mutex mutex;
    std::condition_variable changed;
    std::string told;
    listwatch::factory factory;
    listwatch::factory::options shared;
    shared.client = client.get();
    shared.label_selector = "app=cpp";
    check(factory.open(shared, err), "factory", err);
    listwatch::informer informer = factory.make("configmaps", err);
    check(informer && informer.add_index("k", "/data/k", err), "informer", err);
    check(informer.on_event(
              [&](const lw_event &event) {
                  std::lock_guard<std::mutex> lock(mutex);
                  told += lw_event_type_name(event.type);
                  changed.notify_all();
              },
              err),
          "handler", err);
    check(factory.start(err) && factory.wait_for_sync(30, err), "sync", err);
    check(informer.cache().count() == 1 && informer.cache().list("default", "app=cpp").size() == 1,
          "lister", err);
    check(informer.cache().by_index("k", "2", err).size() == 1, "index", err);
    check(bool(informer.cache().get("default", "a")), "lister get", err);

    std::string keys;
    listwatch::reconciler reconciler;
    check(reconciler.open(
              "maps",
              [&](lw_key key, lw_reconcile_result &, listwatch::error &failure) {
                  std::lock_guard<std::mutex> lock(mutex);
                  keys += std::string(listwatch::view(key.name));
                  changed.notify_all();
                  return keys.size() < 2 ? failure.set(LW_ERR_UNAVAILABLE, "again") : LW_OK;
              },
              err) &&
              reconciler.watch(informer, err) && reconciler.start(err),
          "reconciler", err);
    check(client.remove(maps.gvr, "default", "a", err), "delete", err);
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return told == "ADDDELETE" && keys.size() >= 2; });
    }
    std::puts(failures ? "failed" : "done");
    return failures != 0;
}
