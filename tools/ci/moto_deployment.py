#!/usr/bin/env python3
"""Creates the deployment in moto, after SAM has translated it as CloudFormation would: moto_deployment.py IGNORED

The stages dev and prod are created in one account and region, so that names which are not unique fail. IGNORED lists the types of
resources that moto does not make; the script fails if the list is not exact. It also reads the translated template: requests,
the stream and the schedules must invoke the alias, and a changed setting must make a new version.
"""

import functools
import importlib
import io
import json
import os
import re
import sys
import tomllib
import zipfile
from pathlib import Path

REGION = "eu-west-1"
os.environ.update(
    AWS_DEFAULT_REGION=REGION, AWS_ACCESS_KEY_ID="moto", AWS_SECRET_ACCESS_KEY="moto", MOTO_IAM_LOAD_MANAGED_POLICIES="true"
)

import boto3
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.cloudformation.parsing import get_model_map
from samtranslator.parser.parser import Parser
from samtranslator.translator.managed_policy_translator import ManagedPolicyLoader
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).resolve().parents[2]
# Parts of moto that make resources of the template. It loads none by itself.
SERVICES = ("apigatewayv2", "awslambda", "cloudwatch", "codedeploy", "dynamodb", "events", "iam", "logs", "route53", "s3", "ses", "sesv2", "sns", "sqs")
STACK = "AWS::CloudFormation::Stack"
FUNCTION = "AWS::Serverless::Function"
# Stages of samconfig.toml, each with further parameters. Prod has everything that is optional.
STAGES = {
    "dev": {"MailDomain": "dev.example.com", "ProtectTables": "false"},
    "prod": {
        "MailDomain": "example.com",
        "AlarmEmail": "alarms@example.com",
        "SignInUrl": "https://app.example.com/sign-in",
        "DomainName": "api.example.com",
        "CertificateArn": f"arn:aws:acm:{REGION}:123456789012:certificate/0",
        "MaxReadUnits": "2000",
        "MaxWriteUnits": "1000",
        "ReviewsImport": "parts/load-1",
        "Ingest": "true",
        "Events": "true",
        "Webhooks": "true",
        "Replies": "true",
    },
}


def load(path):
    return yaml_parse((ROOT / path).read_text())


def values_of(template, stage):
    """Returns the name of the stack of a stage, and the values of all parameters, as texts."""
    settings = tomllib.loads((ROOT / "samconfig.toml").read_text())[stage]
    pairs = (pair.split("=", 1) for pair in settings["deploy"]["parameters"]["parameter_overrides"])
    given = {name: value.strip('"') for name, value in pairs}
    unknown = (set(given) | set(STAGES[stage])) - set(template["Parameters"])
    assert not unknown, f"no such parameters: {unknown}"
    values = {name: one.get("Default") for name, one in template["Parameters"].items()} | given | STAGES[stage]
    return settings["global"]["parameters"]["stack_name"], {name: str(value) for name, value in values.items()}


def translated(values, settings="none"):
    """Returns the main template as CloudFormation gets it from SAM, with packages in S3."""
    template = load("template.yaml")
    template["Globals"]["Function"]["Environment"]["Variables"]["SETTINGS"] = settings
    for one in template["Resources"].values():
        if "Settings" in one["Properties"].get("Parameters", {}):
            one["Properties"]["Parameters"]["Settings"] = settings
    return translate(template, values)


def translated_nested(stack, values, settings="none"):
    """Returns a nested template as CloudFormation gets it, and what the main one passes to it."""
    nested, arguments = load(stack["Properties"]["TemplateURL"]), stack["Properties"].get("Parameters", {})
    assert set(arguments) == set(nested["Parameters"]), f"parameters of {stack}"
    if "Transform" not in nested:
        return nested, arguments
    for one in nested["Resources"].values():
        if one["Type"] == FUNCTION:
            one["Properties"]["Tags"]["Settings"] = settings
    # SAM resolves the values that the main stack only hands on.
    known = {name: values[one["Ref"]] for name, one in arguments.items() if isinstance(one, dict) and one.get("Ref") in values}
    return translate(nested, known), arguments


def translate(template, values):
    for resource in template["Resources"].values():
        if resource["Type"] == FUNCTION:
            resource["Properties"]["CodeUri"] = "s3://packages/function.zip"
    return Translator(managed_policies(), Parser()).translate(template, values)


@functools.cache
def managed_policies():
    """Returns the policies of AWS by name. The list of all takes seconds."""
    return ManagedPolicyLoader(boto3.client("iam")).load()


def walk(value, change):
    """Returns a value with `change` applied to every part, the innermost first."""
    if isinstance(value, dict):
        value = {name: walk(part, change) for name, part in value.items()}
    elif isinstance(value, list):
        value = [walk(part, change) for part in value]
    return change(value)


def as_text(argument):
    """Returns an argument in the form that it has inside an Fn::Sub."""
    if isinstance(argument, dict):
        (kind, of), = argument.items()
        if kind == "Fn::Sub" and isinstance(of, list):
            return re.sub(r"\$\{(\w+)\}", lambda m: as_text(of[1][m[1]]), of[0])
        text = {"Ref": lambda: f"${{{of}}}", "Fn::Sub": lambda: of, "Fn::GetAtt": lambda: f"${{{'.'.join(of)}}}"}
        return text[kind]()
    return str(argument)


def with_arguments(nested, arguments):
    """Returns a nested template with what the main one passes in place of its parameters."""

    def change(value):
        if isinstance(value, dict) and value.get("Ref") in arguments and len(value) == 1:
            return arguments[value["Ref"]]
        if isinstance(value, dict) and isinstance(value.get("Fn::Sub"), str):
            text = re.sub(r"\$\{(\w+)\}", lambda m: as_text(arguments.get(m[1], {"Ref": m[1]})), value["Fn::Sub"])
            return {"Fn::Sub": text}
        return value

    return walk(nested, change)


def flattened(template, values):
    """Returns one template with the resources of the nested stacks: moto has no outputs of nested stacks."""
    for name in [name for name, one in template["Resources"].items() if one["Type"] == STACK]:
        # What it is passed may be an output of one before it.
        stack = template["Resources"][name]
        nested = with_arguments(*translated_nested(stack, values))
        for section in ("Conditions", "Resources"):
            template[section] |= nested.get(section, {})
        for other in nested["Resources"].values():
            if "Condition" in stack:
                other["Condition"] = stack["Condition"]
        outputs = {f"Outputs.{key}": one["Value"] for key, one in nested.get("Outputs", {}).items()}

        def change(value):
            if isinstance(value, dict) and isinstance(value.get("Fn::Sub"), str):
                text = re.sub(rf"\$\{{{name}\.(Outputs\.\w+)\}}", lambda m: as_text(outputs[m[1]]), value["Fn::Sub"])
                return {"Fn::Sub": text}
            is_output = isinstance(value, dict) and value.get("Fn::GetAtt", [None])[0] == name
            return outputs[value["Fn::GetAtt"][1]] if is_output else value

        del template["Resources"][name]
        template = walk(template, change)
    return template


def holds(condition, conditions, values):
    """True if a condition holds for these values of the parameters."""
    if not isinstance(condition, dict):
        return condition
    (kind, of), = condition.items()
    part = lambda one: holds(one, conditions, values)
    return {
        "Ref": lambda: values[of],
        "Condition": lambda: part(conditions[of]),
        "Fn::Equals": lambda: str(part(of[0])) == str(part(of[1])),
        "Fn::Not": lambda: not part(of[0]),
        "Fn::And": lambda: all(map(part, of)),
        "Fn::Or": lambda: any(map(part, of)),
    }[kind]()


def decided(template, values):
    """Returns the template without conditions: what holds stays, and nothing else."""
    conditions = {name: holds(one, template["Conditions"], values) for name, one in template["Conditions"].items()}
    nothing = {"Ref": "AWS::NoValue"}

    def decide(value):
        if not (isinstance(value, dict) and set(value) == {"Fn::If"}):
            return value
        condition, then, otherwise = value["Fn::If"]
        return then if conditions[condition] else otherwise

    def drop(value):
        if isinstance(value, dict):
            return {name: part for name, part in value.items() if part != nothing}
        return [part for part in value if part != nothing] if isinstance(value, list) else value

    kept = lambda parts: {name: one for name, one in parts.items() if conditions.get(one.get("Condition"), True)}
    for section in ("Resources", "Outputs"):
        template[section] = walk(walk(kept(template[section]), decide), drop)
    return template


def without(template, ignored):
    """Returns the template without these resources. References to an alias lead to its function, others become logical names."""
    resources = template["Resources"]
    of_alias = lambda one: {"Fn::GetAtt": [one["Properties"]["FunctionName"]["Ref"], "Arn"]}
    stand_ins = {name: of_alias(resources[name]) if "Alias" in resources[name]["Type"] else name for name in ignored}

    def change(value):
        if isinstance(value, dict) and value.get("Ref") in ignored:
            return stand_ins[value["Ref"]]
        if isinstance(value, dict) and value.get("Fn::GetAtt", [None])[0] in ignored:
            return ".".join(value["Fn::GetAtt"])
        if isinstance(value, dict) and "DependsOn" in value:
            return {name: part for name, part in value.items() if name != "DependsOn"}
        if isinstance(value, str):
            text = lambda m: as_text(stand_ins[m[1]]) + m[2] if m[1] in ignored else m[0]
            return re.sub(r"\$\{(\w+)((?:\.\w+)*)\}", text, value)
        return value

    kept = {name: one for name, one in resources.items() if name not in ignored}
    return walk(template | {"Resources": kept}, change)


def stage(name):
    """Returns the name of the stack of a stage, its decided template, and the values of its parameters."""
    stack, values = values_of(load("template.yaml"), name)
    # What the main stack passes is decided first, and then what the nested ones make of it.
    main = decided(translated(values), values)
    return stack, decided(flattened(main, values), values), values


def unique_names(template, stack, values):
    """Returns the names that resources must have alone in their account and region, each with its type."""
    # Names inside a function, an API or a custom domain.
    inner = ("AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::Stage", "AWS::Lambda::Alias")
    named = set()
    for one in template["Resources"].values():
        own = ("Name", one["Type"].rsplit("::", 1)[1] + "Name", "EmailIdentity", "DomainName")
        chosen = [value for key, value in one.get("Properties", {}).items() if key in own and one["Type"] not in inner]
        named |= {(one["Type"], filled(value, stack, values)) for value in chosen}
    return named


def filled(value, stack, values):
    """Returns a name with the name of the stack and the values of parameters in it."""
    if isinstance(value, dict):
        # A part of the id of a stack, which no other stack has.
        chosen = "Fn::Select" in value and f"part of the id of {stack}"
        value = value.get("Fn::Sub", value.get("Ref") and f"${{{value['Ref']}}}") or chosen
    parts = {}
    if isinstance(value, list):
        value, parts = value[0], {name: filled(part, stack, values) for name, part in value[1].items()}
    known = values | parts | {"AWS::StackName": stack}
    return re.sub(r"\$\{([\w:]+)\}", lambda m: known.get(m[1], m[0]), value)


def check_aliases(template):
    """Checks that whatever invokes a function invokes its alias, and that a release is bound to its alarms."""
    resources = template["Resources"]
    of = lambda kind: {name: one["Properties"] for name, one in resources.items() if one["Type"] == kind}
    aliases = of("AWS::Lambda::Alias")
    assert {one["Name"] for one in aliases.values()} == {"live"}
    text = lambda value: json.dumps(value)
    integrations = re.findall(r"functions/\$\{(\w+)\}/invocations", text(of("AWS::ApiGatewayV2::Api")))
    targets = [target["Arn"]["Ref"] for rule in of("AWS::Events::Rule").values() for target in rule["Targets"]]
    mappings = [one["FunctionName"]["Ref"] for one in of("AWS::Lambda::EventSourceMapping").values()]
    permissions = [one["FunctionName"]["Ref"] for one in of("AWS::Lambda::Permission").values() if "Ref" in text(one["FunctionName"])]
    assert integrations and targets and mappings and permissions
    for invoked in integrations + targets + mappings + permissions:
        assert invoked in aliases, f"{invoked} is no alias"
    for name, one in of("AWS::Lambda::EventInvokeConfig").items():
        assert one["Qualifier"] == "live", name
    for name in aliases:
        assert "CodeDeployLambdaAliasUpdate" in resources[name]["UpdatePolicy"], name
    for name, group in of("AWS::CodeDeploy::DeploymentGroup").items():
        alarms = 1 if name.startswith(("Ingest", "Publisher", "Deliverer", "Replies")) else 2
        assert group["AlarmConfiguration"]["Enabled"] and len(group["AlarmConfiguration"]["Alarms"]) == alarms, name
        events = group["AutoRollbackConfiguration"]["Events"]
        assert {"DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"} <= set(events), name
    print(f"aliases: {len(integrations)} routes, {len(targets)} schedules and {len(mappings)} streams or queues invoke one")
    return {text(group["DeploymentConfigName"]) for group in of("AWS::CodeDeploy::DeploymentGroup").values()}


def versions(values, settings="none"):
    """Returns the logical names of the versions of the functions, by function."""
    resources = translated(values, settings)["Resources"]
    nested = [translated_nested(one, values, settings)[0] for one in resources.values() if one["Type"] == STACK]
    resources = {name: one for template in nested for name, one in template["Resources"].items()} | resources
    kept = [(name, one) for name, one in resources.items() if one["Type"] == "AWS::Lambda::Version"]
    return {one["Properties"]["FunctionName"]["Ref"]: name for name, one in kept}


def check_versions():
    """Checks that new settings make new versions, as tools/ci/deploy marks them, and that nothing else does."""
    _, values = values_of(load("template.yaml"), "prod")
    before, marked = versions(values), versions(values, "0123456789ab")
    unchanged = {function for function in before if before[function] == marked[function]}
    assert before and not unchanged, unchanged
    assert versions(values) == before
    # If this fails, SAM has learned it, and the mark can go.
    assert versions(values | {"InvitationLifeHours": "5"}) == before
    check_configurations(values)
    print(f"versions: the mark of new settings makes {len(marked)}")


def nested_functions(template, values, settings):
    """Returns the functions and versions of the nested stacks, with what the main template passes to them."""
    stacks = [one for one in template["Resources"].values() if one["Type"] == STACK]
    nested = [with_arguments(*translated_nested(one, values, settings)) for one in stacks]
    return {name: one for stack in nested for name, one in stack["Resources"].items()}


def check_configurations(values):
    """Checks that a new mark changes more of each function than its tags: Lambda refuses to publish a version of the same.

    A restore marks the main template only. There the versions of the nested stacks are replaced, because their description changes.
    """

    def configurations(resources):
        functions = {name: dict(one["Properties"]) for name, one in resources.items() if one["Type"] == "AWS::Lambda::Function"}
        return {name: json.dumps({key: value for key, value in one.items() if key != "Tags"}) for name, one in functions.items()}

    def descriptions(resources):
        return {name: one["Properties"]["Description"] for name, one in resources.items() if one["Type"] == "AWS::Lambda::Version"}

    before, marked = (decided(translated(values, mark), values) for mark in ("none", "0123456789ab"))
    nested_before, restored = nested_functions(before, values, "none"), nested_functions(marked, values, "none")
    main = [configurations(one["Resources"]) for one in (before, marked)]
    nested = [configurations(one) for one in (nested_before, restored)]
    assert len(main[0]) > 3 and len(nested[0]) == 4, (main[0].keys(), nested[0].keys())
    for old, new in (main, nested, [descriptions(nested_before), descriptions(restored)]):
        assert old.keys() == new.keys(), old.keys() ^ new.keys()
        same = [name for name in old if old[name] == new[name]]
        assert not same, f"a new mark changes nothing of {same}"


def upload_packages():
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="packages", CreateBucketConfiguration={"LocationConstraint": REGION})
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as file:
        file.writestr("bootstrap", "")
    s3.put_object(Bucket="packages", Key="function.zip", Body=package.getvalue())


def create(stack, template, values):
    """Creates a stack and checks that it has every resource of the template."""
    cloudformation = boto3.client("cloudformation")
    cloudformation.create_stack(
        StackName=stack,
        TemplateBody=json.dumps(template),
        Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in values.items()],
        Capabilities=["CAPABILITY_IAM"],
    )
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    assert found["StackStatus"] == "CREATE_COMPLETE", found
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    made = {one["LogicalResourceId"] for page in pages for one in page["StackResourceSummaries"]}
    assert made == set(template["Resources"]), set(template["Resources"]) ^ made
    print(f"{stack}: {len(made)} resources created in moto")
    return {one["OutputKey"]: one["OutputValue"] for one in found["Outputs"]}


def check_tables(stack, outputs, is_protected):
    """Checks that the tables have the stack's prefix, and whether one can be deleted."""
    dynamodb = boto3.client("dynamodb")
    names = [name for name in dynamodb.list_tables()["TableNames"] if re.fullmatch(f"{stack}-(api-keys|[a-z]+)", name)]
    assert outputs["TablePrefix"] == f"{stack}-"
    declared = [one for one in load("template.yaml")["Resources"].values() if one["Type"] == "AWS::DynamoDB::Table"]
    assert len(names) == len(declared), names
    for name in names:
        try:
            dynamodb.delete_table(TableName=name)
            deleted = True
        except ClientError:
            deleted = False
        # So does CloudFormation when it takes a first deployment back.
        assert deleted != is_protected, f"{name}: deleted is {deleted}"
    print(f"{stack}: tables {'refuse' if is_protected else 'allow'} deletion")


def main():
    expected = [line for line in Path(sys.argv[1]).read_text().splitlines() if line and not line.startswith("#")]
    for service in SERVICES:
        importlib.import_module(f"moto.{service}.models")
    zone = boto3.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")["HostedZone"]["Id"]
    STAGES["prod"]["HostedZoneId"] = zone.rsplit("/", 1)[1]
    stages = [stage(name) for name in STAGES]
    configurations = {stack: check_aliases(template) for stack, template, _ in stages}
    assert configurations == {
        "presence-dev": {'{"Fn::Sub": ["CodeDeployDefault.Lambda${ConfigName}", {"ConfigName": "AllAtOnce"}]}'},
        "presence": {'{"Fn::Sub": ["CodeDeployDefault.Lambda${ConfigName}", {"ConfigName": "Canary10Percent5Minutes"}]}'},
    }, configurations
    check_versions()
    names = [unique_names(template, stack, values) for stack, template, values in stages]
    assert len(names[0]) > 30 and not names[0] & names[1], names[0] & names[1]
    print(f"names: {len(names[0])} chosen, none by both stages")
    ignored_types = set()
    upload_packages()
    for stack, template, values in stages:
        ignored = {one: r["Type"] for one, r in template["Resources"].items() if r["Type"] not in get_model_map()}
        ignored_types |= set(ignored.values())
        outputs = create(stack, without(template, ignored), values)
        check_tables(stack, outputs, values["ProtectTables"] == "true")
    assert sorted(ignored_types) == expected, f"moto ignores {sorted(ignored_types)}"
    print(f"{len(expected)} types of resources are ignored by moto: {sys.argv[1]}")


with mock_aws(config={"lambda": {"use_docker": False}}):
    main()
