"""Runs a program on a terminal of its own and passes bytes through: our stdin is what is typed, our stdout
what the screen shows. When our stdin ends, the terminal hangs up; our status is the program's."""
import os
import pty
import select
import sys

pid, screen = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
sources = [0, screen]
while screen in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 4096)
        except OSError:
            data = b""
        if source == screen:
            if data:
                os.write(1, data)
            else:
                sources.remove(screen)
        elif data:
            os.write(screen, data)
        else:
            sources = []
os.close(screen)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
