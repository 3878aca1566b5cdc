"""Serves a GGUF with llama.cpp on a free port, prints its address, and ends at the end of stdin.

Usage: llama_server.py GGUF CONTEXT [TEMPLATE]; CONTEXT is in tokens, TEMPLATE is a Jinja chat template in place of the model's own.
"""
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
params.port = 0
params.use_jinja = True
params.endpoint_props = True
if len(sys.argv) > 3:
    params.chat_template = sys.argv[3]
# One thread: with more, a busy machine is waited for at every step.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
