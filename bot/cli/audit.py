"""Verify or export the audit: who asked for what, who agreed, what was refused, and what was done.

    gpubot audit verify                    every row, and its place in the chain; names the first that was changed
    gpubot audit verify --expect DIGEST    and that a row with this digest, noted earlier, is still there
    gpubot audit verify --from FILE        of an export, without any database
    gpubot audit export > audit.jsonl      every row as one line of JSON, oldest first

Note the digest that verify tells somewhere else now and then: whoever can write to the database can compute a whole
chain anew, and only a digest from before shows that. The database is that of --config FILE or GPUBOT_CONFIG, or --store
URL. Exit status: 0 the chain holds, 1 it does not, 2 the database cannot be used, 3 wrong use.
"""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from bot.cli.verb import Verb
from bot.domain.audit import Verified
from bot.domain.errors import ConfigError, NotFoundError, UsageError

VERIFY, EXPORT = "verify", "export"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=(VERIFY, EXPORT))
    parser.add_argument("--config", metavar="FILE", default=os.environ.get("GPUBOT_CONFIG"), help="settings (YAML)")
    parser.add_argument("--store", metavar="URL", help="the database, instead of the settings'")
    parser.add_argument("--from", dest="file", metavar="FILE", help="verify an export instead of the database")
    parser.add_argument("--expect", metavar="DIGEST", help="a digest that must be among the rows")


def run(chosen: argparse.Namespace) -> int:
    if chosen.what == EXPORT and (chosen.file or chosen.expect):
        raise UsageError("`--from` and `--expect` belong to `gpubot audit verify`.")
    lines = _lines_of(chosen.file) if chosen.file else None
    if lines is not None:
        from bot.adapters.store.audit_lines import verified

        return _tell(verified(lines), chosen.expect, [line for line in lines if _has(line, chosen.expect)])
    result, found = asyncio.run(_read(_url(chosen), export=chosen.what == EXPORT, expect=chosen.expect))
    if chosen.what == EXPORT and result.broken is None:
        return 0
    return _tell(result, chosen.expect, found)


async def _read(url: str, *, export: bool, expect: str | None) -> tuple[Verified, list[bytes]]:
    """What came of verifying, and the lines that hold the digest that is expected."""
    from bot.adapters.store import Store
    from bot.adapters.store.audit_lines import line_of
    from bot.adapters.store.changes import Changes

    store = await Store.open(url)
    try:
        changes, found = Changes(store), []
        if export or expect:
            async for row in changes.raw_rows():
                line = line_of(row)
                found += [line] if _has(line, expect) else []
                if export:
                    sys.stdout.buffer.write(line)
        return await changes.verify(), found
    finally:
        await store.close()


def _tell(result: Verified, expect: str | None, found: list[bytes]) -> int:
    if result.broken is not None:
        print(f"The audit does not hold: {result.reason}. Rows before row {result.broken} hold.", file=sys.stderr)
        return 1
    if expect and not found:
        print(f"All {result.rows:,} rows hold, but none has the digest {expect}: they are not those of then.",
              file=sys.stderr)  # fmt: skip
        return 1
    print(f"All {result.rows:,} rows of the audit hold. The last one's digest: {result.digest}")
    return 0


def _has(line: bytes, digest: str | None) -> bool:
    return bool(digest) and line.startswith(f'{{"digest":"{digest}"'.encode())


def _lines_of(path: str) -> list[bytes]:
    try:
        return Path(path).expanduser().read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error


def _url(chosen: argparse.Namespace) -> str:
    """Raises NotFoundError for a file that is not there: an empty database would be made, and would verify."""
    from config.settings import StoreSettings, load

    settings = StoreSettings(url=chosen.store) if chosen.store else load(chosen.config).store
    scheme, _, path = settings.url.partition(":///")
    if scheme.startswith("sqlite") and path and not Path(path.partition("?")[0]).expanduser().exists():
        raise NotFoundError(f"There is no database {path}: name it with --store, or by --config FILE.")
    return settings.opened_url()


VERB = Verb("audit", "verify or export who asked for, agreed to and did what", arguments, run)
