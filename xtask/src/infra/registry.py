"""A deployed registry, as the scripts beside this one ask it: its API with a token, and uploads to its store.

The environment says where it is (SKILLHUB_REGISTRY), who asks (SKILLHUB_TOKEN), and what the names of its functions begin with
(SKILLHUB_NAME).
"""

import concurrent.futures
import dataclasses
import hashlib
import io
import json
import os
import ssl
import time
import urllib.error
import urllib.request
import zipfile

NAME = os.environ["SKILLHUB_NAME"]
# What is published here is of an organization's own, so that the lists of everybody stay as they are.
NAMESPACE = "@trials"
FINAL = {"PUBLISHED", "REJECTED", "CANCELED", "EXPIRED", "FAILED"}
# Seconds that one answer, and that one verdict may take.
ANSWER, VERDICT = 60, 180


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follows none: where a redirect leads is what is asked for."""

    def redirect_request(self, *_):
        return None


# A CA of its own is an emulator's.
TRUST = ssl.create_default_context(cafile=os.environ.get("AWS_CA_BUNDLE"))
OPENER = urllib.request.build_opener(urllib.request.HTTPSHandler(context=TRUST), Redirects())


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    def json(self):
        """The body, or nothing if it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


def send(method, url, body=None, headers=None):
    """Any request; no status is an error."""
    request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
    try:
        answer = OPENER.open(request, timeout=ANSWER)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return Answer(answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read())


def call(method, path, body=None):
    """A request to the API, with the token."""
    headers = {"authorization": f"Bearer {os.environ['SKILLHUB_TOKEN']}", "content-type": "application/json"}
    body = None if body is None else json.dumps(body).encode()
    return send(method, os.environ["SKILLHUB_REGISTRY"] + path, body, headers)


def demand(what, holds, seen=None):
    """Says what must hold, whether it does, and what was seen."""
    print(json.dumps({"what": what, "holds": bool(holds), "seen": str(seen)[:300]}), flush=True)


def found():
    """The organization; once, before anything is published to it."""
    answer = call("POST", "/api/namespaces", {"namespace": NAMESPACE, "kind": "organization"})
    demand(f"{NAMESPACE} is founded", answer.status == 201, answer.status)


def eventually(look, patience=60):
    """What is seen once there is something, or nothing when time is up: logs come late, and rights too."""
    deadline = time.monotonic() + patience
    while not (seen := look()) and time.monotonic() < deadline:
        time.sleep(1)
    return seen


@dataclasses.dataclass
class Skill:
    """A version to publish, and what becomes of it."""

    slug: str
    version: str = "1.0.0"
    content: str = "Nothing in particular."
    # What the manifest says of this content, if that is not true.
    declared: str = ""
    id: str = ""
    state: str = ""
    # Codes of what refused it: the API's answer, or the validator.
    codes: list = dataclasses.field(default_factory=list)
    # Of the API and the store.
    statuses: list = dataclasses.field(default_factory=list)
    # Seconds from the end of the PUT to the verdict.
    delay: float = 0.0
    # As the API has answered last.
    session: dict = dataclasses.field(default_factory=dict)
    archive: bytes = b""

    def skill_md(self, content):
        return f"---\nname: {self.slug}\ndescription: Made to try a deployment.\n---\n\n{content}\n".encode()

    def request(self):
        """What opens the upload of it; its archive is made here."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("SKILL.md", self.skill_md(self.content))
        self.archive = packed.getvalue()
        skill_md = self.skill_md(self.declared or self.content)
        file = {"path": "SKILL.md", "sizeBytes": len(skill_md), "sha256": hashlib.sha256(skill_md).hexdigest()}
        manifest = {
            "schemaVersion": 1,
            "slug": self.slug,
            "name": self.slug,
            "description": "Made to try a deployment.",
            "version": self.version,
            "files": [file],
        }
        package = {"sizeBytes": len(self.archive), "sha256": hashlib.sha256(self.archive).hexdigest()}
        return {"namespace": NAMESPACE, "package": package, "manifest": manifest}

    def note(self, answer):
        self.statuses.append(answer.status)
        session = answer.json()
        if answer.status < 300 and "state" in session:
            self.session, self.id, self.state = session, session["id"], session["state"]
            self.codes = [finding["code"] for finding in session["findings"]]
        else:
            self.codes = [session.get("code", f"status {answer.status}")]

    def open(self):
        self.note(call("POST", "/api/uploads", self.request()))
        return self

    def put(self):
        """Uploads, as the session says; says whether the store took it."""
        upload = self.session["upload"]
        answer = send("PUT", upload["url"], self.archive, upload["headers"])
        self.statuses.append(answer.status)
        return answer.status == 200

    def look(self):
        """The session as it stands now."""
        self.note(call("GET", f"/api/uploads/{self.id}"))
        return self.state

    def decide(self):
        """Uploads, and waits for the verdict."""
        if self.state != "OPEN" or not self.put():
            return self
        begun = time.monotonic()
        while self.look() not in FINAL and time.monotonic() < begun + VERDICT:
            time.sleep(0.02)
        self.delay = time.monotonic() - begun
        return self

    def publish(self):
        return self.open().decide()

    def versions(self):
        """The versions that its skill has now."""
        skill = (self.session.get("published") or {}).get("skillId")
        listed = call("GET", f"/api/skills/{skill}/versions").json().get("versions", [])
        return [entry["version"] for entry in listed if entry["state"] == "available"]

    def seen(self):
        return f"{self.slug}@{self.version} {self.id}: {self.state} {self.codes} after {self.statuses}"


def at_once(work, things):
    """The results of some work on each of these, all at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(things)) as crowd:
        return list(crowd.map(work, things))
