# SPDX-License-Identifier: Apache-2.0
"""browser.py -- headless Chromium, driven through WebDriver (plain HTTP and JSON); finds and waits,
and knows what the page logged and asked for."""

import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls a reference to an element
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


def missing():
    """Why there is no browser to test with; None when there is one."""
    if CHROMIUM and DRIVER:
        return None
    return "no chromium and chromedriver here (make test-page fetches them)"


class Browser:
    """One window; |size| in CSS pixels, |theme| "dark" or "light"."""

    def __init__(self, size=(1280, 800), theme="light"):
        self.folder = tempfile.mkdtemp()
        self.log = open(self.folder + "/driver.log", "w+")
        self.process = subprocess.Popen([DRIVER, "--port=0"], stdout=self.log, stderr=self.log)
        self.port = self.await_port()
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                     f"--user-data-dir={self.folder}/profile", f"--window-size={size[0]},{size[1]}"]
        wanted = {"browserName": "chrome", "acceptInsecureCerts": True,
                  "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.base = ""
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base = "/session/" + made["sessionId"]
        self.set_size(*size)
        self.set_theme(theme)

    def await_port(self, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with open(self.folder + "/driver.log", encoding="utf-8") as log:
                found = re.search(r"started successfully on port (\d+)", log.read())
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("chromedriver does not start; see " + self.folder)

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        text = json.dumps(body if body is not None else {}) if method == "POST" else None
        connection.request(method, self.base + path, text, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{value['error']}: {value.get('message', '')[:600]}")
        return value

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def set_size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def set_theme(self, theme):
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of the JavaScript expression |script|; its arguments are a[0], a[1] ..."""
        return self.call("POST", "/execute/sync",
                         {"script": f"const a = arguments; return ({script});",
                          "args": list(arguments)})

    def wait(self, script, *arguments, timeout=15):
        """Until the expression is true; returns its value."""
        end = time.monotonic() + timeout
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not in {timeout} s: {script} {arguments}; the page says: "
                                     + self.run("document.body.innerText")[:1500])
            time.sleep(0.02)

    def wait_text(self, selector, text, timeout=15):
        """Until an element that |selector| finds has |text| in it."""
        return self.wait("[...document.querySelectorAll(a[0])].some(e => e.innerText.includes(a[1]))",
                         selector, text, timeout=timeout)

    def find(self, selector, timeout=15):
        self.wait("document.querySelector(a[0]) !== null", selector, timeout=timeout)
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Keys to whatever has the focus: characters, or WebDriver's codes for others."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys",
                                                    "actions": actions}]})

    def picture(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("GET", "/screenshot")))

    def messages(self):
        """What the page wrote to the console since the last call."""
        return self.call("POST", "/se/log", {"type": "browser"})

    def requests(self):
        """The URLs of all requests and WebSockets since the last call."""
        urls = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                urls.append(message["params"]["url"])
        return urls

    def close(self):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass  # it is gone already
        self.process.terminate()
        self.process.wait(timeout=20)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
