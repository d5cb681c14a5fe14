"""What a deployed registry's roles may not do, tried on the store itself: `refusals.py BUCKET TABLE SECONDS`.

Credentials of SECONDS sign a URL, which must die with them; AWS gives none for less than 900.
What this makes or changes in an account is undone at its end, also if something fails: the roles' trust, and a user of its own.

Prints one line of JSON for each attempt: what was tried, and the error's code, or null if it was done.
"""

import contextlib
import json
import re
import sys
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from registry import NAME, eventually, send

bucket, table, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
FUNCTIONS = ["list", "detail", "download", "publish", "manage", "compat", "validate", "sweep"]
ARTIFACT = "packages/c" + "0" * 24 + "/v" + "0" * 24 + "/" + "0" * 64 + ".zip"
UPLOAD = "staging/u" + "0" * 24
# What says in a role's trust that this script lends it.
LENT = "LentToAttempts"
# How long IAM may take to tell all of AWS of a change.
PROPAGATION = 120

iam = boto3.client("iam")
# An emulator gives credentials for less time than the SDK lets through.
sts = boto3.client("sts", config=Config(parameter_validation=False))


def attempt(what, call):
    try:
        call()
        code = None
    except ClientError as error:
        code = error.response["Error"]["Code"]
    say(what, code)


def say(what, code):
    print(json.dumps({"what": what, "code": code}), flush=True)


def may(call):
    """The answer, or nothing if it is refused."""
    try:
        return call()
    except ClientError:
        return None


@contextlib.contextmanager
def lent():
    """As long as this lasts this account may assume the functions' roles, which are for Lambda alone."""
    functions = boto3.client("lambda")
    arns = {f: functions.get_function_configuration(FunctionName=f"{NAME}-{f}")["Role"] for f in FUNCTIONS}
    with contextlib.ExitStack() as undone:
        for arn in arns.values():
            role = arn.split("/")[-1]
            trust = iam.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
            # A run that was cut off may have left its own.
            trust = trust | {"Statement": [s for s in trust["Statement"] if s.get("Sid") != LENT]}
            _, partition, _, _, account, _ = arn.split(":")
            ours = {
                "Sid": LENT,
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:{partition}:iam::{account}:root"},
                "Action": "sts:AssumeRole",
            }
            # Of each role by itself: that one fails keeps no other from being put back.
            undone.callback(iam.update_assume_role_policy, RoleName=role, PolicyDocument=json.dumps(trust))
            changed = trust | {"Statement": [*trust["Statement"], ours]}
            iam.update_assume_role_policy(RoleName=role, PolicyDocument=json.dumps(changed))
        yield arns


def session_of(arn, life=3600):
    """A session with a role, as its function has one."""
    wish = {"RoleArn": arn, "RoleSessionName": "attempt", "DurationSeconds": life}
    taken = eventually(lambda: may(lambda: sts.assume_role(**wish)), PROPAGATION)
    if not taken:
        raise SystemExit(f"{arn} cannot be assumed: {wish}")
    taken = taken["Credentials"]
    return boto3.Session(taken["AccessKeyId"], taken["SecretAccessKey"], taken["SessionToken"])


def of_roles(sessions):
    for function, session in sessions.items():
        s3, items = session.client("s3"), session.client("dynamodb")
        attempt(f"{function} reads an artifact", lambda: s3.get_object(Bucket=bucket, Key=ARTIFACT))
        attempt(f"{function} reads an upload", lambda: s3.get_object(Bucket=bucket, Key=UPLOAD))
        attempt(f"{function} deletes an artifact", lambda: s3.delete_object(Bucket=bucket, Key=ARTIFACT))
        attempt(f"{function} scans the table", lambda: items.scan(TableName=table, Limit=1))
        attempt(f"{function} describes the table", lambda: items.describe_table(TableName=table))
        if function not in ("validate", "sweep"):
            attempt(f"{function} writes an artifact", lambda: s3.put_object(Bucket=bucket, Key=ARTIFACT, Body=b"x"))
        if function not in ("publish", "compat"):
            attempt(f"{function} writes an upload", lambda: s3.put_object(Bucket=bucket, Key=UPLOAD, Body=b"x"))


def remove(user):
    """The user with all that is its own, as far as it is there."""
    missing = iam.exceptions.NoSuchEntityException
    with contextlib.suppress(missing):
        for key in iam.list_access_keys(UserName=user)["AccessKeyMetadata"]:
            iam.delete_access_key(UserName=user, AccessKeyId=key["AccessKeyId"])
    with contextlib.suppress(missing):
        iam.delete_user_policy(UserName=user, PolicyName="objects")
    with contextlib.suppress(missing):
        iam.delete_user(UserName=user)


def of_administrator():
    """Somebody who may do everything with every object, as far as its own rights go: the bucket's policy stands in the way."""
    user = f"{NAME}-attempt"
    # A run that was cut off may have left one.
    remove(user)
    try:
        iam.create_user(UserName=user)
        rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
        iam.put_user_policy(UserName=user, PolicyName="objects", PolicyDocument=json.dumps(rights))
        key = iam.create_access_key(UserName=user)["AccessKey"]
        s3 = boto3.Session(key["AccessKeyId"], key["SecretAccessKey"]).client("s3")
        able = eventually(lambda: may(lambda: s3.list_objects_v2(Bucket=bucket, MaxKeys=1)), PROPAGATION)
        say("an administrator lists the bucket", None if able else "AccessDenied")
        attempt("an administrator writes an artifact", lambda: s3.put_object(Bucket=bucket, Key=ARTIFACT, Body=b"x"))
        attempt("an administrator deletes an artifact", lambda: s3.delete_object(Bucket=bucket, Key=ARTIFACT))
    finally:
        remove(user)


def signed(session, life):
    """A URL for a key that is not there: 404 for as long as it lives."""
    place = {"Bucket": bucket, "Key": ARTIFACT}
    # The bucket is a part of the host where it can be: the other way the SDK leaves the region out, and AWS sends on.
    s3 = session.client("s3", config=Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
    return s3.generate_presigned_url("get_object", Params=place, ExpiresIn=life)


def after(url, patience):
    """What a URL is answered once it is not 404 any more."""
    answer, deadline = send("GET", url), time.monotonic() + patience
    while answer.status == 404 and time.monotonic() < deadline:
        time.sleep(0.2)
        answer = send("GET", url)
    code = re.search(rb"<Code>(\w+)</Code>", answer.body)
    return code[1].decode() if code else str(answer.status)


def of_downloads(session):
    say("a download in its time", str(send("GET", signed(session, 300)).status))
    say("a download after its time", after(signed(session, 1), 30))


def of_credentials(session, begun):
    """A URL dies with the credentials that signed it, however long it says to live."""
    # Late, so that neither its own time nor the bucket's limit for signatures ends it.
    time.sleep(max(0, begun + seconds - 30 - time.monotonic()))
    url = signed(session, 300)
    say("a download while its credentials live", str(send("GET", url).status))
    say("a download after its credentials", after(url, 120))


with lent() as arns:
    sessions = {function: session_of(arn) for function, arn in arns.items()}
of_roles(sessions)
of_administrator()
of_downloads(sessions["download"])
with lent() as arns:
    short = session_of(arns["download"], seconds)
    begun = time.monotonic()
of_credentials(short, begun)
