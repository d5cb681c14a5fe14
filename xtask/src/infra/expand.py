"""The templates of a folder as JSON, with the SAM transform carried out: `expand.py FOLDER`."""

import json
import os
import pathlib
import sys

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """Every role is written out, so the transform needs no list of AWS's own policies."""

    @staticmethod
    def load():
        return {}


def main(folder):
    # The transform asks for a region and calls nothing there.
    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    templates = {}
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        template = yaml_parse(path.read_text(encoding="utf-8"))
        # A zip on this machine is uploaded before the transform sees it.
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::Serverless::Function":
                resource["Properties"]["CodeUri"] = "s3://deployment/" + resource["Properties"]["CodeUri"]
        if "Transform" in template:
            template = transform(template, {}, NoManagedPolicies)
        templates[path.name] = template
    json.dump(templates, sys.stdout, indent=1)


main(sys.argv[1])
