"""Events for the functions of a deployed registry, and what they have logged: `events.py BUCKET ALARMS SLUG [URL LOGS]`.

ALARMS are those on metrics of our own, SLUG is a skill that is published. Recorded events go to the functions as they are deployed;
with URL and LOGS, beside an emulator, also to the same programs behind `cargo lambda watch`.

Prints one line of JSON for each thing that must hold: what, whether, and what was seen.
"""

import contextlib
import itertools
import json
import os
import pathlib
import re
import sys
import urllib.error
import urllib.request
from collections import Counter

import boto3

from deployed import counted, deployed, directive, json_lines, lines_of, messages_of, metrics_of, outcomes
from registry import Skill, call, demand, eventually, found, send

bucket, alarms, slug = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
url, watch_logs = sys.argv[4:6] if len(sys.argv) > 4 else ("", "")
recorded = pathlib.Path(__file__).parent / "events"
s3 = boto3.client("s3")


def watched(function, event):
    """What goes wrong, or none, and the answer, by way of `cargo lambda watch`."""
    to = f"{url}/2015-03-31/functions/skillhub-{function}/invocations"
    try:
        with urllib.request.urlopen(urllib.request.Request(to, json.dumps(event).encode()), timeout=60) as answer:
            return None, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def read(file):
    return json.loads((recorded / file).read_text())


def event_of(*keys):
    """An event of the store with a record for each of these keys, as it spells them."""
    event = read("s3-put.json")
    records = [json.loads(json.dumps(event["Records"][0])) for _ in keys]
    for record, key in zip(records, keys):
        record["s3"]["object"]["key"] = key
    return {"Records": records}


def staging(*skills):
    return event_of(*(f"staging/{skill.id}" for skill in skills))


# ---- What has happened so far ------------------------------------------------------------------------------------------------


def of_the_stores_own_events():
    """Each event of the store has led to one verdict, which is logged and counted. Gives the uploads."""

    def look():
        return [upload for upload, outcome in outcomes() if outcome == "Decided(Published)"]

    eventually(lambda: len(look()) >= 20)
    published = look()
    demand("each upload's event led to one verdict", len(published) == len(set(published)) >= 20, len(published))
    ids = [line["span"]["request_id"] for line in lines_of("validate") if "span" in line]
    demand("log lines of the validator have the request's id", len(ids) >= 20, len(ids))
    eventually(lambda: counted("validate", "Published") == len(look()))
    count = counted("validate", "Published")
    demand("each publication is counted in the embedded metric format", count == len(look()), count)
    return published


def of_a_bad_package():
    """A package that is not what its manifest says is rejected, and counted under the code that says why."""
    before = counted("validate", "Rejected", Code="manifest_mismatch")
    bad = Skill("bad-package", declared="Something else.").publish()
    demand("a package that is not as declared is rejected", bad.state == "REJECTED", bad.seen())
    demand("its finding says so", set(bad.codes) == {"manifest_mismatch"}, bad.seen())
    eventually(lambda: counted("validate", "Rejected", Code="manifest_mismatch") > before)
    after = counted("validate", "Rejected", Code="manifest_mismatch")
    demand("a rejection is counted, by its code", after == before + 1, after)

    def timed():
        decided = [upload for upload, outcome in outcomes() if outcome.startswith("Decided(")]
        times = [metric for _, metric, *_ in metrics_of(lines_of("validate")) if metric == "ValidationMillis"]
        return len(times), len(decided)

    eventually(lambda: len(set(timed())) == 1)
    demand("each verdict is counted with the time that it took", len(set(timed())) == 1, timed())


def of_downloads():
    """Whoever is sent to a presigned URL is counted, in the words of every client."""
    version = call("GET", f"/api/resolve?coordinate={slug}").json()
    archive = f"{slug}@{version.get('version')}.zip"
    paths = [f"/api/v1/download?slug={slug}", f"/@global/.well-known/agent-skills/{archive}"]
    before = counted("compat", "Presigned", Kind="download")
    for path in paths:
        answer = call("GET", path)
        location = answer.headers.get("location", "")
        sent = answer.status == 302 and location.startswith("https://") and "X-Amz-Signature=" in location
        demand(f"{path} sends on to a presigned URL", sent, answer.status)
        artifact = send("GET", location) if sent else answer
        whole = artifact.status == 200 and len(artifact.body) == version.get("sizeBytes")
        demand(f"{path} sends on to the artifact", whole, artifact.status)
    eventually(lambda: counted("compat", "Presigned", Kind="download") >= before + len(paths))
    after = counted("compat", "Presigned", Kind="download")
    demand("compat counts the URLs that it signs", after >= before + len(paths), f"{after} after {before}")
    for function, kind in [("publish", "upload"), ("download", "download")]:
        signed = counted(function, "Presigned", Kind=kind)
        demand(f"{function} counts the URLs that it signs", signed > 0, signed)


def fires_on(alarm, lines):
    """Whether an alarm looks at something that these lines tell, by exactly its dimensions."""
    meant = (alarm["namespace"], alarm["metric"], alarm["dimensions"])
    return any(tuple(metric) == meant for *metric, _ in metrics_of(lines))


def of_metrics():
    """Metrics stand where they are said to stand, and alarms look at what there is."""
    sweeps = {"deployed": lambda: lines_of("sweep")}
    error, answer = deployed("sweep", {})
    demand("the deployed sweeper runs", error is None, answer)
    if url:
        error, answer = watched("sweep", {})
        demand("the watched sweeper runs", error is None, answer)
        sweeps["watched"] = lambda: json_lines((pathlib.Path(watch_logs) / "skillhub-sweep.log").read_text())
    own = {alarm["metric"] for alarm in alarms}
    demand("there are alarms on the sweeper's metrics", own == {"OldestWaitingSeconds", "Sweeps"}, own)
    for (which, look), alarm in itertools.product(sweeps.items(), alarms):
        there = eventually(lambda: fires_on(alarm, look()))
        told = sorted({str(metric[:3]) for metric in metrics_of(look())})
        demand(f"the {which} sweeper tells what the alarm {alarm['name']} looks at", there, told)
    for function in ["validate", "sweep", "publish", "download", "compat"]:
        lines = [line for line in lines_of(function) if "_aws" in line]
        said = [{*told["Dimensions"][0], *(m["Name"] for m in told["Metrics"])} for told in map(directive, lines)]
        whole = all(names <= set(line) for names, line in zip(said, lines))
        demand(f"metrics of {function} stand where they are said to stand", lines and whole, said[:1])


# ---- Recorded events ---------------------------------------------------------------------------------------------------------

NOBODY = "u" + "0" * 24
NO_UPLOADS = ["staging/..%2Fpackages%2Fx", "packages/a/b/c.zip", "staging/+"]
NO_EVENT = {"Records": [{"no": "event"}]}


def to_uploads_that_have_ended(once, other):
    """What comes late is handled as often as it comes, and changes nothing: the log says so."""
    cases = {
        "an event that comes again": ([f"staging/{once}"], [once]),
        "an event that comes twice in one": ([f"staging/{once}", f"staging/{once}"], [once, once]),
        "a form-encoded key": ([f"staging%2F{once}"], [once]),
        "events in another order": ([f"staging/{other}", f"staging/{once}"], [other, once]),
        "an upload that nobody knows": ([f"staging/{NOBODY}"], [NOBODY]),
        "keys that are no upload": (NO_UPLOADS, []),
    }
    for what, (keys, uploads) in cases.items():
        before = outcomes()
        error, answer = deployed("validate", event_of(*keys))
        demand(f"{what} is handled after the end", error is None, answer)
        expected = Counter((upload, "Unknown" if upload == NOBODY else "Ended(Published)") for upload in uploads)
        eventually(lambda: len(outcomes()) >= len(before) + len(uploads))
        added = Counter(outcomes()) - Counter(before)
        demand(f"{what} is looked at as often as it comes", added == expected, added)
    before = outcomes()
    error, answer = deployed("validate", read("s3-test.json"))
    demand("the store's test event is handled", error is None, answer)
    error, answer = deployed("validate", NO_EVENT)
    demand("what is no event is an error, so that it is seen", error is not None, answer)
    demand("neither is taken for an upload", Counter(outcomes()) == Counter(before), len(before))


@contextlib.contextmanager
def unheard():
    """As long as this lasts the store tells nobody of uploads, so that the recorded events are the only ones."""
    kept = s3.get_bucket_notification_configuration(Bucket=bucket)
    kept.pop("ResponseMetadata")
    demand("the store tells the validator of uploads", len(kept.get("LambdaFunctionConfigurations", [])) == 1, kept)
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
    try:
        yield
    finally:
        s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=kept)


def waiting(slug, version="1.0.0"):
    """An upload whose bytes are there, and whose event was not delivered."""
    skill = Skill(slug, version).open()
    stored = skill.state == "OPEN" and skill.put()
    demand(f"{slug}@{version} waits for its event", stored and skill.look() == "OPEN", skill.seen())
    return skill


def to_uploads_that_wait(invoke):
    """What these events do, no other has done: the sessions say what became of them."""
    by = invoke.__name__

    def deliver(what, event):
        error, answer = invoke("validate", event)
        demand(f"{what} is handled ({by})", error is None, answer)

    def published(what, skills, versions):
        states = [skill.look() for skill in skills]
        demand(f"{what} leads to the verdict ({by})", set(states) == {"PUBLISHED"}, [s.seen() for s in skills])
        there = sorted(skills[0].versions())
        demand(f"{what} publishes each version once ({by})", there == versions, there)

    encoded = waiting(f"form-encoded-{by}")
    deliver("a form-encoded key", event_of(f"staging%2F{encoded.id}"))
    published("a form-encoded key", [encoded], ["1.0.0"])

    again = waiting(f"again-{by}")
    deliver("an event", staging(again))
    deliver("an event that comes again", staging(again))
    published("an event that comes again", [again], ["1.0.0"])

    twice = waiting(f"twice-{by}")
    deliver("an event that comes twice in one", staging(twice, twice))
    published("an event that comes twice in one", [twice], ["1.0.0"])

    in_order = [waiting(f"order-{by}", version) for version in ["1.0.0", "1.1.0", "1.2.0"]]
    deliver("events in another order", staging(*reversed(in_order)))
    published("events in another order", in_order, ["1.0.0", "1.1.0", "1.2.0"])

    untouched = waiting(f"untouched-{by}")
    deliver("the store's test event", read("s3-test.json"))
    deliver("an upload that nobody knows", event_of(f"staging/{NOBODY}"))
    deliver("keys that are no upload", event_of(*NO_UPLOADS))
    error, answer = invoke("validate", NO_EVENT)
    demand(f"what is no event is an error, so that it is seen ({by})", error is not None, answer)
    demand(f"after all of these an upload waits as before ({by})", untouched.look() == "OPEN", untouched.seen())
    deliver("its own event", staging(untouched))
    published("its own event", [untouched], ["1.0.0"])


def to_the_api(invoke):
    """Requests as the API and a function URL pass them on."""
    for file in ["http-api.json", "function-url.json"]:
        event = read(file)
        # Not every registry lets strangers read.
        event["headers"]["authorization"] = f"Bearer {os.environ['SKILLHUB_TOKEN']}"
        error, answer = invoke("list", event)
        answer = json.loads(answer)
        skills = json.loads(answer.get("body") or "{}").get("skills") or []
        fine = error is None and answer.get("statusCode") == 200 and len(skills) == 2
        demand(f"{file} is answered ({invoke.__name__})", fine, answer)


# ---- Secrets -----------------------------------------------------------------------------------------------------------------


def of_secrets():
    """Every function has logged something by now, and no secret."""
    secrets = re.compile(r"sk_[A-Za-z0-9]{43}|X-Amz-Signature|eyJhbGci")
    for function in ["list", "detail", "download", "publish", "manage", "compat", "validate", "sweep"]:
        eventually(lambda: lines_of(function))
        messages, lines = messages_of(function), len(lines_of(function))
        told = [message for message in messages if secrets.search(message)]
        demand(f"{function} logs, and no secret", lines and not told, f"{lines} lines, {len(told)} with a secret")


found()
uploads = of_the_stores_own_events()
of_a_bad_package()
of_downloads()
to_uploads_that_have_ended(*uploads[:2])
to_the_api(deployed)
if url:
    to_the_api(watched)
    # A change of what a store tells takes minutes on AWS.
    with unheard():
        to_uploads_that_wait(deployed)
        to_uploads_that_wait(watched)
of_metrics()
of_secrets()
