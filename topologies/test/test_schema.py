# SPDX-License-Identifier: MIT
"""The JSON Schema and the C++ loader say the same of every file of the corpus.

corpus/good: both accept. corpus/malformed: both refuse. corpus/contradictory: the schema cannot see what is wrong
(a sum, a reference to a name, a range of a size), the loader refuses.
"""

import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest
import yaml

TOPOLOGIES = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
CHECK = os.environ.get("TOPOLOGY_CHECK", TOPOLOGIES.parent / "build" / "bin" / "topology-check")
SCHEMA = json.loads((TOPOLOGIES / "topology.schema.json").read_text())


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema: PyYAML's own is that of 1.1, where `on` is true and 1:30 is 90."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+0123456789."),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
]:
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def unique_mapping(loader, node):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    if len(set(map(str, keys))) != len(keys):
        raise yaml.YAMLError("duplicate key")
    return {key: loader.construct_object(value, deep=True) for key, (_, value) in zip(keys, node.value)}


CoreLoader.add_constructor("tag:yaml.org,2002:map", unique_mapping)


def schema_accepts(path):
    try:
        document = yaml.load(path.read_text(), CoreLoader)
        jsonschema.Draft7Validator(SCHEMA).validate(document)
    except (yaml.YAMLError, jsonschema.ValidationError, RecursionError):
        return False
    return True


def loader_says(path):
    run = subprocess.run([CHECK, path], capture_output=True, text=True, timeout=60)
    assert run.returncode in (0, 1), run.stderr
    return run.returncode == 0, run.stdout


def files(folder):
    found = sorted(folder.glob("*.yaml"))
    assert found, folder
    return [pytest.param(path, id=path.name) for path in found]


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", files(TOPOLOGIES) + files(CORPUS / "good"))
def test_good_files_are_accepted_by_both(path):
    assert schema_accepts(path)
    assert loader_says(path) == (True, f"ok {path}\n")


@pytest.mark.parametrize("path", files(CORPUS / "malformed"))
def test_malformed_files_are_refused_by_both(path):
    assert not schema_accepts(path)
    accepted, message = loader_says(path)
    assert not accepted
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: ", message), message


@pytest.mark.parametrize("path", files(CORPUS / "contradictory"))
def test_contradictory_files_are_refused_by_the_loader(path):
    assert schema_accepts(path)
    accepted, message = loader_says(path)
    assert not accepted
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: ", message), message


def documented(definition, path=""):
    for name, field in definition.get("properties", {}).items():
        yield f"{path}{name}", field
        yield from documented(field, f"{path}{name}.")


def test_every_field_of_the_schema_has_a_description():
    definitions = SCHEMA["definitions"]
    for where, part in [("", SCHEMA)] + [(f"{name}.", part) for name, part in definitions.items()]:
        for name, field in documented(part, where):
            target = definitions[field["$ref"].rsplit("/", 1)[1]] if "$ref" in field else {}
            assert field.get("description") or target.get("description"), name


def test_every_default_of_the_schema_is_valid():
    for part in SCHEMA["definitions"].values():
        for field in part.get("properties", {}).values():
            if "default" in field:
                schema = {key: value for key, value in field.items() if key != "default"}
                jsonschema.Draft7Validator({**schema, "definitions": SCHEMA["definitions"]}).validate(field["default"])
