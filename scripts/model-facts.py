#!/usr/bin/env python3
"""Writes what models can do beside their prices: crates/aish-llm/data/prices.json.

Usage: scripts/model-facts.py [LITELLM.whl]

The facts (longest answer, tools, images, kinds of thinking, whether a temperature is taken) come from the table that the PyPI
package litellm (MIT licence) has of the vendors' pages; without a file the newest wheel is downloaded with pip. Only the
entries under a vendor's own name are read, never a reseller's. Prices, contexts and their sources stay as they are: they were
read from the vendors' pages. Prints how many models got facts, and which have none.
"""

import glob
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

FILE = pathlib.Path(__file__).resolve().parent.parent / "crates/aish-llm/data/prices.json"
TABLE = "litellm/model_prices_and_context_window_backup.json"
OWN = {"OpenAI": "openai", "Anthropic": "anthropic", "Google": "gemini", "DeepSeek": "deepseek", "Mistral": "mistral"}
FACTS = ("answer", "tools", "images", "thinking", "sampling")


def wheel(folder):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder, "litellm"]
    subprocess.run(command, check=True)
    return glob.glob(folder + "/litellm-*.whl")[0]


def plain(model):
    return model.lower().rsplit("/", 1)[-1].replace(".", "-")


def facts(entry):
    found = {
        "answer": entry.get("max_output_tokens"),
        "tools": entry.get("supports_function_calling"),
        "images": entry.get("supports_vision"),
        "sampling": entry.get("supports_sampling_params"),
    }
    if entry.get("supports_reasoning") is not None:
        kind = "adaptive" if entry.get("supports_adaptive_thinking") else "reasoning"
        found["thinking"] = [kind] if entry["supports_reasoning"] else []
    return {name: found[name] for name in FACTS if found.get(name) is not None}


def main():
    with tempfile.TemporaryDirectory() as folder:
        archive = sys.argv[1] if len(sys.argv) > 1 else wheel(folder)
        table = json.loads(zipfile.ZipFile(archive).read(TABLE))
    theirs = {}
    for name, entry in table.items():
        if isinstance(entry, dict):
            theirs.setdefault((plain(name), entry.get("litellm_provider")), entry)
    models = json.loads(FILE.read_text())
    lacking = []
    for model in models:
        entry = theirs.get((plain(model["model"]), OWN.get(model["vendor"])))
        for name in FACTS:
            model.pop(name, None)
        if entry is None:
            lacking.append(model["model"])
            continue
        last = {name: model.pop(name) for name in ("date", "source")}
        known = facts(entry)
        # An answer as long as the context is no bound of its own.
        if known.get("answer", 0) >= model.get("context", float("inf")):
            known.pop("answer")
        model.update(known | last)
    FILE.write_text("[\n" + ",\n".join(json.dumps(model) for model in models) + "\n]\n")
    print(f"{len(models) - len(lacking)} of {len(models)} models have facts; none of: {', '.join(lacking) or '-'}")


main()
