"""gRPC statuses with details: what a caller is told beyond a code."""

from __future__ import annotations

from collections.abc import Sequence

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN = "phom.v1"


# Callers take 8 KiB of trailers, Java's with the base64 of what is binary counted in, and what is
# more they refuse, some of them at random, with a code that they then take for ours.
_DETAILS_BYTES = 3500


def invalid_argument(fields: Sequence[tuple[str, str]]) -> grpc.Status:
    """INVALID_ARGUMENT with a BadRequest that names each `(field path, description)`.

    As many as callers can take; the last one named says how many there are besides.
    """
    message = "; ".join(f"{field}: {description}" for field, description in fields[:3])
    if len(fields) > 3:
        message += f"; and {len(fields) - 3} more fields"
    detail = error_details_pb2.BadRequest()
    for named, (field, description) in enumerate(fields):
        violation = detail.field_violations.add(field=field, description=description)
        if detail.ByteSize() > _DETAILS_BYTES and named + 1 < len(fields):
            violation.description += (
                f"; and {len(fields) - named - 1} more fields, too many to name"
            )
            break
    return _status(code_pb2.INVALID_ARGUMENT, message, detail, _info("CANNOT_BE_JUDGED"))


def resource_exhausted(what: str, retry_millis: int) -> grpc.Status:
    """RESOURCE_EXHAUSTED with a RetryInfo: there are too many of `what` just now."""
    detail = error_details_pb2.RetryInfo()
    detail.retry_delay.FromMilliseconds(retry_millis)
    info = _info("TOO_MANY_AT_ONCE", of=what)
    return _status(code_pb2.RESOURCE_EXHAUSTED, f"too many {what} at once", detail, info)


def unavailable() -> grpc.Status:
    """UNAVAILABLE: the server is about to end, and callers find another."""
    return _status(code_pb2.UNAVAILABLE, "the server is draining", _info("DRAINING"))


def internal(reference: str) -> grpc.Status:
    """INTERNAL, with the reference under which the log has the rest."""
    message = f"internal error, reference {reference}"
    return _status(code_pb2.INTERNAL, message, _info("INTERNAL_FAULT", reference=reference))


def _info(reason: str, **metadata: str) -> error_details_pb2.ErrorInfo:
    """The reason for programs, whose names stay while sentences change."""
    return error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)


def _status(code: int, message: str, *details: Message) -> grpc.Status:
    status = status_pb2.Status(code=code, message=message)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    converted: grpc.Status = rpc_status.to_status(status)
    return converted
