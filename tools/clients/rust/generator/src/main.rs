//! Writes the generated part of presence-client: `cargo run --package presence-client-generator -- DOCUMENT FILE`.
//!
//! DOCUMENT is the description of the API, `shared/docs/openapi.json`. With `--unchanged`, FILE is the client that progenitor
//! generates by itself: DOCUMENT is then the one of version 3.0, as it is served.

use std::collections::BTreeSet;
use std::{env, fs};

use progenitor_impl::{GenerationSettings, Generator, HooksMode, InterfaceStyle};
use serde_json::{Value, json};

const HEAD: &str = "// Written by presence-client-generator from the description of the API. Do not edit.\n\n";

/// Bounds that the service checks. A client that checked them, too, would refuse what a later version allows.
const BOUNDS: [&str; 7] = ["pattern", "minLength", "maxLength", "minimum", "maximum", "minProperties", "maxItems"];

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (document, target, is_unchanged) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [document, target] => (document, target, false),
        [document, target, "--unchanged"] => (document, target, true),
        _ => anyhow::bail!("usage: DOCUMENT FILE [--unchanged]"),
    };
    let document = serde_json::from_str(&fs::read_to_string(document)?)?;
    let code =
        if is_unchanged { generate(document, &GenerationSettings::new()) } else { generate_for_layer(document) }?;
    fs::write(target, code)?;
    Ok(())
}

/// Returns the generated part of presence-client.
fn generate_for_layer(mut document: Value) -> anyhow::Result<String> {
    // Nothing that is new in 3.1 is left of it.
    document["openapi"] = "3.0.3".into();
    keep_successes(&mut document);
    simplify(&mut document);
    drop_unused(&mut document);
    let mut settings = GenerationSettings::new();
    let layer = "crate::layer::Layer".parse().map_err(|error| anyhow::anyhow!("{error}"))?;
    settings.with_interface(InterfaceStyle::Builder).with_hooks(HooksMode::Expected).with_inner_type(layer);
    generate(document, &settings)
}

fn generate(document: Value, settings: &GenerationSettings) -> anyhow::Result<String> {
    let code = Generator::new(settings).generate_tokens(&serde_json::from_value(document)?)?;
    Ok(format!("{HEAD}{}", line_comments(&prettyplease::unparse(&syn::parse2(code)?))))
}

/// Removes bounds and formats, so that texts and numbers have plain types. Of several ways to write a value, the first one
/// stays, and null is a note on it, as 3.0 has it. Several schemas are several answers, and stay. The key is a header.
fn simplify(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for several in ["anyOf", "oneOf"] {
                if !members.get(several).is_some_and(are_schemas)
                    && let Some(Value::Array(ways)) = members.remove(several)
                    && let Some(Value::Object(first)) = ways.into_iter().next()
                {
                    members.extend(first);
                }
            }
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties.remove("api_key");
            }
            if members.len() > 1
                && let Some(reference) = members.remove("$ref")
            {
                members.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            }
            if let Some(first) = members.get("type").and_then(|types| types.get(0)).cloned() {
                members.insert("type".to_owned(), first);
                members.insert("nullable".to_owned(), true.into());
            }
            if members.get("type").is_some_and(Value::is_string) {
                members.retain(|name, _| !BOUNDS.contains(&name.as_str()));
                if members["type"] == "string" {
                    members.remove("format");
                }
            }
            members.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// True if each of the ways is a schema with a name.
fn are_schemas(ways: &Value) -> bool {
    ways.as_array().is_some_and(|ways| ways.iter().all(|way| way.get("$ref").is_some()))
}

/// Removes the answers that refuse: the thin layer reads these, also where they are no JSON.
fn keep_successes(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operations in paths.into_iter().flat_map(serde_json::Map::values_mut) {
        for operation in operations.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
            if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
                responses.retain(|status, _| status.starts_with('2'));
            }
        }
    }
}

/// Removes the schemas that nothing refers to any more.
fn drop_unused(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut open = vec![&document["paths"]];
    while let Some(value) = open.pop() {
        let name =
            value.get("$ref").and_then(Value::as_str).and_then(|link| link.strip_prefix("#/components/schemas/"));
        if let Some(name) = name.filter(|name| !used.contains(*name)) {
            used.insert(name.to_owned());
            open.push(&document["components"]["schemas"][name]);
        }
        match value {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(name));
    }
}

/// Writes doc comments of several lines as one comment for each line. A formatter would indent a block, and Markdown takes an
/// indented line for code.
fn line_comments(code: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    for line in code.lines() {
        let begin = line.trim_start().strip_prefix("/**");
        let body = begin.unwrap_or(line);
        let end = body.trim_end().strip_suffix("*/").filter(|_| is_inside || begin.is_some());
        if is_inside || begin.is_some() {
            text.push_str(format!("/// {}", end.unwrap_or(body)).trim_end());
        } else {
            text.push_str(line);
        }
        text.push('\n');
        is_inside = (is_inside || begin.is_some()) && end.is_none();
    }
    text
}
