"""The functions of a deployed registry, as the scripts beside this one call them, and what they have logged and counted."""

import itertools
import json

import boto3

from registry import NAME

functions, logs = boto3.client("lambda"), boto3.client("logs")


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def messages_of(function):
    """Everything that a function has logged."""
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=f"/aws/lambda/{NAME}-{function}")
    return [event["message"] for page in pages for event in page["events"]]


def lines_of(function):
    """The JSON lines in that: its own ones."""
    return [line for message in messages_of(function) for line in json_lines(message)]


def outcomes():
    """What the deployed validator has made of uploads: pairs of an upload and an outcome, as they were logged."""
    fields = [line.get("fields", {}) for line in lines_of("validate")]
    return [(line["upload"], line["outcome"]) for line in fields if line.get("message") == "validate"]


def deployed(function, event):
    """What goes wrong, or none, and the answer."""
    answer = functions.invoke(FunctionName=f"{NAME}-{function}", Payload=json.dumps(event).encode())
    return answer.get("FunctionError"), answer["Payload"].read().decode()


def directive(line):
    """What a line says of its metrics; ours say it once."""
    (one,) = line["_aws"]["CloudWatchMetrics"]
    return one


def metrics_of(lines):
    """Metrics as CloudWatch takes them out of a log: each one's namespace, name, dimensions and value."""
    for line in (line for line in lines if "_aws" in line):
        told = directive(line)
        for names, metric in itertools.product(told["Dimensions"], told["Metrics"]):
            dimensions = {dimension: line.get(dimension) for dimension in names}
            yield told["Namespace"], metric["Name"], dimensions, line.get(metric["Name"], 0)


def counted(function, metric, **dimensions):
    """The sum of a metric of a deployed function."""
    meant = ("skillhub", metric, {"Function": f"{NAME}-{function}"} | dimensions)
    return sum(value for *told, value in metrics_of(lines_of(function)) if tuple(told) == meant)
