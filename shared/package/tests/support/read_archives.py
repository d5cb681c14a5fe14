"""Reads archives from stdin, each behind its length (4 bytes, little-endian). Writes a line of JSON for each: path -> digest."""

import hashlib
import io
import json
import sys
import zipfile


def files(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        entries = [entry for entry in opened.infolist() if not entry.is_dir()]
        found = {entry.filename: hashlib.sha256(opened.read(entry)).hexdigest() for entry in entries}
    if len(found) < len(entries):
        raise ValueError("two entries of one name")
    return found


while length := sys.stdin.buffer.read(4):
    archive = sys.stdin.buffer.read(int.from_bytes(length, "little"))
    try:
        answer = files(archive)
    except Exception as fault:
        answer = repr(fault)
    print(json.dumps(answer))
