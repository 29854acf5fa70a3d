#!/usr/bin/env python3
"""Runs a command in a pseudo-terminal of so many columns, and prints all that it writes there: terminal.py COLUMNS COMMAND…"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(command[0], command)
try:
    while chunk := os.read(terminal, 65536):
        sys.stdout.buffer.write(chunk)
except OSError:  # The terminal is gone when the command has ended.
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
