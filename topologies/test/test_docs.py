# SPDX-License-Identifier: MIT
"""The table of fields in docs/topology.md is what the schema says. `python3 test_docs.py` writes it anew."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "topology.md"
SCHEMA = json.loads((ROOT / "topologies" / "topology.schema.json").read_text())
BEGIN, END = "<!-- fields: begin -->\n", "<!-- fields: end -->\n"


def rows(prefix, part):
    for name, field in part["properties"].items():
        target = SCHEMA["definitions"][field["$ref"].rsplit("/", 1)[1]] if "$ref" in field else {}
        text = field.get("description") or target["description"]
        default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
        need = " (required)" if name in part.get("required", []) else ""
        yield f"| `{prefix}{name}`{need} | {text} | {default} |"


def table():
    parts = [("", SCHEMA)]
    for prefix, name in [("nodes.*.", "node"), ("switches.*.", "switch"), ("validate[].", "step"), ("*.link.", "link"), ("*.windows.", "windows")]:
        parts.append((prefix, SCHEMA["definitions"][name]))
    lines = ["| field | meaning | default |", "|---|---|---|"]
    for prefix, part in parts:
        lines.extend(rows(prefix, part))
    return "\n".join(lines) + "\n"


def test_the_page_has_the_fields_of_the_schema():
    text = PAGE.read_text()
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == table()


if __name__ == "__main__":
    page = PAGE.read_text()
    PAGE.write_text(page[: page.index(BEGIN) + len(BEGIN)] + table() + page[page.index(END) :])
