#!/usr/bin/env python3
"""Print a draft of the next changelog section from the git history. Writes no file."""

import argparse
import datetime
import re
import subprocess
import sys

GROUPS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
UNSORTED = "Not sorted yet"
INTERNAL = "Internal"
GROUP_OF_TYPE = {
    "feat": "Added",
    "perf": "Changed",
    "deprecate": "Deprecated",
    "remove": "Removed",
    "fix": "Fixed",
    "revert": "Fixed",
    "security": "Security",
    **dict.fromkeys(["build", "chore", "ci", "docs", "refactor", "style", "test"], INTERNAL),
}
SUBJECT = re.compile(r"^(?P<type>[A-Za-z]+)(?:\((?P<scope>[^)]*)\))?(?P<breaking>!)?: +(?P<text>.+)$")
BREAKING_FOOTER = re.compile(r"^BREAKING[ -]CHANGE: +(?P<text>.+)$", re.MULTILINE)


def git(*arguments):
    result = subprocess.run(["git", *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace")
    if result.returncode != 0:
        sys.exit(f"git {arguments[0]}: {result.stderr.strip()}")
    return result.stdout


def latest_tag(revision):
    command = ["git", "describe", "--tags", "--abbrev=0", revision]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def commits(start, end):
    """The commits after start up to end, oldest first, as (short hash, subject, body)."""
    span = f"{start}..{end}" if start else end
    log = git("log", "--reverse", "--no-merges", "--format=%h%x00%s%x00%b%x01", span, "--")
    for record in log.split("\x01"):
        fields = record.strip("\n").split("\0")
        if len(fields) == 3:
            yield fields


def entry(commit_hash, subject, body):
    """The group of a commit and the line that stands for it."""
    match = SUBJECT.match(subject)
    kind = match["type"].lower() if match else ""
    group = GROUP_OF_TYPE.get(kind, UNSORTED)
    if group == UNSORTED:
        text = subject
    else:
        text = match["text"]
        if match["scope"] == "security":
            group = "Security"
        elif match["scope"]:
            text = f"{match['scope']}: {text}"
    footer = BREAKING_FOOTER.search(body)
    if footer or (match and match["breaking"]):
        group = group if group in ("Removed", "Security") else "Changed"
        text = f"**Breaking:** {text}" + (f" ({footer['text']})" if footer else "")
    return group, f"- {text} ({commit_hash})"


def section(title, entries, show_internal):
    lines = [f"## {title}"]
    for group in [*GROUPS, UNSORTED, *([INTERNAL] if show_internal else [])]:
        found = [text for name, text in entries if name == group]
        if found:
            # A stable sort: breaking changes first, then the order of the history.
            found.sort(key=lambda text: not text.startswith("- **Breaking:**"))
            lines += ["", f"### {group}", "", *found]
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="start", metavar="REV", help="the last release (default: the latest tag)")
    parser.add_argument("--to", dest="end", metavar="REV", default="HEAD", help="where the section ends (default: HEAD)")
    parser.add_argument("--version", help="the version of the section (default: Unreleased)")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="its date (default: today)")
    parser.add_argument("--all", action="store_true", help="show commits that do not concern users, too")
    return parser.parse_args()


def main():
    options = parse_arguments()
    start = options.start or latest_tag(options.end)
    entries = [entry(*commit) for commit in commits(start, options.end)]
    if not entries:
        sys.exit(f"no commits after {start or 'the beginning'} up to {options.end}")
    title = f"{options.version} - {options.date}" if options.version else "Unreleased"
    print(section(title, entries, options.all))
    hidden = sum(group == INTERNAL for group, _ in entries)
    if hidden and not options.all:
        print(f"left out, because they do not concern users: {hidden} (--all shows them)", file=sys.stderr)


if __name__ == "__main__":
    main()
