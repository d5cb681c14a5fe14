"""Many at once at a deployed registry, and how long events take: `crowd.py SLUG`, after `events.py`. SLUG is a published skill.

Prints one line of JSON for each thing that must hold: what, whether, and what was seen.
"""

import statistics
import sys
import time

from registry import NAMESPACE, Skill, at_once, call, demand

# How many publish at once, and how many one after the other to see how long events take.
RACERS, PACED = 8, 20
# So many writers, each of whom gives up after so many writes that are all let through.
WRITERS, WRITES = 8, 400
LOST = {"version_exists", "session_open"}


def no_fault(what, skills):
    faults = [skill.seen() for skill in skills if any(status >= 500 for status in skill.statuses)]
    demand(f"{what}: no answer is a fault of the registry", not faults, faults or f"{len(skills)} uploads")


def one_wins(what, skills):
    won = [skill for skill in skills if skill.state == "PUBLISHED"]
    demand(f"{what}: one is published", len(won) == 1, [skill.seen() for skill in skills if skill in won][:2])
    lost = [skill for skill in skills if skill not in won]
    wrong = [skill.seen() for skill in lost if not skill.codes or not set(skill.codes) <= LOST]
    codes = sorted(code for skill in lost for code in skill.codes)
    counted = {code: codes.count(code) for code in codes}
    demand(f"{what}: the others are refused for that", len(lost) == RACERS - 1 and not wrong, wrong or counted)
    no_fault(what, skills)
    found = won[0].versions() if won else []
    demand(f"{what}: the skill has one version", found == ["1.0.0"], found)


def of_one_version():
    """Several publish the same version, each with other content: from the beginning at once, or all with a session already."""
    racers = [Skill("raced", content=f"Racer {i}.") for i in range(RACERS)]
    one_wins("one version, opened and uploaded at once", at_once(Skill.publish, racers))
    racers = [Skill("raced-to-the-end", content=f"Racer {i}.").open() for i in range(RACERS)]
    waiting = [skill.state for skill in racers]
    demand("one opener may have several uploads of one version", waiting == ["OPEN"] * RACERS, waiting)
    one_wins("one version, uploaded at once", at_once(Skill.decide, racers))


def of_one_skill():
    """Several versions of a skill that does not exist yet, which all change the same items: none is lost."""
    skills = at_once(Skill.publish, [Skill("crowded", f"1.{i}.0") for i in range(RACERS)])
    wrong = [skill.seen() for skill in skills if skill.state != "PUBLISHED"]
    demand("versions of one skill, at once: all are published", not wrong, wrong or f"{len(skills)} versions")
    no_fault("versions of one skill, at once", skills)
    if not wrong:
        found = sorted(skills[0].versions())
        demand("versions of one skill, at once: all are there", found == [skill.version for skill in skills], found)
        current = call("GET", f"/api/resolve?coordinate={NAMESPACE}/crowded").json().get("version")
        demand("versions of one skill, at once: the highest is the current one", current == found[-1], current)
    told("uploads at once", skills)


def of_events():
    """From the end of a PUT to the verdict: the store's event, the start of the validator, and its work."""
    told("uploads one after the other", [Skill(f"paced-{i}").publish() for i in range(PACED)])


def told(what, skills):
    delays = [skill.delay for skill in skills if skill.state == "PUBLISHED"]
    wrong = [skill.seen() for skill in skills if skill.state != "PUBLISHED"]
    seen = "none"
    if delays:
        middle, most = statistics.median(delays), max(delays)
        seen = f"{len(delays)} verdicts, median {middle:.2f} s, largest {most:.2f} s after the end of the PUT"
    demand(f"{what} have their verdict", not wrong, wrong or seen)


def of_a_principals_allowance(slug):
    """More writes than a principal may make at once: it is told to wait, and how long, and then goes on."""

    def write(_):
        answers = []
        while len(answers) < WRITES and (not answers or answers[-1].status != 429):
            # Of an upload that nobody has: it is let through or not, and changes nothing.
            answers.append(call("DELETE", "/api/uploads/u" + "0" * 24))
        return answers

    answers = [answer for of_one in at_once(write, range(WRITERS)) for answer in of_one]
    statuses = [answer.status for answer in answers]
    counted = {status: statuses.count(status) for status in sorted(set(statuses))}
    demand("writes are let through or put off, and none is a fault", set(statuses) <= {404, 429}, counted)
    waits = [answer.headers.get("retry-after", "") for answer in answers if answer.status == 429]
    numbers = [int(wait) for wait in waits if wait.isdigit() and int(wait) > 0]
    demand("who writes too often is told how long to wait", waits and len(numbers) == len(waits), sorted(set(waits)))
    time.sleep(max(numbers, default=1))
    skill = call("GET", f"/api/resolve?coordinate={slug}").json()
    answer = call("PUT", f"/api/skills/{skill.get('skillId')}/tags/trial", {"version": skill.get("version")})
    demand("after that time a write goes through", answer.status == 204, answer.status)


of_events()
of_one_version()
of_one_skill()
of_a_principals_allowance(sys.argv[1])
