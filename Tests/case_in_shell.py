#!/usr/bin/env python3
"""Follows the page of `postback case` as a stranger would: runs its commands with a POSIX shell and openssl, in an empty folder.

    case_in_shell.py PAGE

Each command that verifies a signature must print the answer that the page shows. The page must have no element, handler or link but
its own, and the commands must write no file but theirs. Prints the numbers of answers as JSON. Ends with 0 where all is well, 1 where
something is not, and 77 where there is no openssl.
"""

import collections
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta"}
OWN = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p", "ul", "li", "b", "main", "nav", "a", "div",
    "section", "details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "code", "dl", "dt", "dd", "pre",
}
FILE = re.compile(r"(key|signed|signature|record)-[0-9]+(-[0-9]+)?\.(pem|txt|der|cnf)")


class Page(html.parser.HTMLParser):
    """The commands of a page in their order, with the answers that follow them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.blocks, self.wrong, self.stack, self.ids, self.links = [], [], [], set(), set()
        self.feed(text)
        if self.stack:
            self.wrong.append(f"elements are not closed: {self.stack}")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in OWN:
            self.wrong.append(f"element {tag}")
        if any(name.startswith("on") or name in ("src", "style") for name in attributes):
            self.wrong.append(f"attributes of {tag}: {attributes}")
        if "href" in attributes:
            self.links.add(attributes["href"])
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag not in VOID:
            self.stack.append((tag, attributes.get("class", "")))
        if tag == "pre" and attributes.get("class") == "commands":
            self.blocks.append([tag, "", None])
        if tag == "span" and attributes.get("class") == "verdict" and self.blocks:
            self.blocks[-1][2] = ""

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop()[0] != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if not self.stack:
            return
        if self.stack[-1] == ("pre", "commands"):
            self.blocks[-1][1] += data
        elif self.stack[-1] == ("span", "verdict"):
            self.blocks[-1][2] += data


def main(path):
    if shutil.which("openssl") is None:
        print("openssl is not installed", file=sys.stderr)
        sys.exit(77)
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    wrong = list(page.wrong)
    wrong += [f"link {link}" for link in page.links if link[:1] != "#" or link[1:] not in page.ids]
    answers = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        for _, commands, answer in page.blocks:
            done = subprocess.run(
                ["/bin/sh", "-e", "-c", commands], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            )
            printed = done.stdout.decode().strip()
            if answer is not None:
                answers[answer] += 1
                if printed != answer or (done.returncode == 0) != (answer == "Verified OK"):
                    wrong.append(f"{commands}\nprints {printed!r} with {done.returncode}, not {answer!r}: {done.stderr.decode()}")
            elif done.returncode != 0:
                wrong.append(f"{commands}\nends with {done.returncode}: {done.stderr.decode()}")
        wrong += [f"the commands write {name}" for name in os.listdir(folder) if not FILE.fullmatch(name)]
    if not answers:
        wrong.append("the page has no command that verifies a signature")
    print(json.dumps(answers))
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main(sys.argv[1])
