"""The six methods of phom.v1.RefereeService, as functions of bytes.

Requests and responses are not touched here: the core reads and writes the wire format itself, since
walking Python messages costs more than judging the game. What the service adds is the status that a
caller gets for what cannot be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import grpc
from phom.v1 import referee_pb2
from phom_core import NotALog, analyze_hand

from phom_referee.errors import invalid_argument
from phom_referee.houses import presets, referee

SERVICE = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name

Core = Callable[[bytes], bytes]


def handlers() -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
    """A handler for each method of the service, without (de)serializers."""
    judge = referee()
    rulesets = presets().SerializeToString()
    unary: dict[str, Core] = {
        "Replay": judge.replay,
        "CheckAction": judge.check_action,
        "ListLegalActions": judge.list_legal_actions,
        "AnalyzeHand": analyze_hand,
        "ListRulesets": lambda _: rulesets,
    }
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        name: grpc.unary_unary_rpc_method_handler(_answering(call)) for name, call in unary.items()
    }
    methods["ReplayMany"] = grpc.stream_stream_rpc_method_handler(
        _answering_each(judge.replay_many)
    )
    return methods


def _answering(call: Core) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return call(request)
        except NotALog as fault:
            context.abort_with_status(invalid_argument(fault.fields))

    return answer


def _answering_each(
    call: Core,
) -> Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]:
    def answer(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        # One message at a time: memory is that of one message, and a caller that is gone, or
        # whose deadline has passed, is noticed before the next.
        for request in requests:
            if not context.is_active():
                return
            try:
                yield call(request)
            except NotALog as fault:
                context.abort_with_status(invalid_argument(fault.fields))

    return answer
