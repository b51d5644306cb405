"""validate_json.py SCHEMA: reads a list of [definition or "", document] from standard input and prints one line for
each fault that the JSON Schema (or its $defs entry of that name) finds. Exit 77 where python3 has no jsonschema."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
for name, document in json.load(sys.stdin):
    part = {"$defs": schema["$defs"], "$ref": "#/$defs/" + name} if name else schema
    for fault in jsonschema.Draft202012Validator(part).iter_errors(document):
        print(fault.message)
