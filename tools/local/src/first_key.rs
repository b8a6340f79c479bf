//! Commands that make the first user and its key, for a stack without sample data.

use presence_runtime::config::Config;

/// Returns the variables by which `ops` finds the tables of a stack, as `NAME=value`, without those that have their defaults.
pub fn variables(dynamodb_url: &str, tables: &Config) -> Vec<String> {
    let Config { table_prefix, audit_table, reviews_table, events_table: _ } = tables;
    let prefix = Some(table_prefix.as_str()).filter(|prefix| *prefix != Config::DEFAULT_TABLE_PREFIX);
    let variables = [
        ("AWS_ENDPOINT_URL_DYNAMODB", Some(dynamodb_url)),
        ("TABLE_PREFIX", prefix),
        ("AUDIT_TABLE", audit_table.as_deref()),
        ("REVIEWS_TABLE", reviews_table.as_deref()),
    ];
    variables.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))).collect()
}

/// Returns the command lines for a shell, in the order in which they are run.
pub fn commands(dynamodb_url: &str, tables: &Config) -> Vec<String> {
    let exports = variables(dynamodb_url, tables).into_iter().map(|variable| format!("export {variable}"));
    let commands = [
        "USER_ID=$(cargo ops users create --email ada@example.org --first-name Ada --last-name Lovelace \
         --role PROVIDER)",
        "cargo ops key issue --user \"$USER_ID\" --label first",
    ];
    exports.chain(commands.map(str::to_owned)).collect()
}
