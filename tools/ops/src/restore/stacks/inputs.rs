//! Templates, parameters and resources of the change sets.

use std::io::Write as _;

use anyhow::Context as _;
use jiff::Timestamp;
use presence_store::Database;
use presence_store::restore::restored_tables;
use presence_store::schema::Table;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{Parameters, REVIEWS_TABLE, RestoredStreams, Stacks};

/// Template of the stack that takes the restored tables in.
pub(super) const TEMPLATE: &str = include_str!("../../../../../shared/stacks/restored-tables.yaml");
/// Variable of the functions, and parameter of the stacks inside. With each change of a setting, tools/ci/deploy gives both a new value.
const MARKS: [&str; 2] = ["SETTINGS:", "Settings:"];
/// Parameters that both stacks have, with the same meaning.
const SHARED_PARAMETERS: [&str; 3] = ["TableEncryption", "MaxReadUnits", "MaxWriteUnits"];

/// Place of a template in S3.
#[derive(Debug, PartialEq, Eq)]
struct TemplatePlace {
    bucket: String,
    key: String,
    url: String,
}

impl Stacks {
    /// Returns the restored tables as resources of the template, in JSON.
    pub(in crate::restore) fn resources_to_import(restored: &Database) -> String {
        let resource = |table: &Table| {
            json!({
                "ResourceType": "AWS::DynamoDB::Table",
                "LogicalResourceId": logical_id(table),
                "ResourceIdentifier": { "TableName": restored.name(table) },
            })
        };
        restored_tables().map(resource).collect::<Value>().to_string()
    }

    /// Puts the template of the stack with another mark of its settings into S3, since it is too large for a request. Returns its URL.
    ///
    /// SAM makes a new version of a function only if a text in it changes, and the alias that is invoked names a version.
    pub(super) async fn put_template_of_new_versions(&self, now: Timestamp) -> anyhow::Result<String> {
        let of_stack = ["--stack-name", &self.service, "--template-stage", "Original"];
        let answer = self.aws.run(&[&["cloudformation", "get-template"], &of_stack[..]].concat()).await?;
        let template = answer["TemplateBody"].as_str().context("the template of the stack is no text")?;
        let name = self.change_name(now);
        let marked = with_mark(template, &name);
        let marked =
            marked.context("the template has no variable SETTINGS of the functions: deploy this version first")?;
        let place = place_in_s3(template, &name);
        let place =
            place.context("the template has no TemplateURL in S3 to put another one beside: use tools/ci/deploy")?;
        let mut file = NamedTempFile::new().context("cannot write a temporary file")?;
        file.write_all(marked.as_bytes()).context("cannot write a temporary file")?;
        let path = file.path().to_str().context("the folder of temporary files has no name in UTF-8")?;
        self.aws.run(&["s3api", "put-object", "--bucket", &place.bucket, "--key", &place.key, "--body", path]).await?;
        Ok(place.url)
    }

    /// Returns the parameters of the stack of the restored tables.
    pub(super) fn import_parameters(&self, of_service: &Parameters) -> Value {
        let shared = SHARED_PARAMETERS.iter().filter_map(|name| Some(parameter(name, of_service.get(*name)?)));
        std::iter::once(parameter("TablePrefix", &self.prefix)).chain(shared).collect()
    }

    /// Returns the parameters of the stack with the restored tables. A release in parts would write to both tables for minutes.
    pub(super) fn switch_parameters(&self, of_service: &Parameters, streams: &RestoredStreams) -> Value {
        let new = [
            ("ActiveTables", self.prefix.as_str()),
            ("ActiveTablesStream", &streams.users),
            ("ActiveReviewsStream", &streams.reviews),
            // The restored table of reviews has the name that follows from the prefix.
            (REVIEWS_TABLE, ""),
            ("Release", "AllAtOnce"),
        ];
        let parameters = of_service.keys().map(|name| match new.iter().find(|(new, _)| new == name) {
            Some((_, value)) => parameter(name, value),
            None => json!({ "ParameterKey": name, "UsePreviousValue": true }),
        });
        parameters.collect()
    }
}

fn parameter(name: &str, value: &str) -> Value {
    json!({ "ParameterKey": name, "ParameterValue": value })
}

/// Returns the name of a table in the templates: `api-keys` is `ApiKeysTable`.
fn logical_id(table: &Table) -> String {
    let words = table.name.split('-').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
    words.chain(["Table".to_owned()]).collect()
}

/// Returns a template with another value of the settings: of the variable of its functions, and of the parameters of the stacks inside.
/// Their functions would otherwise keep the old tables. `None` if it has no such variable.
fn with_mark(template: &str, mark: &str) -> Option<String> {
    let marked = |line: &str| {
        let name = MARKS.into_iter().find(|name| line.trim_start().starts_with(name));
        match name {
            Some(name) => format!("{}{name} {mark}\n", &line[..line.len() - line.trim_start().len()]),
            None => line.to_owned(),
        }
    };
    let has_variable = template.lines().any(|line| line.trim_start().starts_with(MARKS[0]));
    has_variable.then(|| template.split_inclusive('\n').map(marked).collect())
}

/// Returns the place of a template of this name in the folder in which SAM put those of the stacks inside. `None` if they are not in S3.
fn place_in_s3(template: &str, name: &str) -> Option<TemplatePlace> {
    let url = template.lines().find_map(|line| line.trim_start().strip_prefix("TemplateURL:"))?;
    let (folder, _) = url.trim().trim_matches(['"', '\'']).split('?').next()?.rsplit_once('/')?;
    let (_, path) = folder.strip_prefix("https://s3")?.split_once('/')?;
    let object = format!("{path}/{name}.template");
    let (bucket, key) = object.split_once('/')?;
    Some(TemplatePlace { bucket: bucket.to_owned(), key: key.to_owned(), url: format!("{folder}/{name}.template") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aws_program::AwsProgram;

    fn stacks() -> Stacks {
        Stacks::new("presence".to_owned(), "presence-r202611221200-", &AwsProgram::new("aws"))
    }

    #[test]
    fn each_restored_table_is_a_resource_of_the_template() {
        for table in restored_tables() {
            let name = logical_id(table);
            let resource = TEMPLATE.split_once(&format!("\n  {name}:\n")).expect("a resource").1;
            assert!(resource.contains(&format!(r#"TableName: !Sub "${{TablePrefix}}{}""#, table.name)), "{name}");
        }
    }

    #[test]
    fn only_the_tables_and_the_way_of_the_release_change_in_the_stack_of_the_service() {
        let parameters = [
            "ActiveReviewsStream",
            "ActiveReviewsTable",
            "ActiveTables",
            "ActiveTablesStream",
            "MailDomain",
            "MaxReadUnits",
            "Release",
            "TableEncryption",
        ];
        let of_service = parameters.map(|name| (name.to_owned(), format!("old {name}"))).into();
        let previous = |name| json!({ "ParameterKey": name, "UsePreviousValue": true });
        let expected = json!([
            parameter("ActiveReviewsStream", "arn:2"),
            parameter("ActiveReviewsTable", ""),
            parameter("ActiveTables", "presence-r202611221200-"),
            parameter("ActiveTablesStream", "arn:1"),
            previous("MailDomain"),
            previous("MaxReadUnits"),
            parameter("Release", "AllAtOnce"),
            previous("TableEncryption"),
        ]);
        let streams = RestoredStreams { users: "arn:1".to_owned(), reviews: "arn:2".to_owned() };
        assert_eq!(stacks().switch_parameters(&of_service, &streams), expected);
        let imported = json!([
            parameter("TablePrefix", "presence-r202611221200-"),
            parameter("TableEncryption", "old TableEncryption"),
            parameter("MaxReadUnits", "old MaxReadUnits"),
        ]);
        assert_eq!(stacks().import_parameters(&of_service), imported);
    }

    #[test]
    fn functions_get_new_versions_by_another_mark_those_of_stacks_inside_too() {
        let template = include_str!("../../../../../template.yaml");
        let marked = with_mark(template, "restore-1").expect("a mark");
        let changed: Vec<_> = template.lines().zip(marked.lines()).filter(|(before, after)| before != after).collect();
        let expected = [
            ("        SETTINGS: none", "        SETTINGS: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
        ];
        assert_eq!(changed, expected);
        assert_eq!(marked.lines().count(), template.lines().count());
        assert!(marked.ends_with('\n'));
        assert_eq!(with_mark(&marked, "none").as_deref(), Some(template));
        assert_eq!(with_mark("Tags: { Service: presence }", "restore-1"), None);
    }

    #[test]
    fn the_template_is_put_beside_those_of_the_stacks_inside() {
        for (folder, file, key) in [
            ("https://s3.eu-west-1.amazonaws.com/packages/presence", "0a1b.template", "presence/restore-1.template"),
            (
                "https://s3.us-east-1.amazonaws.com/packages/a/b",
                "0a1b.template?versionId=x/y",
                "a/b/restore-1.template",
            ),
            ("https://s3.amazonaws.com/packages", "0a1b.template", "restore-1.template"),
        ] {
            for quote in ["", "\"", "'"] {
                let first = format!("      TemplateURL: {quote}{folder}/{file}{quote}\n");
                let template =
                    format!("Resources:\n{first}      TemplateURL: https://s3.amazonaws.com/other/0a1b.template\n");
                let url = format!("{folder}/restore-1.template");
                let expected = TemplatePlace { bucket: "packages".to_owned(), key: key.to_owned(), url };
                assert_eq!(place_in_s3(&template, "restore-1"), Some(expected), "{first}");
            }
        }
        for template in ["Resources: {}", include_str!("../../../../../template.yaml")] {
            assert_eq!(place_in_s3(template, "restore-1"), None);
        }
    }
}
