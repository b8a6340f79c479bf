"""Checks that each example of a description fits its schema: python openapi_examples.py FILE…"""

import json
import sys

from openapi_schema_validator import OAS30Validator, OAS31Validator


def main(files):
    """Checks the files. Returns 1 if an example does not fit, or a file has none."""
    findings = 0
    for file in files:
        with open(file, encoding="utf-8") as text:
            document = json.load(text)
        examples = list(find_examples(document, "#"))
        objections = [f"{file}: {place}: {objection}" for place, *example in examples for objection in objections_to(document, *example)]
        print("\n".join([*objections, f"{file}: {len(examples)} examples, {len(objections)} that do not fit"]))
        findings += len(objections) or not examples
    return 1 if findings else 0


def find_examples(part, place):
    """Yields the place, the schema and the value of each example inside a part of the document."""
    if isinstance(part, list):
        for index, item in enumerate(part):
            yield from find_examples(item, f"{place}/{index}")
    elif isinstance(part, dict):
        schema = part.get("schema")
        if isinstance(schema, dict):
            if "example" in part:
                yield place, schema, part["example"]
            for name, example in part.get("examples", {}).items():
                yield f"{place}/examples/{name}", schema, example["value"]
        for name, member in part.items():
            if name not in ("example", "examples", "schema", "schemas"):
                yield from find_examples(member, f"{place}/{name}")


def objections_to(document, schema, value):
    """Yields the differences between a value and its schema."""
    validator = OAS30Validator if document["openapi"].startswith("3.0") else OAS31Validator
    whole = {**schema, "components": document["components"]}
    for error in validator(whole, format_checker=validator.FORMAT_CHECKER).iter_errors(value):
        yield error.message


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
