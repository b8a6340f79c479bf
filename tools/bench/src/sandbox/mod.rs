//! Sandbox that runs a function as AWS Lambda does: a process, the runtime API, and `DynamoDB` behind TLS.

pub(crate) mod event;
pub(crate) mod process;
pub(crate) mod runtime_api;
pub(crate) mod tls;

/// Returns the environment variables of a function: those that AWS Lambda sets, and the address of `DynamoDB`.
pub(crate) fn environment(url: &str, roots: &str, memory_mb: u32) -> Vec<(&'static str, String)> {
    let memory = memory_mb.to_string();
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "bench"),
        ("AWS_SECRET_ACCESS_KEY", "bench"),
        ("AWS_LAMBDA_FUNCTION_NAME", "bench"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", &memory),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/bench"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
        ("AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH", "true"),
        ("AWS_ENDPOINT_URL_DYNAMODB", url),
        ("MAIL_SENDER", "no-reply@presence.example"),
        ("PUBLIC_BASE_URL", "https://presence.example"),
        ("REPLIES", "true"),
        ("EVENTS", "true"),
        ("WEBHOOKS", "true"),
        // File with the trusted certificates.
        ("AWS_CA_BUNDLE", roots),
    ];
    variables.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
}
