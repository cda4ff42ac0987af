"""A real object store over HTTP: rclone, whose wheel contains the program.

It checks signatures and checksums like Amazon S3, but does not support conditional requests.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from damrak_ladder.installation.buckets import Bucket
from damrak_ladder.stores.bucket import BucketStore
from ports import free_port

KEY, SECRET = "a-key", "a-secret-of-some-length"
PROGRAM = Path(sys.executable).with_name("rclone")


@dataclass(frozen=True, slots=True)
class ObjectServer:
    """A server and its address."""

    process: subprocess.Popen[bytes]
    endpoint: str

    def bucket(self, name: str) -> Bucket:
        """Return a bucket of this name, which is created if necessary."""
        bucket = Bucket(name, self.endpoint, "us-east-1", "some/where/", KEY, SECRET)
        BucketStore(bucket, "")._client.create_bucket(Bucket=name)
        return bucket

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Suspend the server, so that it does not respond."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextmanager
def running_object_server(folder: Path, port: int = 0) -> Iterator[ObjectServer]:
    """Yield a running server; its data remain in the folder."""
    port = port or free_port()
    process = subprocess.Popen(
        [
            *(PROGRAM, "serve", "s3", folder),
            *("--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY},{SECRET}"),
        ],
        env={**os.environ, "RCLONE_CONFIG": os.devnull},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            assert process.poll() is None, "it has ended"
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.02)
        yield ObjectServer(process, f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()
