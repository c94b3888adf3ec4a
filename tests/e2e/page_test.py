# SPDX-License-Identifier: Apache-2.0
"""page_test.py -- the page as a person has it: in a browser, on a server of its own.

usage: page_test.py LISTWATCH"""

import contextlib
import gzip
import http.client
import json
import os
import re
import signal
import ssl
import tempfile
import time

from browser import Browser, missing
from serving import CONFIGMAPS, Server, config_map, run_tests

MAPS = "/#/k/configmaps.v1"
ROW = "[data-key='default/{}']"
SECRET = "c3dvcmRmaXNo"  # "swordfish"
ODD_TEXTS = ["yes", "n", "null", "~", "", " ", "1", "1e3", "0x1F", "1_000", "12:30:45", "2001-01-01", ".", "-", "- a",
             "a: b", "a:", "a:b", ":a", "a #b", "#a", "'a", '"a"', "[a]", "{a}", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a",
             "=", "<<", "? a", " a", "a ", "a\\n", "tab\there", "a\nb", "a\nb\n", "a\n\nb\n\n", "\na", "a\n  b\n", "  a\nb",
             "a \nb", "a\r\nb", "a\tb\n", "\u00e9", "\u2028", "\u0085a\nb", "\u2029a\nb", "\x7f", "\ufeffa", "\U0001f600", "\x01"]
ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"
NAMED = "document.querySelector('.grid-row[data-key=\"' + a[0] + '\"]')"


@contextlib.contextmanager
def page_on(program, path, memory=True, options=(), **browser_options):
    """A server and a browser that shows |path| of it; at the end the console must be silent, and no
    request must have gone anywhere else."""
    server = Server(program, memory=memory, options=options).start()
    browser = Browser(**browser_options)
    try:
        server.call("POST", CONFIGMAPS, config_map("first", a="1"))
        browser.open(server.url() + path)
        yield server, browser
        elsewhere = [url for url in browser.requests()
                     if not re.match(rf"(http|ws)://127\.0\.0\.1:{server.port}/|data:|chrome:", url)]
        assert elsewhere == [], elsewhere
        bad = [m for m in browser.messages() if "WebSocket connection" not in m["message"]
               and "ERR_CONNECTION_REFUSED" not in m["message"]]
        assert bad == [], bad
    finally:
        browser.close()
        server.remove()


def in_browser(test):
    """Skips |test| where there is no browser."""
    def run(program):
        return missing() or test(program)
    run.__name__ = test.__name__
    return run


def fetch(server, path, **headers):
    connection = server.connect()
    connection.request("GET", path, headers=headers)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply, body


def browsers_get_the_page_and_programs_the_paths(program):
    server = Server(program, memory=True).start()
    try:
        reply, body = fetch(server, "/", Accept="text/html,*/*;q=0.8")
        assert reply.status == 200 and b"<!doctype html>" in body
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
        reply, again = fetch(server, "/", **{"Accept": "text/html", "If-None-Match": reply.headers["ETag"]})
        assert (reply.status, again) == (304, b"")
        reply, packed = fetch(server, "/ui/app.js", **{"Accept-Encoding": "gzip"})
        assert reply.headers["Content-Encoding"] == "gzip"
        reply, plain = fetch(server, "/ui/app.js")
        assert gzip.decompress(packed) == plain and b"import" in plain
        assert fetch(server, "/ui/none.js")[0].status == 404
        reply, body = fetch(server, "/")
        assert "/api/v1" in json.loads(body)["paths"]
    finally:
        server.remove()


def everybody_gets_the_page_and_only_the_known_its_figures(program):
    server = Server(program, memory=True).start()
    try:
        anybody = ssl._create_unverified_context()  # the certificate is the server's own

        def status(path, **headers):
            connection = http.client.HTTPSConnection("127.0.0.1", server.tls_port, context=anybody)
            connection.request("GET", path, headers=headers)
            code = connection.getresponse().status
            connection.close()
            return code

        assert status("/", Accept="text/html") == 200
        assert status("/ui/app.js") == 200
        assert status("/") == 403
        assert status("/debug/listwatch", Accept="text/html") == 403
        assert status("/debug/listwatch/informers") == 403
        assert fetch(server, "/ui/app.js", Host="elsewhere.example")[0].status == 403
        assert fetch(server, "/debug/listwatch", Origin="http://elsewhere.example")[0].status == 403
    finally:
        server.remove()


def the_informers_of_controllers_are_told(program):
    server = Server(program, memory=True, options=["--controllers"]).start()
    try:
        told, end = [], time.monotonic() + 30
        while not (told and all(one["is_synced"] for one in told)) and time.monotonic() < end:
            time.sleep(0.1)
            told = server.call("GET", "/debug/listwatch")[1]["informers"]
        assert "pods" in [one["resource"] for one in told if one["is_synced"]], told
        assert server.stop() == 0
    finally:
        server.remove()


@in_browser
def shows_kinds_and_objects(program):
    with page_on(program, "/") as (_, browser):
        browser.wait_text(".nav .item", "Config Map")
        browser.wait_text(".tile", "Writes per second")
        browser.click(".nav a[href='#/k/configmaps.v1']")
        browser.wait_text(ROW.format("first"), "first")
        browser.wait_text(".state", "Live")
        browser.wait("document.title === 'ConfigMap · listwatch'")


@in_browser
def a_change_is_seen_within_a_second(program):
    with page_on(program, MAPS) as (server, browser):
        browser.wait_text(".state", "Live")
        for number in range(5):
            server.call("POST", CONFIGMAPS, config_map(f"new-{number}"))
            at = time.monotonic()
            browser.wait(NAMED + " !== null", f"default/new-{number}")
            took = time.monotonic() - at
            assert took < 1, f"{took:.3f} s"
        server.call("DELETE", CONFIGMAPS + "/new-3")
        browser.wait(NAMED + " === null", "default/new-3", timeout=1)


@in_browser
def survives_a_restart_of_the_server(program):
    with page_on(program, MAPS, memory=False) as (server, browser):
        browser.wait_text(".state", "Live")
        server.kill()
        browser.wait_text(".state", "Reconnecting")
        browser.wait_text(".state", "Stale")
        server.start()
        server.call("POST", CONFIGMAPS, config_map("after"))
        browser.wait(NAMED + " !== null", "default/after")
        browser.wait_text(".state", "Live")
        assert browser.run(NAMED + " !== null", "default/first")


@in_browser
def follows_a_server_that_begins_anew(program):
    with page_on(program, MAPS) as (server, browser):
        for number in range(20):
            server.call("POST", CONFIGMAPS, config_map(f"old-{number}"))
        browser.wait(NAMED + " !== null", "default/old-19")
        server.kill()
        server.start()  # in memory: its revisions begin anew
        browser.wait(NAMED + " === null", "default/old-19")
        server.call("POST", CONFIGMAPS, config_map("young"))
        browser.wait(NAMED + " !== null", "default/young")


@in_browser
def lists_again_when_the_revision_is_gone(program):
    with page_on(program, MAPS, options=["--history-size", "64K"]) as (server, browser):
        browser.wait_text(".state", "Live")
        connection = server.connect()
        for number in range(60):
            server.call("PUT", CONFIGMAPS + "/first", config_map("first", a=str(number) * 4000),
                        connection)
        connection.close()
        browser.run("""import('/ui/live.js').then(({ Live }) => {
            let isFirst = true;
            window.late = new Live({ name: 'late', path: '/api/v1/configmaps' }, {
              onReset: () => { if (isFirst) window.late.revision = '1'; isFirst = false; } });
            window.late.start();
          }) && true""")
        browser.wait("window.late && window.late.lists === 2 && window.late.state === 'live'")
        browser.run("window.late.stop() || true")


@in_browser
def an_edit_is_saved_and_a_conflict_shows_both_sides(program):
    with page_on(program, MAPS + "?o=default/first") as (server, browser):
        change = "document.querySelector('.editor textarea').value = " \
                 "document.querySelector('.editor textarea').value.replace(/a: .*/, 'a: ' + a[0])"
        value = lambda: server.call("GET", CONFIGMAPS + "/first")[1]["data"]["a"]
        browser.wait_text(".code", "kind: ConfigMap")
        browser.click("[data-role=edit]")
        browser.run(change, "mine-1")
        browser.click("[data-role=save]")
        browser.wait_text(".code", "a: mine-1")
        assert value() == "mine-1"
        browser.click("[data-role=edit]")
        browser.run(change, "mine-2")
        server.call("PUT", CONFIGMAPS + "/first", config_map("first", a="theirs"))
        browser.click("[data-role=save]")
        browser.wait_text(".diff .theirs", "a: theirs")
        browser.wait_text(".diff .mine", "a: mine-2")
        assert value() == "theirs"
        browser.click("[data-role=overwrite]")
        browser.wait_text(".code", "a: mine-2")
        assert value() == "mine-2"
        browser.click("[data-role=edit]")
        browser.run(change, "mine-3")
        server.call("PUT", CONFIGMAPS + "/first", config_map("first", a="theirs again"))
        browser.click("[data-role=save]")
        browser.click("[data-role=theirs]")
        browser.wait_text(".code", "a: theirs again")
        assert value() == "theirs again"
        # The server's refusals of a PUT are on the console, by the browser's own hand.
        said = browser.messages()
        assert all("409" in m["message"] for m in said), said


@in_browser
def what_is_edited_reads_back_as_it_was(program):
    with page_on(program, MAPS) as (server, browser):
        data = {f"k{number}": text for number, text in enumerate(ODD_TEXTS)}
        data |= {key: "odd key" for key in ("yes", "1", "null", "1.5", "on", "-")}
        server.call("POST", CONFIGMAPS, config_map("odd", **data))
        browser.run("(location.hash = '#/k/configmaps.v1?o=default/odd', true)")
        browser.wait_text(".code", "k0:")
        browser.click("[data-role=edit]")
        browser.run("document.querySelector('.editor textarea').value += 'immutable: false\\n'")
        browser.click("[data-role=save]")
        browser.wait_text(".code", "immutable: false")
        saved = server.call("GET", CONFIGMAPS + "/odd")[1]["data"]
        assert saved == data, {key: (data[key], saved.get(key)) for key in data if data[key] != saved.get(key)}


def link_of(server):
    """A link that signs in."""
    log = server.folder + "/server.log"
    server.process.send_signal(signal.SIGUSR1)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with open(log, encoding="utf-8") as lines:
            found = re.findall(r"page: (\S+/#/sign-in/\S+)", lines.read())
        if found:
            os.truncate(log, 0)
            return found[-1]
        time.sleep(0.01)
    raise AssertionError("no link was printed")


@contextlib.contextmanager
def page_over_tls(program, options=()):
    server = Server(program, memory=False, options=options).start()
    browser = Browser()
    try:
        server.call("POST", CONFIGMAPS, config_map("first", a="1"))
        yield server, browser, f"https://127.0.0.1:{server.tls_port}"
    finally:
        browser.close()
        server.remove()


@in_browser
def a_link_signs_in_and_the_user_can_sign_out(program):
    with page_over_tls(program) as (server, browser, origin):
        link = link_of(server)
        browser.open(link)
        browser.wait_text("[data-role=user]", "system:admin")
        assert browser.run("location.href") == origin + "/#/", "the secret stays in the address"
        assert browser.run("document.cookie") == ""
        browser.open(origin + MAPS)  # with the cookie, over a WebSocket too
        browser.wait_text(ROW.format("first"), "first")
        server.call("POST", CONFIGMAPS, config_map("by-watch"))
        browser.wait(NAMED + " !== null", "default/by-watch")
        cookies = browser.call("GET", "/cookie")
        assert len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["secure"], cookies
        assert cookies[0]["sameSite"] == "Strict", cookies
        browser.click("[data-role=user]")
        browser.wait_text("dialog", "system:masters")
        browser.wait_text("dialog", "with a link")
        browser.click("[data-role=sign-out]")
        browser.wait_text("dialog", "enter a bearer token")
        assert browser.call("GET", "/cookie") == []
        browser.call("POST", "/cookie", {"cookie": cookies[0]})  # somebody has kept it
        browser.open(origin + "/#/changes")
        browser.wait_text("dialog", "enter a bearer token")
        browser.open("about:blank")
        browser.open(link)  # replayed
        browser.wait_text("dialog .error", "it was used before")
        browser.open(link_of(server))  # in the same tab: only the part after # differs
        browser.wait_text("[data-role=user]", "system:admin")


@in_browser
def offers_only_what_the_user_may_do(program):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as tokens:
        tokens.write("janes-token,jane,1\n")
        tokens.flush()
        os.chmod(tokens.name, 0o600)
        options = ["--token-file", tokens.name]
        with page_over_tls(program, options) as (server, browser, origin):
            rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
            binding = {"kind": "RoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
                       "metadata": {"name": "jane"}, "subjects": [{"kind": "User", "name": "jane"}],
                       "roleRef": {"kind": "ClusterRole", "name": "view"}}
            assert server.call("POST", rbac, binding)[0] == 201
            browser.open(origin + MAPS)
            browser.type("dialog input", "janes-token" + ENTER)
            browser.wait_text("[data-role=user]", "jane")
            browser.wait_text("[role=alert]", "You (jane) may not list configmaps in the whole cluster.")
            browser.open(origin + "/#/")
            browser.wait_text(".view", "You are signed in as jane")
            browser.run("document.querySelector('.namespaces').value = '/'")
            browser.run("document.querySelector('.namespaces').dispatchEvent(new Event('change'))")
            browser.type("dialog input", "default" + ENTER)
            browser.wait_text(".nav .item", "Config Map")
            shown = browser.run("[...document.querySelectorAll('.nav .item .name')].map(e => e.innerText)")
            assert "Secret" not in shown and "Node" not in shown and "Pipeline" not in shown, shown
            browser.open(origin + MAPS + "?ns=default&o=default/first")
            browser.wait_text(".code", "kind: ConfigMap")
            for role in ["edit", "delete", "new"]:
                assert browser.run("document.querySelector(`[data-role=${a[0]}]`).hidden", role), role
            binding["metadata"]["name"], binding["roleRef"]["name"] = "jane-edits", "edit"
            assert server.call("POST", rbac, binding)[0] == 201
            browser.open("about:blank")
            browser.open(origin + MAPS + "?ns=default&o=default/first")
            for role in ["edit", "delete", "new"]:
                browser.wait("document.querySelector(`[data-role=${a[0]}]`)?.hidden === false", role)
            browser.click("[data-role=delete]")
            assert server.call("DELETE", rbac + "/jane-edits")[0] == 200
            browser.click("[data-role=confirm]")
            browser.wait_text(".toast", "You (jane) may not delete configmaps in the namespace default.")


@in_browser
def asks_for_a_token_when_the_server_does(program):
    server = Server(program, memory=False).start()
    browser = Browser()
    try:
        browser.open(f"https://127.0.0.1:{server.tls_port}/#/k/configmaps.v1")
        browser.wait_text("dialog", "Sign in")
        browser.type("dialog input", "wrong" + ENTER)
        browser.wait_text("dialog .error", "does not accept")
        with open(server.folder + "/data/admin.kubeconfig", encoding="utf-8") as config:
            token = re.search(r"token: (\S+)", config.read())[1].strip('"')
        browser.run("document.querySelector('dialog input').value = ''")
        browser.type("dialog input", token + ENTER)
        browser.wait_text(".state", "Live")
        server.call("POST", CONFIGMAPS, config_map("behind-a-token"))
        browser.wait(NAMED + " !== null", "default/behind-a-token")
        assert browser.run("JSON.stringify({ ...localStorage })") == "{}"
    finally:
        browser.close()
        server.remove()


@in_browser
def a_secret_is_masked_until_asked_for(program):
    with page_on(program, "/#/k/secrets.v1?o=default/key") as (server, browser):
        secret = {"metadata": {"name": "key", "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": SECRET}}, "data": {"word": SECRET}}
        server.call("POST", "/api/v1/namespaces/default/secrets", secret)
        browser.wait_text(".masked", "hidden")
        browser.wait_text(".code", "word:")
        assert SECRET not in browser.run("document.documentElement.outerHTML")
        browser.click("[data-role=reveal]")
        browser.wait_text(".code", SECRET)
        browser.click("[data-role=reveal]")
        browser.wait("!document.documentElement.outerHTML.includes(a[0])", SECRET)


@in_browser
def creates_and_deletes_after_a_question(program):
    with page_on(program, MAPS) as (server, browser):
        browser.wait_text(".state", "Live")
        browser.press("n")
        browser.wait_text("dialog", "New object")
        browser.run("document.querySelector('dialog textarea').value = "
                    "'apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  name: made-here\\n  namespace: default\\n'")
        browser.click("[data-role=create]")
        browser.wait_text(".object-head", "made-here")
        browser.wait_text(".code", "kind: ConfigMap")
        browser.click("[data-role=delete]")
        browser.wait_text("dialog", "Delete made-here?")
        browser.press(ESCAPE)
        browser.wait("document.querySelector('dialog') === null")
        assert server.call("GET", CONFIGMAPS + "/made-here")[0] == 200
        browser.click("[data-role=delete]")
        browser.click("[data-role=confirm]")
        browser.wait(NAMED + " === null", "default/made-here")
        assert server.call("GET", CONFIGMAPS + "/made-here")[0] == 404


@in_browser
def is_used_by_keyboard_alone(program):
    with page_on(program, MAPS) as (server, browser):
        for name in ("apple", "banana", "cherry"):
            server.call("POST", CONFIGMAPS, config_map(name))
        browser.wait(NAMED + " !== null", "default/cherry")
        browser.press("/")
        browser.wait("document.activeElement.type === 'search'")
        browser.press(*"an")
        browser.wait("document.querySelectorAll('.grid-row').length === 1")
        browser.press(ESCAPE)
        browser.wait("document.activeElement.dataset.key === 'default/apple'")
        browser.press(DOWN)
        browser.wait("document.activeElement.dataset.key === 'default/banana'")
        browser.press(ENTER)
        browser.wait_text(".object-head h2", "banana")
        browser.press(ESCAPE)
        browser.wait("document.getElementById('panel').hidden")
        browser.wait("document.activeElement.dataset.key === 'default/banana'")


@in_browser
def a_long_list_is_capped_and_only_what_is_in_sight_is_drawn(program):
    with page_on(program, "/") as (server, browser):
        connection = server.connect()
        for number in range(10010):
            server.call("POST", CONFIGMAPS, config_map(f"m-{number:05}"), connection)
        connection.close()
        browser.run("(location.hash = '#/k/configmaps.v1', true)")
        browser.wait_text(".notice", "12 more are on the server", timeout=30)
        assert browser.run("document.querySelectorAll('.grid-row').length") < 100
        browser.run("(document.querySelector('.grid').scrollTop = 5000 * 38, true)")
        browser.wait(NAMED + " !== null", "default/m-05000")


@in_browser
def a_new_kind_appears_by_itself(program):
    with page_on(program, "/") as (server, browser):
        browser.wait_text(".state", "Live")
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": "widgets.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                               "listKind": "WidgetList"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": schema}]}})
        path = "/apis/example.com/v1/namespaces/default/widgets"
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w-1"}}
        end = time.monotonic() + 10
        while server.call("POST", path, widget)[0] not in (201, 409) and time.monotonic() < end:
            time.sleep(0.05)
        browser.click(".nav a[href='#/k/widgets.v1.example.com']")
        browser.wait(NAMED + " !== null", "default/w-1")


@in_browser
def the_stream_tells_each_change(program):
    with page_on(program, "/#/changes") as (server, browser):
        browser.wait_text(".state", "Live")
        server.call("POST", CONFIGMAPS, config_map("told"))
        server.call("DELETE", CONFIGMAPS + "/told")
        browser.wait_text(".change", "told")
        browser.wait("['Deleted', 'Added'].every((word, at) => "
                     "document.querySelectorAll('.change .sign')[at]?.innerText === word)")


@in_browser
def the_pipeline_shows_watchers_and_informers(program):
    with page_on(program, "/") as (server, browser):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/api/v1/pods?watch=1", headers={"User-Agent": "somebody/2"})
        connection.sock.settimeout(30)
        report = {"reporter": "far-away", "informers": [{"resource": "services", "is_synced": True}]}
        post = server.connect()
        post.request("POST", "/debug/listwatch/informers", json.dumps(report))
        assert post.getresponse().status == 200
        post.close()
        browser.wait_text(".picture", "somebody")
        browser.wait_text(".rows", "far-away")
        connection.close()


@in_browser
def fits_a_phone_in_the_dark(program):
    with page_on(program, "/", size=(390, 844), theme="dark") as (_, browser):
        for path in ("#/", "#/changes", "#/k/configmaps.v1", "#/k/configmaps.v1?o=default/first"):
            browser.run("(location.hash = a[0], true)", path)
            browser.wait_text(".state", "Live")
            assert browser.run("document.documentElement.scrollWidth") <= 390, path
        browser.wait("getComputedStyle(document.body).backgroundColor === 'rgb(15, 19, 26)'")


run_tests([browsers_get_the_page_and_programs_the_paths,
           everybody_gets_the_page_and_only_the_known_its_figures,
           the_informers_of_controllers_are_told, shows_kinds_and_objects,
           a_change_is_seen_within_a_second, survives_a_restart_of_the_server,
           follows_a_server_that_begins_anew, lists_again_when_the_revision_is_gone,
           an_edit_is_saved_and_a_conflict_shows_both_sides,
           what_is_edited_reads_back_as_it_was, asks_for_a_token_when_the_server_does,
           a_link_signs_in_and_the_user_can_sign_out, offers_only_what_the_user_may_do,
           a_secret_is_masked_until_asked_for, creates_and_deletes_after_a_question,
           is_used_by_keyboard_alone,
           a_long_list_is_capped_and_only_what_is_in_sight_is_drawn, a_new_kind_appears_by_itself, the_stream_tells_each_change,
           the_pipeline_shows_watchers_and_informers, fits_a_phone_in_the_dark])
