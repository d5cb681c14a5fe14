"""Recorded events for the functions of a deployed registry: `events.py STACK FOLDER URL`.

They go to the functions as they are deployed, and to the same programs behind `cargo lambda watch` at URL, if it is given.

Prints one line of JSON for each thing that must hold: what, whether, and what was seen.
"""

import json
import pathlib
import re
import sys
import urllib.error
import urllib.request

import boto3

stack, recorded = sys.argv[1], pathlib.Path(sys.argv[2])
functions, logs = boto3.client("lambda"), boto3.client("logs")


def demand(what, holds, seen=None):
    print(json.dumps({"what": what, "holds": bool(holds), "seen": str(seen)[:300]}))


def lines_of(function):
    """The JSON lines that a function has logged."""
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=f"/aws/lambda/{stack}-{function}")
    for page in pages:
        for event in page["events"]:
            for line in event["message"].splitlines():
                if line.startswith("{"):
                    yield json.loads(line)


def deployed(function, event):
    """What goes wrong, or none, and the answer."""
    answer = functions.invoke(FunctionName=f"{stack}-{function}", Payload=json.dumps(event).encode())
    return answer.get("FunctionError"), answer["Payload"].read().decode()


def watched(function, event):
    """The same, by way of `cargo lambda watch`."""
    url = f"{sys.argv[3]}/2015-03-31/functions/skillhub-{function}/invocations"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(event).encode()), timeout=60) as answer:
            return None, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def record(key):
    event = json.loads((recorded / "s3-put.json").read_text())
    event["Records"][0]["s3"]["object"]["key"] = key
    return event["Records"][0]


# What the store's own events have led to.
lines = list(lines_of("validate"))
verdicts = [line["fields"] for line in lines if line.get("fields", {}).get("message") == "validate"]
published = [v["upload"] for v in verdicts if "Published" in v["outcome"]]
demand("each upload's event led to one verdict", len(published) == len(set(published)) >= 20, len(published))
ids = [line["span"]["request_id"] for line in lines if "span" in line]
demand("log lines of the validator have the request's id", len(ids) >= 20, len(ids))
metrics = [line for line in lines if "_aws" in line]
counted = sum(line.get("Published", 0) for line in metrics)
demand("each publication is counted in the embedded metric format", counted == len(published), counted)
directives = [line["_aws"]["CloudWatchMetrics"][0] for line in metrics]
whole = all(m["Name"] in line for line in metrics for m in line["_aws"]["CloudWatchMetrics"][0]["Metrics"])
demand("metrics stand where they are said to stand", directives and whole, directives[:1])

once, other = published[0], published[1]
nobody = "u" + "0" * 24
EVENTS = {
    "an event that comes again": [f"staging/{once}"],
    "an event that comes twice in one": [f"staging/{once}", f"staging/{once}"],
    "events in another order": [f"staging/{other}", f"staging/{once}"],
    "a form-encoded key": [f"staging%2F{once}"],
    "an upload that nobody knows": [f"staging/{nobody}"],
    "a key that is no upload": ["staging/..%2Fpackages%2Fx", "packages/a/b/c.zip", "staging/+"],
}
for invoke in [deployed, watched][: len(sys.argv) - 2]:
    by = f" ({invoke.__name__})"
    for what, keys in EVENTS.items():
        error, answer = invoke("validate", {"Records": [record(key) for key in keys]})
        demand(f"{what} is handled{by}", error is None, answer)
    error, answer = invoke("validate", json.loads((recorded / "s3-test.json").read_text()))
    demand(f"the store's test event is handled{by}", error is None, answer)
    error, answer = invoke("validate", {"Records": [{"no": "event"}]})
    demand(f"what is no event is an error, so that it is seen{by}", error is not None, answer)
    for name in ["http-api.json", "function-url.json"]:
        error, answer = invoke("list", json.loads((recorded / name).read_text()))
        answer = json.loads(answer)
        skills = json.loads(answer.get("body") or "{}").get("skills") or []
        fine = error is None and answer.get("statusCode") == 200 and len(skills) == 2
        demand(f"{name} is answered{by}", fine, answer)

secrets = re.compile(r"sk_[A-Za-z0-9]{43}|X-Amz-Signature|eyJhbGci")
for function in ["list", "detail", "download", "publish", "manage", "validate", "sweep"]:
    text = json.dumps(list(lines_of(function)))
    demand(f"{function} logs no secret", not secrets.search(text), len(text))
