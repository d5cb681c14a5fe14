"""What a deployed registry's roles may not do, tried on the store itself: `refusals.py STACK`.

Prints one line of JSON for each attempt: what was tried, and the error's code, or null if it was done.
"""

import json
import sys
import time
import urllib.error
import urllib.request
import ssl
import os

import boto3
from botocore.exceptions import ClientError

stack = sys.argv[1]
outputs = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]
outputs = {output["OutputKey"]: output["OutputValue"] for output in outputs}
bucket, table = outputs["BucketName"], outputs["TableName"]


def session_of(function):
    """A session with the role of a function, as the function has one."""
    role = boto3.client("lambda").get_function_configuration(FunctionName=f"{stack}-{function}")["Role"]
    taken = boto3.client("sts").assume_role(RoleArn=role, RoleSessionName="attempt")["Credentials"]
    return boto3.Session(taken["AccessKeyId"], taken["SecretAccessKey"], taken["SessionToken"])


def attempt(what, call):
    try:
        call()
        code = None
    except ClientError as error:
        code = error.response["Error"]["Code"]
    print(json.dumps({"what": what, "code": code}))


ARTIFACT = "packages/c" + "0" * 24 + "/v" + "0" * 24 + "/" + "0" * 64 + ".zip"
UPLOAD = "staging/u" + "0" * 24

for function in ["list", "detail", "download", "publish", "manage", "compat", "validate", "sweep"]:
    session = session_of(function)
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

# Somebody who may do everything with every object, as far as its own rights go: the bucket's policy stands in the way.
iam = boto3.client("iam")
iam.create_user(UserName="administrator")
rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="administrator", PolicyName="objects", PolicyDocument=json.dumps(rights))
key = iam.create_access_key(UserName="administrator")["AccessKey"]
s3 = boto3.Session(key["AccessKeyId"], key["SecretAccessKey"]).client("s3")
attempt("an administrator writes an artifact", lambda: s3.put_object(Bucket=bucket, Key=ARTIFACT, Body=b"x"))
attempt("an administrator deletes an artifact", lambda: s3.delete_object(Bucket=bucket, Key=ARTIFACT))


def fetch(url):
    trust = ssl.create_default_context(cafile=os.environ.get("AWS_CA_BUNDLE"))
    try:
        return urllib.request.urlopen(url, context=trust).status
    except urllib.error.HTTPError as error:
        return error.code


# A URL that lives for a second, for a key that is not there: 404 for as long as it lives.
url = session_of("download").client("s3").generate_presigned_url(
    "get_object", Params={"Bucket": bucket, "Key": ARTIFACT}, ExpiresIn=1
)
deadline = time.monotonic() + 20
while (status := fetch(url)) != 403 and time.monotonic() < deadline:
    time.sleep(0.2)
print(json.dumps({"what": "a download after its time", "code": str(status)}))
