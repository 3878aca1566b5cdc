"""Installs pip into a virtual environment that was made without it, from the package index that pip would ask.

Usage: VENV/bin/python fetch_pip.py VENV. Read: PIP_INDEX_URL and PIP_CERT, or `index-url` and `cert` of pip's configuration
files; the usual proxy variables hold. The wheel's SHA-256 is compared with the index's.
"""

import configparser
import hashlib
import html.parser
import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

LARGEST_PAGE = 16 << 20
LARGEST_WHEEL = 32 << 20
WHEEL = re.compile(r"pip-(\d+(?:\.\d+)+)-py3-none-any\.whl$")


def setting(name, default):
    """A setting of pip: the environment, then the user's file, then the machine's."""
    value = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    if value:
        return value
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    files = [os.environ.get("PIP_CONFIG_FILE") or os.devnull]
    files += [os.path.join(config, "pip", "pip.conf"), os.path.join(home, ".pip", "pip.conf"), "/etc/pip.conf"]
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError) as error:
            sys.exit(f"{file} cannot be read: {error}")
        for section in ("install", "global"):
            if parser.has_option(section, name):
                return parser.get(section, name)
    return default


class Links(html.parser.HTMLParser):
    """The links of an index's page that were not taken back."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and attributes.get("href") and "data-yanked" not in attributes:
            self.found.append((attributes["href"], attributes.get("data-requires-python") or ""))


def fits(requires):
    """Whether this Python is new enough; only lower bounds are written for pip."""
    bounds = re.findall(r">=\s*(\d+(?:\.\d+)*)", requires)
    return all(tuple(map(int, bound.split("."))) <= sys.version_info[:3] for bound in bounds)


def read(url, limit, context):
    with urllib.request.urlopen(url, timeout=60, context=context) as answer:
        data = answer.read(limit + 1)
        if len(data) > limit:
            sys.exit(f"{url} is larger than {limit} bytes.")
        return data, answer.geturl()


def newest(page, base):
    """The URL of the newest wheel of a page that this Python can take."""
    links = Links()
    links.feed(page.decode("utf-8", "replace"))
    wheels = []
    for link, requires in links.found:
        url = urllib.parse.urljoin(base, link)
        match = WHEEL.search(urllib.parse.unquote(urllib.parse.urlsplit(url).path))
        if match and fits(requires):
            wheels.append((tuple(map(int, match.group(1).split("."))), url))
    return max(wheels)[1] if wheels else None


def main(venv):
    index = setting("index-url", "https://pypi.org/simple").rstrip("/")
    certificates = setting("cert", None)
    context = ssl.create_default_context(cafile=certificates)
    page, base = read(index + "/pip/", LARGEST_PAGE, context)
    url = newest(page, base)
    if url is None:
        sys.exit(f"{index} has no pip for Python {sys.version.split()[0]}.")
    wheel, _ = read(urllib.parse.urldefrag(url).url, LARGEST_WHEEL, context)
    fragment = urllib.parse.parse_qs(urllib.parse.urlsplit(url).fragment)
    for wanted in fragment.get("sha256", []):
        if hashlib.sha256(wheel).hexdigest() != wanted:
            sys.exit(f"{url} is not what the index says: its SHA-256 differs.")
    path = os.path.join(venv, os.path.basename(urllib.parse.urlsplit(url).path))
    with open(path, "wb") as file:
        file.write(wheel)
    command = [sys.executable, os.path.join(path, "pip"), "install", "--quiet", "--no-index", path]
    status = subprocess.call(command)
    os.unlink(path)
    return status


try:
    sys.exit(main(sys.argv[1]))
except (urllib.error.URLError, OSError) as error:
    sys.exit(f"pip could not be fetched: {error}")
