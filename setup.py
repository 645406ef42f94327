"""What pyproject.toml has no words for: code generated from proto/, and the compiled core.

Two switches in the environment: PHOM_MARCH, the x86-64 processors to compile for (default
x86-64-v2), and PHOM_SANITIZE, as "address,undefined": a slower core that reports its own faults.
"""

import os
import sys
from pathlib import Path
from typing import ClassVar

from setuptools import Command, Extension, setup
from setuptools.command.build import build

sys.path.insert(0, str(Path(__file__).resolve().parent / "proto"))
from generate import generate

CORE = Path("core_ext/phom_core")
SETTINGS = Path("build/settings.txt")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def compiler_flags() -> list[str]:
    # The kinds of events follow no pattern that a jump through a table could be guessed from.
    chosen = ["-O3", "-fno-jump-tables"]
    if sanitize := os.environ.get("PHOM_SANITIZE"):
        chosen = ["-O1", "-g", f"-fsanitize={sanitize}", "-fno-sanitize-recover=all"]
    if os.uname().machine == "x86_64":
        # Plain x86-64 has no popcount instruction, which costs the arrangement a factor of two.
        chosen.append("-march=" + os.environ.get("PHOM_MARCH", "x86-64-v2"))
    return chosen


class Generate(Command):
    """Generates what is not committed, before anything that needs it is built."""

    user_options: ClassVar[list[tuple[str, str, str]]] = []

    def initialize_options(self) -> None: ...

    finalize_options = initialize_options

    def run(self) -> None:
        generate()
        # With other settings than the last build's nothing that was compiled may be used again.
        settings = f"{compiler_flags()} {DIRECTIVES}\n"
        if not SETTINGS.exists() or SETTINGS.read_text() != settings:
            for compiled in CORE.glob("*.c"):
                compiled.unlink()
            SETTINGS.parent.mkdir(exist_ok=True)
            SETTINGS.write_text(settings)


def module(source: Path) -> Extension:
    made = Extension(f"phom_core.{source.stem}", [str(source)])
    made.extra_compile_args = made.extra_link_args = compiler_flags()
    made.cython_directives, made.cython_include_dirs = DIRECTIVES, ["core_ext"]
    return made


build.sub_commands.insert(0, ("generate", None))
setup(cmdclass={"generate": Generate}, ext_modules=[*map(module, sorted(CORE.glob("*.pyx")))])
