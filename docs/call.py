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
log = json_format.Parse(sys.stdin.read(), GameLog())
with grpc.insecure_channel(address) as channel:
    response = RefereeServiceStub(channel).Replay(ReplayRequest(log=log))
print(json_format.MessageToJson(response.verdict))
