//! Commands that make the first user and its key, for a stack without sample data.

use presence_runtime::config::Config;

/// Returns the command lines for a shell, in the order in which they are run.
///
/// `prefix` is that of the tables; commands name it only if it is not the default.
pub fn commands(dynamodb_url: &str, prefix: &str) -> Vec<String> {
    let mut commands = vec![format!("export AWS_ENDPOINT_URL_DYNAMODB={dynamodb_url}")];
    if prefix != Config::DEFAULT_TABLE_PREFIX {
        commands.push(format!("export TABLE_PREFIX={prefix}"));
    }
    commands.extend([
        "USER_ID=$(cargo ops users create --email ada@example.org --first-name Ada --last-name Lovelace --role PROVIDER)"
            .to_owned(),
        "cargo ops key issue --user \"$USER_ID\" --label first".to_owned(),
    ]);
    commands
}
