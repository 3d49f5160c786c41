"""Keys like those of the repository's own bench, made from a seed."""

import random
import uuid
from collections.abc import Callable


def urls(rows: int, draw: random.Random) -> list[str]:
    """Few hosts, many paths that begin alike."""
    sections = ["articles/2024", "articles/2025", "users/profile", "static/images/thumbnails", "api/v2/items"]
    return [
        f"https://www.{draw.choice('abcdefgh')}-example.org/{draw.choice(sections)}/{draw.randrange(rows * 4)}"
        for _ in range(rows)
    ]


def paths(rows: int, draw: random.Random) -> list[str]:
    """Files of a tree of folders."""
    folders = [f"/home/{draw.randrange(40)}/project-{draw.randrange(50)}/src/module_{n % 97}" for n in range(5_000)]
    return [f"{draw.choice(folders)}/file_{draw.randrange(rows)}.py" for _ in range(rows)]


def uuids(rows: int, draw: random.Random) -> list[str]:
    return [str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(rows)]


def words(rows: int, draw: random.Random) -> list[str]:
    """A few words often and most seldom; some are not ASCII."""
    letters = "abcdefghijklmnopqrstuvwxyzäéλж"
    known = ["".join(draw.choices(letters, k=draw.randrange(2, 12))) for _ in range(50_000)]
    return [known[int(len(known) * draw.random() ** 4)] for _ in range(rows)]


SETS: dict[str, Callable[[int, random.Random], list[str]]] = {
    "url": urls,
    "path": paths,
    "uuid": uuids,
    "words": words,
}
