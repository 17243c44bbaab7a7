"""The command `python -m harness.report`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from harness.report.page import write_report


@dataclass
class Settings:
    """Makes a run's report again from the files in its folder."""

    run_dir: Annotated[Path, tyro.conf.Positional]
    """The run's folder, such as runs/NAME."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `python -m harness.report`."""
    print(write_report(tyro.cli(Settings, args=arguments).run_dir))


if __name__ == "__main__":
    main()
