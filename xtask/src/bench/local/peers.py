"""Fills another registry with packages: `peers.py REGISTRY FOLDER PACKAGES`, where PACKAGES has a JSON object a line.

Each registry gets them as it keeps what was published to it, in a folder that does not exist yet.
"""

import base64
import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile
import zipfile

VERSION = "1.0.0"
TIME = "2026-01-01T00:00:00.000Z"
# Whoever publishes to skillhub-selfhost while it is measured; it runs on this machine, and only then.
PERSON, PASSWORD = "publisher", "benchmark"

VERDACCIO = """\
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
    max_users: -1
uplinks: {}
packages:
  '**':
    access: $all
    publish: $authenticated
web:
  enable: false
log: { type: stdout, format: json, level: warn }
"""


def tarball(folder, files):
    """A gzipped tar with the files below a folder."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for path, text in files:
            data = text.encode()
            info = tarfile.TarInfo(f"{folder}/{path}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), 6, mtime=0)


def verdaccio(folder, packages):
    storage = folder / "storage"
    names = []
    for package in packages:
        name = package["name"]
        own = {"name": name, "version": VERSION, "description": package["description"]}
        data = tarball("package", [["package.json", json.dumps(own)], *package["files"]])
        file, sha1 = f"{name}-{VERSION}.tgz", hashlib.sha1(data).hexdigest()
        sha512 = base64.b64encode(hashlib.sha512(data).digest()).decode()
        dist = {"integrity": f"sha512-{sha512}", "shasum": sha1, "tarball": f"http://127.0.0.1/{name}/-/{file}"}
        version = {**own, "_id": f"{name}@{VERSION}", "dist": dist}
        record = {
            "name": name,
            "versions": {VERSION: version},
            "time": {"created": TIME, "modified": TIME, VERSION: TIME},
            "users": {},
            "dist-tags": {"latest": VERSION},
            "_uplinks": {},
            "_distfiles": {},
            "_attachments": {file: {"shasum": sha1, "version": VERSION}},
            "_rev": "1-0000000000000000",
            "_id": name,
            "readme": "",
        }
        (storage / name).mkdir(parents=True)
        (storage / name / "package.json").write_text(json.dumps(record))
        (storage / name / file).write_bytes(data)
        names.append(name)
    database = {"list": names, "secret": hashlib.sha256(b"benchmark").hexdigest()[:32]}
    (storage / ".verdaccio-db.json").write_text(json.dumps(database))
    (folder / "htpasswd").write_text("")
    (folder / "config.yaml").write_text(VERDACCIO)


def pypiserver(folder, packages):
    (folder / "packages").mkdir()
    for package in packages:
        stem = f"{package['name'].replace('-', '_')}-{VERSION}"
        about = f"Metadata-Version: 2.1\nName: {package['name']}\nVersion: {VERSION}\nSummary: {package['description']}\n"
        data = tarball(stem, [["PKG-INFO", about], *package["files"]])
        (folder / "packages" / f"{stem}.tar.gz").write_bytes(data)


def selfhost(folder, packages):
    # Only this one has these.
    from skillhub_selfhost.auth.service import register_user
    from skillhub_selfhost.db import close_db, init_db
    from skillhub_selfhost.skills.models import Skill, SkillVersion
    from tortoise import run_async

    async def fill():
        await init_db(f"sqlite://{folder / 'metadata.db'}")
        person = await register_user(PERSON, PASSWORD, is_admin=True, status="active")
        skills, versions = [], []
        for package in packages:
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as uploaded:
                for path, text in package["files"]:
                    uploaded.writestr(f"{package['name']}/{path}", text)
                    target = folder / "skills" / PERSON / package["name"] / VERSION / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text)
            name, description = package["name"], package["description"]
            skill = Skill(name=name, display_name=name, description=description, tags=[], author=person)
            size = len(archive.getvalue())
            skills.append(skill)
            versions.append(SkillVersion(skill_id=skill.id, version=VERSION, file_size=size))
        await Skill.bulk_create(skills, batch_size=500)
        await SkillVersion.bulk_create(versions, batch_size=500)
        await close_db()

    run_async(fill())


def main(registry, folder, file):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    with open(file, encoding="utf-8") as lines:
        packages = [json.loads(line) for line in lines]
    {"verdaccio": verdaccio, "pypiserver": pypiserver, "skillhub-selfhost": selfhost}[registry](folder, packages)


main(*sys.argv[1:])
