"""The core with every mutant in it, each behind its number: compiled once, chosen at run time.

A region with mutants becomes a choice, `if MUTANT == 7: … elif MUTANT == 8: … else: …`, so that nothing is
compiled for a single mutant. MUTANT is a variable of a library of its own, which all modules share and
which is loaded before them; 0 is the core as it is.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from mutants.mutator import Mutant, constants, mutants
from mutants.source import CONDITION, STATEMENT, Region, lines

ROOT = Path(__file__).parents[2]
CORE = ROOT / "core_ext/phom_core"
SCRATCH = ROOT / ".cache/mutants"
BUILT = SCRATCH / "core"
LIBRARY = BUILT / "libmutant.so"
MODULES = ("table", "settle", "u", "phom", "arrange", "play", "validate")

_MUTANT_PXD = '''\
cdef extern from *:
    """
    extern int phom_mutant;
    """
    int MUTANT "phom_mutant"
'''
_SETUP = """\
from Cython.Build import cythonize
from setuptools import Extension, setup
modules = [Extension("phom_core.*", ["phom_core/*.pyx"], extra_compile_args={flags})]
setup(ext_modules=cythonize(modules, compiler_directives={directives}, nthreads={jobs}, quiet=True, force=True))
"""
# What a mutant leaves without a value is the same rubbish each time, not what suits the compiler.
_FLAGS = ["-O0", "-w", "-ftrivial-auto-var-init=pattern"]
# A switch in the place of `not (a == 1 and a == 2)` is wrong in Cython 3.3: it takes the `and` for an `or`.
_NO_SWITCH = {"optimize.use_switch": False}


def every_mutant() -> list[Mutant]:
    """All mutants of the rules; the number of one is its place, from 1."""
    known = constants(CORE)
    paths = [CORE / f"{module}{suffix}" for module in MODULES for suffix in (".pyx", ".pxd")]
    return [mutant for path in paths for mutant in mutants(path, known)]


def digest(*more: Path) -> str:
    """What the sources of the core and of its mutants are now, and more files."""
    here = Path(__file__)
    made_by = (here, here.with_name("mutator.py"), here.with_name("source.py"), ROOT / "setup.py")
    content = hashlib.sha256()
    for path in sorted({*CORE.glob("*.p[xy][dx]"), *made_by, *more}):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()


def build(found: Sequence[Mutant], jobs: int) -> None:
    """Compile the core with these mutants, unless that was the last thing compiled."""
    made = BUILT / "made-of.txt"
    made_of = digest()
    if made.exists() and made.read_text() == made_of:
        return
    package = BUILT / "phom_core"
    package.mkdir(parents=True, exist_ok=True)
    numbered = [*enumerate(found, 1)]
    for path in [*CORE.glob("*.p[xy][dx]"), CORE / "__init__.py"]:
        text = path.read_text(encoding="utf-8")
        own = [(number, mutant) for number, mutant in numbered if mutant.file == path.name]
        made_text = with_mutants(text, own) if own else text
        (package / path.name).write_text(made_text, encoding="utf-8")
    (package / "mutant.pxd").write_text(_MUTANT_PXD)
    (BUILT / "mutant.c").write_text("int phom_mutant = 0;\n")
    (BUILT / "setup.py").write_text(
        _SETUP.format(directives=_directives() | _NO_SWITCH, flags=_FLAGS, jobs=jobs)
    )
    _run("gcc", "-shared", "-fPIC", "-o", str(LIBRARY), "mutant.c")
    _run(sys.executable, "setup.py", "-q", "build_ext", "-fi", f"--parallel={jobs}")
    made.write_text(made_of)


def _run(*command: str) -> None:
    subprocess.run(["nice", *command], cwd=BUILT, check=True)


def _directives() -> dict[str, object]:
    """Those of setup.py, which can only be run, not imported."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    assigned = {
        ast.unparse(node.targets[0]): node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
    }
    value: dict[str, object] = ast.literal_eval(assigned["DIRECTIVES"])
    return value


def with_mutants(text: str, numbered: Sequence[tuple[int, Mutant]]) -> str:
    """A source with a choice in the place of each region that has mutants."""
    regions = [
        (region, [*own]) for region, own in groupby(numbered, key=lambda pair: pair[1].region)
    ]
    for region, own in reversed(regions):
        choice = _statement if region.kind == STATEMENT else _expression
        text = text[: region.start] + choice(text, region, own) + text[region.end :]
    text = re.sub(r"\b(un)?likely\(", "(", text)  # which are no values
    begin = next(lines(text)).tokens[-1].end  # of the docstring
    return f"{text[:begin]}\n{_imports(numbered)}{text[begin:]}"


def _imports(numbered: Sequence[tuple[int, Mutant]]) -> str:
    """What the mutants name besides what their module knows."""
    known = constants(CORE)
    named = {m.replacement: known[m.replacement] for _, m in numbered if m.replacement in known}
    others = [
        f"from phom_core.{constant.module} cimport {name}\n"
        for name, constant in named.items()
        if not any(m.file.startswith(f"{constant.module}.") for _, m in numbered)
    ]
    return "".join(["from phom_core.mutant cimport MUTANT\n", *others])


def _changed(text: str, region: Region, mutant: Mutant) -> str:
    return text[region.start : mutant.start] + mutant.replacement + text[mutant.end : region.end]


def _expression(text: str, region: Region, own: Sequence[tuple[int, Mutant]]) -> str:
    # Of a condition only the truth matters, and all ways must have one type.
    asked = "not not " if region.kind == CONDITION else ""
    ways = [f"{asked}({_changed(text, region, mutant)}) if MUTANT == {n} else" for n, mutant in own]
    return f"({' '.join(ways)} {asked}({text[region.start : region.end]}))"


def _statement(text: str, region: Region, own: Sequence[tuple[int, Mutant]]) -> str:
    margin = " " * region.line.indent
    ways = [
        f"if MUTANT == {n}:\n{margin}    {_changed(text, region, mutant)}\n{margin}"
        for n, mutant in own
    ]
    return "el".join(ways) + f"else:\n{margin}    {text[region.start : region.end]}"
