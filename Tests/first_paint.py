#!/usr/bin/env python3
"""Opens the live page five times in headless Chromium, and prints the median times of the first paint and of the overview's numbers.

    first_paint.py ADDRESS

ADDRESS has the token of a session. Both times are in milliseconds from the start of the navigation. Ends with 77 where there is no Chromium.
"""

import statistics
import sys
import time
import urllib.parse

import chromium

# The time at which the first number of the overview is there.
WATCH = """new MutationObserver((_, observer) => {
  if (document.getElementById('total-accepted') === null) return;
  window.shownAt = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });"""
PAINTED = "(performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime"


def opened(browser, address):
    """The times of one opening; the browser keeps nothing, because every answer says so."""
    browser.ask("Page.navigate", url="about:blank")
    browser.ask("Page.navigate", url=address)
    for _ in range(600):
        time.sleep(0.05)
        try:
            times = browser.run(f"location.protocol === 'about:' ? null : [{PAINTED}, window.shownAt]")
        except RuntimeError:
            continue
        if times and all(isinstance(one, (int, float)) for one in times):
            return times
    raise RuntimeError("the page shows no numbers within 30 seconds")


def main():
    parts = urllib.parse.urlsplit(sys.argv[1])
    chromium.program()
    browser = chromium.Chromium()
    try:
        browser.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        # The first opening starts the session, and has a page of its own in between.
        opened(browser, sys.argv[1])
        times = [opened(browser, f"{parts.scheme}://{parts.netloc}/") for _ in range(5)]
    finally:
        browser.close()
    print(*(round(statistics.median(one), 1) for one in zip(*times)))


if __name__ == "__main__":
    main()
