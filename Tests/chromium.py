"""Chromium without a window, for the tests of pages."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile


def program():
    """The path of Chromium. Ends the test with 77 where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        print("there is no Chromium", file=sys.stderr)
        sys.exit(77)
    return found


class Chromium:
    """A tab of Chromium, driven through a pipe by its DevTools protocol."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def give_pipe():
            # The protocol's pipe is descriptors 3 and 4; these two may be just those.
            one, two = os.dup(commands), os.dup(answers)
            high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for descriptor in (one, two)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [
                program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                f"--user-data-dir={self.folder.name}", "--disable-background-networking", "--disable-component-update",
                "--no-first-run", "--no-default-browser-check", "--window-size=1280,900",
            ],
            preexec_fn=give_pipe, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], 60)[0]:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has gone")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def run(self, script):
        """What a script in the page comes to."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def requested(self):
        """All that anything asked for."""
        requests = [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        # The icons of its own controls are data in the browser itself.
        return {url.split("#")[0] for url in requests if not url.startswith("data:image/svg+xml;")} - {"about:blank"}

    def complaints(self):
        """Dialogues, exceptions, and what the policy of the page refused."""
        methods = ("Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in methods]

    def picture(self, path, width, dark=False):
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        clip = {"x": 0, "y": 0, "width": width, "height": 3600, "scale": 1}
        picture = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def paper(self):
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"])

    def print(self, path):
        pathlib.Path(path).write_bytes(self.paper())

    def close(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Checks:
    """Counts what is not as it should be, and says it."""

    def __init__(self):
        self.failed = 0

    def equal(self, what, found, expected):
        if found != expected:
            self.failed += 1
            print(f"{what}: {found!r}, expected {expected!r}", file=sys.stderr)
