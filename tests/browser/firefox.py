"""Firefox, driven by its own protocol Marionette, which needs no driver besides the browser."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browser.sites import PATIENCE_S
from ports import free_port

NAMES = ("firefox-esr", "firefox")
LOOK_S = 0.05
_PREFERENCES = """
user_pref("marionette.port", {port});
user_pref("intl.accept_languages", "en-GB");
user_pref("app.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("ui.prefersReducedMotion", 1);
"""
_ERRORS = """
return Services.console.getMessageArray().flatMap((said) =>
  said instanceof Ci.nsIScriptError && !(said.flags & Ci.nsIScriptError.warningFlag)
    && said.sourceName.startsWith("http://127.0.0.1")
    ? [`${said.sourceName}:${said.lineNumber}: ${said.errorMessage}`] : []);
"""


def firefox_path() -> str | None:
    """Return the path of Firefox, if it is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Firefox:
    """One window of a running Firefox."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        with _connected(port, process) as connection:  # the file keeps it open
            self._line = connection.makefile("rwb")
        self._number = 0
        self._read()  # a greeting
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def call(self, command: str, **given: Any) -> Any:
        """Send a command and return its result."""
        self._number += 1
        said = json.dumps([0, self._number, command, given]).encode()
        self._line.write(b"%d:%s" % (len(said), said))
        self._line.flush()
        _, _, problem, result = self._read()
        assert problem is None, problem
        return result

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("WebDriver:Navigate", url=url)

    def run(self, script: str, *args: Any) -> Any:
        """Return the value of a script in the page."""
        return self.call("WebDriver:ExecuteScript", script=script, args=args)["value"]

    def until(self, expression: str) -> Any:
        """Wait until an expression is true, and return it."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if value := self.run(f"return {expression}"):
                return value
            time.sleep(LOOK_S)
        raise AssertionError(f"not in {self.run('return location.href')}: {expression}")

    def click(self, selector: str) -> None:
        """Click an element as a mouse does, which fails if something else covers it."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)
        (element,) = found["value"].values()
        self.call("WebDriver:ElementClick", id=element)

    def errors(self) -> list[str]:
        """Return the errors of all pages so far."""
        self.call("Marionette:SetContext", value="chrome")
        found: list[str] = self.run(_ERRORS)
        self.call("Marionette:SetContext", value="content")
        return found

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def _read(self) -> Any:
        length = b""
        while (byte := self._line.read(1)) != b":":
            assert byte, "Firefox has ended"
            length += byte
        return json.loads(self._line.read(int(length)))


@contextmanager
def running_firefox(path: str, folder: Path) -> Iterator[Firefox]:
    """Yield a Firefox with an empty profile in this folder."""
    port = free_port()
    profile = folder / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(_PREFERENCES.format(port=port))
    flags = ("--headless", "--marionette", "-remote-allow-system-access", "--no-remote")
    command = [path, *flags, "--profile", str(profile)]
    with (folder / "firefox.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        )
    try:
        firefox = Firefox(port, process)
        yield firefox
        firefox.close()
    finally:
        process.kill()
        process.wait()


def _connected(port: int, process: subprocess.Popen[bytes]) -> socket.socket:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        except OSError:
            time.sleep(LOOK_S)
    raise AssertionError("Firefox did not start")
