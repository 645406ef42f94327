"""The core's reader of wire bytes, held against protobuf's own parser.

`requests` makes well-formed requests, `mutations` bends and breaks them, `compare` says whether the
core and protobuf read the same. `tree` is what a mutation works on.
"""
