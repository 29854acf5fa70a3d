#!/usr/bin/env python3
"""Follows README from top to bottom in a clean copy, and holds what comes out against what README shows.

    Tests/readme.py [POSTBACK]     the built command; .build/release/postback unless given

Blocks marked sh, and blocks of lines that begin with "$ ", run in one shell, in order. Python blocks run with pandas, SQL
blocks in DuckDB, both from PyPI in an environment of their own; what they load is compared with the tables, value by value.
A block without a language that has no "$ " is what the block before it prints. In what is shown a line "…" stands for
any lines, "…" at the end of a line for the rest of it; times, rates and process ids are masked. watch and serve are
stopped after a while where nothing stops them.
"""

import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import venv

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOADERS = os.path.join(PROJECT, "Tests", "readme_loaders.py")
PACKAGES = ["pandas", "duckdb"]
SECONDS = 600
MARK = "\x1e"


class Wrong(Exception):
    """Something that README says and that is not so."""


# MARK: - README


class Block:
    """A fenced block: its language, its text and the line where the text begins."""

    def __init__(self, language, text, line):
        self.language, self.text, self.line = language, text, line

    @property
    def is_console(self):
        return self.language == "" and self.text.startswith("$ ")

    @property
    def is_output(self):
        return self.language == "" and not self.is_console

    def commands(self):
        """Each command of a console block with the lines that it is shown to print, and its line."""
        found = []
        for number, line in enumerate(self.text.splitlines()):
            if line.startswith("$ "):
                found.append([line[2:], [], self.line + number])
            elif found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line
            else:
                found[-1][1].append(line)
        return found


def blocks(readme):
    found, language = [], None
    for number, line in enumerate(readme.splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, start, lines = line[3:].strip(), number + 1, []
            else:
                found.append(Block(language, "".join(text + "\n" for text in lines), start))
                language = None
        elif language is not None:
            lines.append(line)
    return found


# MARK: - Comparison


def masked(line):
    line = re.sub(r"[0-9.]+ s, [0-9]+ postbacks/s", "N s, N postbacks/s", line)
    line = re.sub(r"[0-9:.]+( s)? ago", "N ago", line)
    line = re.sub(r"process [0-9]+", "process N", line)
    return re.sub(r"(the last at|since|status of) [0-9TZ:.-]+", r"\1 TIME", line).rstrip()


def agrees(shown, printed):
    """Whether the lines that are shown stand for those that were printed."""
    if not shown:
        return not printed
    if shown[0] == "…":
        return any(agrees(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    if not printed:
        return False
    one, other = masked(shown[0]), masked(printed[0])
    fits = other.startswith(one[:-1]) if one.endswith("…") else one == other
    return fits and agrees(shown[1:], printed[1:])


def difference(shown, printed, line):
    """What README shows and what comes out, where they disagree."""
    printed = printed.splitlines()
    if agrees(shown, printed):
        return []
    return [f"README.md:{line} shows\n  " + "\n  ".join(shown) + "\nand what comes out is\n  " + "\n  ".join(printed[:60])]


# MARK: - One shell for all


class Step:
    """A part of the script, with what it is to print, where README shows that, and its line."""

    def __init__(self, script, line, shown=None, may_fail=False):
        self.script, self.line, self.shown, self.may_fail = script, line, shown, may_fail


def bounded(script):
    """The script with an end for what runs for months: in the foreground watch and serve are asked to leave."""
    return re.sub(r"(?m)^(postback (?:watch|serve) .*[^&\s])$", r"timeout --preserve-status 3 \1", script)


def steps(readme, folder, python):
    made = []
    for number, block in enumerate(blocks(readme)):
        if block.language == "sh":
            if "swift test" in block.text:
                continue  # .ci/run does that.
            made.append(Step(f"set -e\n{bounded(block.text)}", block.line))
            if database := re.search(r"sqlite3 (\S+\.db)", block.text):
                made.append(Step(f"{python} {LOADERS} sqlite {database[1]}", block.line))
        elif block.is_console:
            for command, shown, line in block.commands():
                made.append(Step(f"set +e\n{command}", line, shown, may_fail=True))
        elif block.is_output:
            if not made or made[-1].shown is not None:
                raise Wrong(f"README.md:{block.line} is output of nothing; give the block a language")
            made[-1].shown = block.text.splitlines()
        elif block.language in ("python", "sql"):
            path = os.path.join(folder, f"block-{number}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(block.text)
            loader = {"python": "pandas", "sql": "duckdb"}[block.language]
            made.append(Step(f"set -e\n{python} {LOADERS} {loader} {path}", block.line))
    return made


def follow(made, copy, environment):
    script = "".join(
        f"{step.script}\nprintf '\\n{MARK}%s {number}\\n' $?\n" for number, step in enumerate(made)
    )
    command = ["bash", "-c", f'{sys.executable} {__file__} --loopback; . "$0"']
    if subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        # Its own network, so that the ports are free.
        command = ["unshare", "--net"] + command
    # Files, not pipes: what a command left running keeps a pipe open for ever.
    with tempfile.NamedTemporaryFile("w") as source, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        source.write(script)
        source.flush()
        process = subprocess.Popen(
            command + [source.name], cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )
        try:
            process.wait(SECONDS)
            late = ""
        except subprocess.TimeoutExpired:
            late = f"README's commands take more than {SECONDS} s; the last output is\n"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # Nothing is left running.
        process.wait()
        out.seek(0)
        err.seek(0)
        output, errors = out.read(), err.read()
    if late:
        raise Wrong(late + output[-2000:])
    parts = re.split(rf"\n?{MARK}([0-9]+) [0-9]+\n", output)
    problems = []
    for number, step in enumerate(made):
        if 2 * number + 1 >= len(parts):
            raise Wrong(f"README.md:{step.line} fails:\n{step.script}\n{parts[-1]}\n{errors[-2000:]}")
        printed, status = parts[2 * number], int(parts[2 * number + 1])
        if status >= 64 or status and not step.may_fail:
            raise Wrong(f"README.md:{step.line} ends with {status}:\n{step.script}\n{printed}\n{errors[-2000:]}")
        if step.shown is not None:
            problems += difference(step.shown, printed, step.line)
    if problems:
        raise Wrong("\n\n".join(problems))


# MARK: - Main


def bring_loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        try:
            flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP
        except OSError:
            pass  # It is up, and others' to change.


def copy_project(copy):
    names = subprocess.run(
        ["git", "-C", PROJECT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, stdout=subprocess.PIPE
    ).stdout.decode().split("\0")
    for name in filter(None, names):
        if os.path.isfile(os.path.join(PROJECT, name)):
            os.makedirs(os.path.dirname(os.path.join(copy, name)), exist_ok=True)
            shutil.copy2(os.path.join(PROJECT, name), os.path.join(copy, name))


def make_environment(folder):
    """A Python with the packages of the loaders; a failure that says which cannot be had."""
    path = os.path.join(folder, "venv")
    venv.create(path, with_pip=True)
    python = os.path.join(path, "bin", "python")
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + PACKAGES,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if installed.returncode != 0:
        raise Wrong(f"pip cannot install {' and '.join(PACKAGES)}, by which README's loaders are checked:\n{installed.stdout}")
    return python


def main(binary):
    with tempfile.TemporaryDirectory(prefix="readme-") as folder:
        python = make_environment(folder)
        copy = os.path.join(folder, "postback")
        release = os.path.join(copy, ".build", "release")
        os.makedirs(release)
        copy_project(copy)
        os.symlink(os.path.abspath(binary), os.path.join(release, "postback"))
        tools = os.path.join(folder, "tools")
        os.makedirs(tools)
        # What "swift run -c release postback" builds is built already.
        with open(os.path.join(tools, "swift"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1 $2 $3 $4" = "run -c release postback" ] || exit 64\nshift 4\nexec .build/release/postback "$@"\n')
        os.chmod(file.name, 0o755)
        with open(os.path.join(PROJECT, "README.md"), encoding="utf-8") as file:
            made = steps(file.read(), folder, python)
        follow(made, copy, os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"})
        shown = sum(step.shown is not None for step in made)
        print(f"README: {len(made)} commands and blocks ran in order, {shown} of them with the output that is shown")


if __name__ == "__main__":
    try:
        if sys.argv[1:2] == ["--loopback"]:
            bring_loopback_up()
        else:
            main(*sys.argv[1:] or [os.path.join(PROJECT, ".build/release/postback")])
    except Wrong as problem:
        sys.exit(f"readme: {problem}")
