"""Everything that is generated from the .proto files; nothing of it is committed.

Beside them: the Python messages and services, with their types. For the core, which reads and
writes wire bytes itself: `contract.pxd`, the contract's field numbers and enum values.
"""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import (
        DescriptorProto,
        EnumDescriptorProto,
        FileDescriptorSet,
    )

PROTO = Path(__file__).resolve().parent
CONTRACT_PXD = PROTO.parent / "core_ext" / "phom_core" / "contract.pxd"

HEADER = '''\
"""The contract's numbers, generated from the .proto files; do not edit.

A field is `Message_field`, a message or enum within another `Outer_Inner`; an enum's values keep
their own names, and `Enum_SIZE` is one more than the greatest of them.
"""
'''


def generate() -> None:
    """Run protoc over all .proto files and write `contract.pxd` from what it read."""
    # Only here: a source distribution is made without protobuf.
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    protos = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with TemporaryDirectory() as scratch:
        out = Path(scratch, "descriptors")
        python = (f"--python_out={PROTO}", f"--pyi_out={PROTO}")
        protoc(*python, f"--descriptor_set_out={out}", *protos)
        contract = FileDescriptorSet.FromString(out.read_bytes())
    services = [file.name for file in contract.file if file.service]
    protoc(f"--grpc_python_out={PROTO}", f"--mypy_grpc_out=quiet:{PROTO}", *services)
    text = contract_pxd(contract)
    # An unchanged file keeps its time, so that the core is not compiled anew.
    if not CONTRACT_PXD.exists() or CONTRACT_PXD.read_text() != text:
        CONTRACT_PXD.write_text(text)


def protoc(*arguments: str) -> None:
    from grpc_tools import protoc as compiler

    # protoc looks for its plugin on the PATH, which a virtual environment need not be on.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    known = files("grpc_tools") / "_proto"
    if compiler.main(["protoc", f"-I{PROTO}", f"-I{known}", *arguments]) != 0:
        raise RuntimeError(f"protoc failed: {' '.join(arguments)}")


def contract_pxd(contract: FileDescriptorSet) -> str:
    """The Cython header for a FileDescriptorSet, in the order of its files."""
    text = HEADER
    for file in sorted(contract.file, key=lambda file: file.name):
        text += f"\n# {file.name}\n"
        text += "".join(enum_block("", enum) for enum in file.enum_type)
        text += "".join(message_block("", message) for message in file.message_type)
    return text


def message_block(outer: str, message: DescriptorProto) -> str:
    name = outer + message.name
    lines = (f"    {name}_{field.name} = {field.number}\n" for field in message.field)
    text = "\ncdef enum:\n" + "".join(lines) if message.field else ""
    text += "".join(enum_block(f"{name}_", enum) for enum in message.enum_type)
    return text + "".join(message_block(f"{name}_", inner) for inner in message.nested_type)


def enum_block(outer: str, enum: EnumDescriptorProto) -> str:
    lines = [f"    {value.name} = {value.number}\n" for value in enum.value]
    size = max(value.number for value in enum.value) + 1
    # Apart from the enum, of which it is no value.
    lines.append(f"\ncdef enum:\n    {outer}{enum.name}_SIZE = {size}\n")
    return f"\ncdef enum {outer}{enum.name}:\n" + "".join(lines)


if __name__ == "__main__":
    generate()
