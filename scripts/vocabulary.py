#!/usr/bin/env python3
"""Packs a vocabulary of tiktoken for the executable.

usage: vocabulary.py NAME.tiktoken > NAME.tokens.gz

A `.tiktoken` file has a line a token: its bytes in base64, and its rank. What is written has the tokens in the order of
their ranks, which count from 0 without a gap: a byte with the length, then the bytes.
"""

import base64
import gzip
import sys


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        ranked = sorted((int(rank), base64.b64decode(token)) for token, rank in map(bytes.split, file))
    if [rank for rank, _ in ranked] != list(range(len(ranked))):
        sys.exit("the ranks have a gap")
    tokens = b"".join(bytes([len(token)]) + token for _, token in ranked)
    sys.stdout.buffer.write(gzip.compress(tokens, 9, mtime=0))


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
