//! Reader of `template.yaml` and the stacks inside it. It turns the short tags of `CloudFormation` into their long functions, as
//! JSON, and puts the resources of all stacks into one template.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use saphyr::{LoadableYamlNode as _, Scalar, Yaml};
use serde_json::{Map, Value, json};

use super::nested::with_nested_stacks;

/// Template of the repository, as a new stack has it, with the resources of the stacks inside it.
pub(super) static TEMPLATE: LazyLock<Template> =
    LazyLock::new(|| Template(with_nested_stacks(on_its_own_tables(main_template()))));

/// Returns `template.yaml` as it stands.
pub(super) fn main_template() -> Value {
    read("template.yaml")
}

/// Returns a template of the repository as it stands.
pub(super) fn read(path: &str) -> Value {
    parse(&std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Conditions of the choices between other tables and the stack's own, and of a table that is made from a build.
const CHOICES_OF_TABLES: [&str; 4] = ["UsesRestoredTables", "UsesLoadedReviews", "UsesOtherReviews", "ImportsReviews"];

/// Returns the path of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Replaces each choice between restored or loaded tables and the stack's own by the latter.
fn on_its_own_tables(value: Value) -> Value {
    let is_choice = |value: &Value| CHOICES_OF_TABLES.iter().any(|condition| value["Fn::If"][0] == *condition);
    match value {
        Value::Array(items) => items.into_iter().map(on_its_own_tables).collect(),
        Value::Object(_) if is_choice(&value) => on_its_own_tables(value["Fn::If"][2].clone()),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, on_its_own_tables(value)));
            Value::Object(fields.filter(|(_, value)| *value != json!({ "Ref": "AWS::NoValue" })).collect())
        }
        other => other,
    }
}

/// A whole template.
pub(super) struct Template(Value);

/// A resource: its logical name, and the document under it.
#[derive(Clone, Copy)]
pub(super) struct Resource<'a> {
    pub(super) name: &'a str,
    pub(super) document: &'a Value,
}

/// Parses a template.
pub(super) fn parse(text: &str) -> Value {
    let documents = Yaml::load_from_str(text).expect("YAML");
    assert_eq!(documents.len(), 1);
    to_json(&documents[0])
}

impl Template {
    /// Returns the value at a path of names, or `null`.
    pub(super) fn at(&self, path: &[&str]) -> &Value {
        path.iter().fold(&self.0, |value, name| &value[*name])
    }

    /// Every resource, in no order.
    pub(super) fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        let resources = self.0["Resources"].as_object().expect("resources");
        resources.iter().map(|(name, document)| Resource { name, document })
    }

    /// The resources of a type.
    pub(super) fn of_type(&self, kind: &str) -> impl Iterator<Item = Resource<'_>> {
        self.resources().filter(move |resource| resource.kind() == kind)
    }

    /// A resource by its logical name.
    pub(super) fn resource(&self, name: &str) -> Resource<'_> {
        self.resources().find(|resource| resource.name == name).unwrap_or_else(|| panic!("a resource {name}"))
    }

    /// The functions by their names without that of the stack. One binary may be two functions.
    pub(super) fn functions(&self) -> BTreeMap<&str, Resource<'_>> {
        fn name(function: Resource<'_>) -> &str {
            let name = function.property("FunctionName")["Fn::Sub"].as_str().expect("a name");
            name.rsplit_once('-').expect("a stack").1
        }
        self.of_type("AWS::Serverless::Function").map(|function| (name(function), function)).collect()
    }

    /// Text that may refer to parameters, with their defaults, and to the prefix of the tables, as a new stack has it.
    pub(super) fn text(&self, value: &Value) -> String {
        let (template, prefix) = match value["Fn::Sub"].as_array() {
            Some(parts) => (&parts[0], Some(self.text(self.chosen(&parts[1]["Prefix"])))),
            None => (&value["Fn::Sub"], None),
        };
        let template = template.as_str().or(value.as_str()).expect("a text").to_owned();
        let template = prefix.map_or(template.clone(), |prefix| template.replace("${Prefix}", &prefix));
        let parameters = self.0["Parameters"].as_object().expect("parameters").iter();
        let defaults = parameters.filter_map(|(name, one)| Some((format!("${{{name}}}"), one["Default"].as_str()?)));
        defaults.fold(template, |text, (name, default)| text.replace(&name, default))
    }

    /// Returns the name in AWS of the function or table that a value names or refers to, in a form that can be compared.
    pub(super) fn name_of(&self, value: &Value) -> String {
        let Some(logical) = value["Ref"].as_str().or(value["Fn::GetAtt"][0].as_str()) else { return self.text(value) };
        let resource = self.resource(logical);
        self.text(
            ["TableName", "FunctionName"]
                .into_iter()
                .map(|name| resource.property(name))
                .find(|name| !name.is_null())
                .expect("a name"),
        )
    }

    /// Returns the branch of an `Fn::If` that a stack takes whose parameter is empty, or a value that is no `Fn::If`.
    fn chosen<'a>(&'a self, value: &'a Value) -> &'a Value {
        let Some(choice) = value["Fn::If"].as_array() else { return value };
        let parameter = &choice[1]["Ref"].as_str().expect("a parameter");
        let name = choice[0].as_str().expect("a condition");
        let is_set = json!({ "Fn::Not": [{ "Fn::Equals": [{ "Ref": parameter }, ""] }] });
        assert_eq!(self.at(&["Conditions", name]), &is_set, "{name}");
        assert_eq!(self.at(&["Parameters", parameter, "Default"]), "", "{parameter}");
        &choice[2]
    }
}

impl<'a> Resource<'a> {
    /// Its type.
    pub(super) fn kind(&self) -> &'a str {
        self.document["Type"].as_str().expect("a type")
    }

    /// A property, `null` where it is not set.
    pub(super) fn property(&self, name: &str) -> &'a Value {
        &self.document["Properties"][name]
    }

    /// Returns an attribute beside the properties, such as `DeletionPolicy`.
    pub(super) fn attribute(&self, name: &str) -> &'a Value {
        &self.document[name]
    }
}

/// The logical name that `!GetAtt NAME.Attribute` or `!Ref NAME` refers to.
pub(super) fn referent(value: &Value) -> &str {
    value["Ref"].as_str().or(value["Fn::GetAtt"][0].as_str()).unwrap_or_else(|| panic!("a reference: {value}"))
}

fn to_json(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Value(scalar) => match scalar {
            Scalar::Null => Value::Null,
            Scalar::Boolean(is) => json!(is),
            Scalar::Integer(number) => json!(number),
            Scalar::FloatingPoint(number) => json!(number.0),
            Scalar::String(text) => json!(text),
        },
        Yaml::Sequence(items) => items.iter().map(to_json).collect(),
        Yaml::Mapping(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str().expect("a text").to_owned(), to_json(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Yaml::Tagged(tag, inner) => function(&tag.suffix, &to_json(inner)),
        other => panic!("unknown to CloudFormation: {other:?}"),
    }
}

fn function(tag: &str, argument: &Value) -> Value {
    match (tag, argument.as_str().and_then(|text| text.split_once('.'))) {
        ("Ref" | "Condition", _) => json!({ tag: argument }),
        ("GetAtt", Some((name, attribute))) => json!({ "Fn::GetAtt": [name, attribute] }),
        _ => json!({ format!("Fn::{tag}"): argument }),
    }
}

#[test]
fn the_short_tags_of_cloudformation_are_read_as_its_functions() {
    let read =
        parse("{a: !Ref B, c: !GetAtt D.E.F, g: !Sub 'x-${Y}', h: !If [I, !Ref J, 1.5], k: [yes, \"true\", true]}");
    let expected = json!({
        "a": {"Ref": "B"}, "c": {"Fn::GetAtt": ["D", "E.F"]}, "g": {"Fn::Sub": "x-${Y}"},
        "h": {"Fn::If": ["I", {"Ref": "J"}, 1.5]}, "k": ["yes", "true", true],
    });
    assert_eq!(read, expected);
}
