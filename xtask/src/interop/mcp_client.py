"""Lists, gets, reads and compares skills of a registry, as FastMCP's client does."""

import asyncio
import hashlib
import sys
from pathlib import Path
from urllib.parse import unquote

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension


async def listing(client):
    for skill in await client.list_skills():
        print(skill.uri, "-", skill.frontmatter.description)


async def get(client, uri):
    skill = await client.get_skill(uri)
    for resource in skill.resources:
        print(resource.digest, resource.size, resource.uri)


async def read(client, uri, folder):
    """Fetches every file, held against its size and digest, and writes them."""
    skill = await client.read_skill(uri)
    print("wrote", skill.to_directory(folder))


async def compare(client, uri, folder):
    """Holds the sizes and digests that are told against files that the publisher has."""
    skill = await client.get_skill(uri)
    base = uri.removesuffix("SKILL.md")
    told = {unquote(r.uri.removeprefix(base)): (r.size, r.digest) for r in skill.resources}
    found = {}
    for path in Path(folder).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            found[path.relative_to(folder).as_posix()] = (len(content), digest)
    if told != found:
        sys.exit(f"{sorted(set(told.items()) ^ set(found.items()))} differ")
    print(f"equal digests of {len(told)} files")


async def main(command, url, *arguments):
    token = None
    if "--token" in arguments:
        *arguments, _, token = arguments
    async with Client(url, auth=token, extensions=[SkillsClientExtension()]) as client:
        await {"list": listing, "get": get, "read": read, "compare": compare}[command](client, *arguments)


asyncio.run(main(*sys.argv[1:]))
