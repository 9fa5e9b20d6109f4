#!/usr/bin/env python3
"""The lock around a block of Python:

    mkdir -p .tmp && python3 python.py

A small process holds the lock for us, and lets go when its standard input ends: at the end of the block,
or when we die, however that comes about.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

STAY = "import sys; print('held', flush=True); sys.stdin.read()"


@contextmanager
def locked(slug, *flags):
    holder = subprocess.Popen(
        ["lock_folder_util", "run", "--slug", slug, "--on-lost", "terminate", *flags]
        + ["--", sys.executable, "-c", STAY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is ours to handle, the lock stays until the block ends
    )
    try:
        if not holder.stdout.readline():
            raise SystemExit(holder.wait())  # it has said why on stderr; 75: it gave up waiting
        yield
    finally:
        holder.stdin.close()
        status = holder.wait()
    if status != 0:
        raise RuntimeError(f"the lock was lost or not given back (exit status {status})")


with locked(f"python-{os.getpid()}", "--timeout", "10m"):
    counter = Path("counter.txt")
    count = int(counter.read_text()) if counter.exists() else 0
    time.sleep(0.1)  # the work; without the lock, others would read the same number now
    counter.write_text(f"{count + 1}\n")
