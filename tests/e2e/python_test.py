#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_test.py -- the Python package in python/, against a server.

    python_test.py PROGRAM LIBRARY PACKAGE      (PACKAGE: the folder that contains listwatch/)"""

import asyncio
import gc
import os
import signal
import sys
import threading

from serving import Server, run_tests

os.environ["LISTWATCH_LIBRARY"] = os.path.abspath(sys.argv[2])
sys.path.insert(0, sys.argv[3])
try:
    import cffi  # noqa: F401
except ImportError:
    print("1..0 # SKIP python3-cffi is not installed")
    sys.exit(0)

import listwatch  # noqa: E402  (after the path is set)
from listwatch import AsyncClient, Client, Informer, Object, reconciler  # noqa: E402

server = None


def config_map(name, labels=None, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
            "data": data}


def expect(value, wanted):
    assert value == wanted, f"{value!r}, but expected {wanted!r}"


def expect_error(kind, function, *args, **options):
    try:
        function(*args, **options)
    except kind as failure:
        return failure
    raise AssertionError(f"no {kind.__name__}")


def objects_are_read_lazily_and_compare_with_dicts(_):
    plain = {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "p", "namespace": "n", "labels": {"a/b": "x", "c~d": "y"}},
             "spec": {"containers": [{"name": "c1", "ports": [{"containerPort": 80}]},
                                     {"name": "c2"}], "n": 1.5, "t": True, "z": None}}
    pod = Object(plain)
    expect(pod.key, "n/p")
    expect(pod["spec"]["containers"][-1]["name"], "c2")
    expect([c["name"] for c in pod["spec"]["containers"]], ["c1", "c2"])
    expect([p["containerPort"] for c in pod["spec"]["containers"] for p in c.get("ports", [])],
           [80])
    expect((pod["spec"]["n"], pod["spec"]["t"], pod["spec"]["z"]), (1.5, True, None))
    expect(pod["metadata"]["labels"]["a/b"] + pod["metadata"]["labels"]["c~d"], "xy")
    expect(dict(pod["metadata"]["labels"]), {"a/b": "x", "c~d": "y"})
    expect(list(pod), list(plain))
    expect(len(pod["spec"]["containers"]), 2)
    expect(pod.to_dict(), plain)
    expect(pod["spec"]["containers"] == plain["spec"]["containers"], True)
    expect(pod.label("a/b"), "x")
    expect_error(KeyError, lambda: pod["nothing"])
    expect_error(IndexError, lambda: pod["spec"]["containers"][2])
    error = expect_error(listwatch.Invalid, Object, "{")
    assert error.message, error
    containers = pod["spec"]["containers"]
    del pod
    gc.collect()
    expect(containers[0]["name"], "c1")  # a part keeps its object


def requests_write_read_and_delete(_):
    with Client(server=server.url()) as client:
        made = client.create("configmaps", config_map("a", k="1"))
        expect(made["data"]["k"], "1")
        changed = made.to_dict()
        changed["data"]["k"] = "2"
        expect(client.update("cm", changed)["data"]["k"], "2")
        error = expect_error(listwatch.Conflict, client.update, "cm", changed)
        expect((error.status, error.reason), (409, "Conflict"))
        expect(client.patch("cm", "a", {"data": {"k": "3"}})["data"]["k"], "3")
        expect(client.patch("cm", "a", [{"op": "replace", "path": "/data/k", "value": "4"}],
                            type="json")["data"]["k"], "4")
        applied = config_map("a", k="5")
        expect_error(listwatch.Conflict, client.apply, "cm", applied, field_manager="m")
        expect(client.apply("cm", applied, field_manager="m", force=True)["data"]["k"], "5")
        for number in range(5):
            client.create("cm", config_map(f"page-{number}", {"page": "y"}))
        pages = client.list("cm", label_selector="page=y", limit=2)
        expect(sorted(one.name for one in pages), [f"page-{number}" for number in range(5)])
        expect({one.kind for one in pages}, {"ConfigMap"})
        client.delete("cm", "a")
        error = expect_error(listwatch.NotFound, client.get, "cm", "a")
        expect((error.status, error.reason, "configmaps" in error.message),
               (404, "NotFound", True))
        expect_error(listwatch.NotFound, client.get, "nonsense", "a")
    expect_error(listwatch.Stopped, client.get, "cm", "a")


def asynchronous_requests_run_together_and_can_be_cancelled(_):
    async def main():
        async with AsyncClient(server=server.url()) as client:
            await asyncio.gather(*(client.create("cm", config_map(f"async-{n}"))
                                   for n in range(20)))
            names = {one.name for one in await client.list("cm", namespace="default")}
            assert {f"async-{n}" for n in range(20)} <= names, names
            task = asyncio.ensure_future(client.get("cm", "async-1"))
            await asyncio.sleep(0)
            task.cancel()
            try:
                await task
                raise AssertionError("it was not cancelled")
            except asyncio.CancelledError:
                pass
            expect((await client.get("cm", "async-2")).name, "async-2")
    asyncio.run(main())


def an_informer_tells_initial_objects_then_changes(_):
    with Client(server=server.url()) as client:
        client.create("cm", config_map("i1", {"app": "inf"}, node="x"))
        with Informer("configmaps", client=client, namespace="default", label_selector="app=inf",
                      indexes={"node": "/data/node"}) as informer:
            informer.wait_for_sync(30)
            events = informer.events(timeout=30)
            first = next(events)
            expect((first.type, first.cause, first.key, first.old),
                   ("ADD", "initial", "default/i1", None))
            client.patch("cm", "i1", {"data": {"k": "2"}})
            second = next(events)
            expect((second.type, second.object["data"]["k"], "k" in second.old["data"]),
                   ("UPDATE", "2", False))
            client.create("cm", config_map("i2", {"app": "inf"}, node="y"))
            expect(next(events).key, "default/i2")
            expect(informer.get("default/i1")["data"]["k"], "2")
            expect(informer.get("default/none"), None)
            expect(len(informer), 2)
            expect("default/i2" in informer, True)
            expect(sorted(one.name for one in informer.list("default", "app in (inf)")),
                   ["i1", "i2"])
            expect([one.name for one in informer.by_index("node", "y")], ["i2"])
            expect_error(listwatch.NotFound, informer.by_index, "none", "y")
            expect_error(listwatch.Invalid, informer.list, None, "a in (")
            client.delete("cm", "i1")
            third = next(events)
            expect((third.type, third.object["data"]["k"]), ("DELETE", "2"))
        expect(list(events), [])  # closed: the iteration ends
        expect_error(listwatch.Stopped, len, informer)


def events_are_taken_in_batches_and_outlive_the_informer(_):
    with Client(server=server.url(), read_interval=0) as client:
        for number in range(300):  # more than a batch
            client.create("secrets", {"metadata": {"name": f"b{number}", "labels": {"app": "b"}}})
        informer = Informer("secrets", client=client, label_selector="app=b")
        kept = [event for event, _ in zip(informer, range(299))]  # ends inside the second batch
        expect(len({event.key for event in kept}), 299)
        client.patch("secrets", "b7", {"data": {"k": "eA=="}})
        events = informer.events(timeout=30)
        last = next(event for event in events if event.object.name == "b7" and
                    "data" in event.object)
        informer.close()
        rest = list(events)  # of the batch; then the iteration ends
        expect(len(rest) < 256 and all(event.key.startswith("default/b") for event in rest), True)
        expect(last.object["data"]["k"], "eA==")
        expect(kept[0].object.label("app"), "b")
        expect_error(ValueError, kept[0].object.label, "a\0")


def two_informers_with_the_same_options_share_a_cache_and_end_alone(_):
    with Client(server=server.url()) as client:
        client.create("cm", config_map("shared", {"app": "shared"}))
        one = Informer("cm", client=client, label_selector="app=shared").start()
        two = Informer("cm", client=client, label_selector="app=shared").start()
        two.wait_for_sync(30)
        one.close()
        expect(len(two), 1)


def an_iteration_ends_when_another_thread_closes_the_informer(_):
    informer = Informer("namespaces", client=Client(server=server.url()),
                        field_selector="metadata.name=default")
    seen, has_begun = [], threading.Event()

    def iterate():
        for event in informer:
            seen.append(event.key)
            has_begun.set()
        seen.append("end")

    thread = threading.Thread(target=iterate)
    thread.start()
    expect(has_begun.wait(30), True)
    informer.close()
    thread.join(30)
    expect((thread.is_alive(), seen), (False, ["default", "end"]))


def a_wait_for_sync_that_times_out_names_the_reason(_):
    with Client(server="http://127.0.0.1:1") as client:
        informer = Informer("pods", client=client)
        error = expect_error(listwatch.Timeout, informer.wait_for_sync, 0.3)
        assert isinstance(error, TimeoutError) and "pods" in error.message, error
        expect_error(listwatch.Unavailable, client.get, "pods", "a", timeout=5)


def ctrl_c_ends_an_iteration(_):
    with Informer("secrets", client=Client(server=server.url())) as informer:
        informer.wait_for_sync(30)
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        expect_error(KeyboardInterrupt, lambda: [event for event in informer])
        timer.join()


def asyncio_gets_events_and_reads_the_cache_without_a_thread(_):
    async def main():
        threads = threading.active_count()
        tasks = len(os.listdir("/proc/self/task"))
        async with AsyncClient(server=server.url()) as client:
            await client.create("cm", config_map("l1", {"app": "loop"}))
            async with Informer("cm", client=client, label_selector="app=loop") as informer:
                await informer.wait_synced(30)
                events = informer.__aiter__()
                expect((await asyncio.wait_for(events.__anext__(), 30)).key, "default/l1")
                await client.patch("cm", "l1", {"data": {"k": "2"}})
                update = await asyncio.wait_for(events.__anext__(), 30)
                expect((update.type, update.object["data"]["k"]), ("UPDATE", "2"))
                expect(informer.get("default/l1")["data"]["k"], "2")
                expect(threading.active_count(), threads)
                expect(len(os.listdir("/proc/self/task")), tasks)
                waiting = asyncio.ensure_future(events.__anext__())
                await asyncio.sleep(0)
                informer.close()
                try:
                    await asyncio.wait_for(waiting, 30)
                    raise AssertionError("the iteration did not end")
                except StopAsyncIteration:
                    pass
    asyncio.run(main())


def a_reconciler_reconciles_each_object_and_retries_a_failure(_):
    with Client(server=server.url()) as client:
        client.create("cm", config_map("r1", {"app": "rec"}))
        calls = []

        @reconciler("configmaps", label_selector="app=rec")
        def maps(request):
            calls.append((request.key, request.object and request.object.name))
            if len(calls) == 1:
                raise ValueError("not yet")
            if len(calls) == 2:
                request.client.delete("cm", request.name, namespace=request.namespace)
            if request.object is None:
                maps.stop()

        maps.run(client)
        expect(calls[0], ("default/r1", "r1"))
        expect(calls[-1], ("default/r1", None))


def an_owner_is_reconciled_when_its_object_changes_in_threads(_):
    with Client(server=server.url()) as client:
        owner = client.create("cm", config_map("o1", {"app": "own"}))
        seen = []

        @reconciler("configmaps", owns=["secrets"], workers=3, label_selector="app=own")
        def maps(request):
            seen.append(request.key)
            if len(seen) == 1:
                request.client.create("secrets", {
                    "apiVersion": "v1", "kind": "Secret", "metadata": {
                        "name": "owned", "namespace": "default", "ownerReferences": [{
                            "apiVersion": "v1", "kind": "ConfigMap", "name": "o1",
                            "uid": owner.uid, "controller": True}]}})
            else:
                maps.stop()

        maps.run(client)
        expect(seen[:2], ["default/o1", "default/o1"])


def a_coroutine_reconciles_in_the_event_loop(_):
    async def main():
        async with AsyncClient(server=server.url()) as client:
            await client.create("cm", config_map("c1", {"app": "coro"}))
            seen = []

            @reconciler("configmaps", label_selector="app=coro", workers=2)
            async def maps(request):
                seen.append((await request.client.get("cm", request.name)).name)
                if len(seen) == 1:
                    return 0.01  # again
                maps.stop()

            await asyncio.wait_for(maps.run_async(client), 30)
            expect(seen[:2], ["c1", "c1"])
    asyncio.run(main())


def nothing_leaks(_):
    def use():
        with Client(server=server.url()) as client:
            with Informer("cm", client=client) as informer:
                informer.wait_for_sync(30)
                next(informer.events(timeout=30))
                client.list("cm")

    use()
    gc.collect()
    before = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    for _ in range(5):
        use()
    gc.collect()
    expect((len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))), before)
    expect([one for one in gc.get_objects() if isinstance(one, Client) and not one.is_closed], [])


def main():
    global server
    server = Server(sys.argv[1], memory=True).start()
    try:
        run_tests([objects_are_read_lazily_and_compare_with_dicts, requests_write_read_and_delete,
                   asynchronous_requests_run_together_and_can_be_cancelled,
                   an_informer_tells_initial_objects_then_changes,
                   events_are_taken_in_batches_and_outlive_the_informer,
                   two_informers_with_the_same_options_share_a_cache_and_end_alone,
                   an_iteration_ends_when_another_thread_closes_the_informer,
                   a_wait_for_sync_that_times_out_names_the_reason, ctrl_c_ends_an_iteration,
                   asyncio_gets_events_and_reads_the_cache_without_a_thread,
                   a_reconciler_reconciles_each_object_and_retries_a_failure,
                   an_owner_is_reconciled_when_its_object_changes_in_threads,
                   a_coroutine_reconciles_in_the_event_loop, nothing_leaks])
    finally:
        server.remove()


main()
