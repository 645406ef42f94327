"""Ask a running referee about the game on standard input, in protobuf's JSON mapping.

phom-referee convert docs/sample.phom --to json | python docs/call.py [host:port]
"""

import sys

import grpc
from google.protobuf import json_format
from phom.v1.events_pb2 import GameLog
from phom.v1.referee_pb2 import ReplayRequest
from phom.v1.referee_pb2_grpc import RefereeServiceStub

address = sys.argv[1] if len(sys.argv) > 1 else "localhost:50051"
try:
    log = json_format.Parse(sys.stdin.read(), GameLog())
except json_format.ParseError as error:
    sys.exit(f"standard input is no GameLog in JSON: {error}")
with grpc.insecure_channel(address) as channel:
    try:
        response = RefereeServiceStub(channel).Replay(ReplayRequest(log=log))
    except grpc.RpcError as error:
        sys.exit(f"{address} answers {error.code().name}: {error.details()}")
print(json_format.MessageToJson(response.verdict))
