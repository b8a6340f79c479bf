//! `ops doctor`: faults of the tables and of what is in them, each with the command that mends it. `--fix` runs those
//! that need no decision.

mod data;
mod finding;
mod tables;

use std::collections::BTreeSet;

use anyhow::Context as _;
use clap::{Args, Parser as _};
use jiff::{SignedDuration, Timestamp};
use presence_store::schema::TABLES;
use serde::Serialize;
use url::Url;

use self::finding::{Check, Finding};
use self::tables::{Place, faults_of};
use crate::error::CommandError;
use crate::{Cli, Context, Exit, dispatch};

pub(crate) const CHECKS: &str = "\
Looks at: credentials; region and endpoint; the clock of this machine; each table
with its key, stream, time to live, protection and point-in-time recovery (the last
two in AWS); each index; formats of items; organisations that users have and that do
not exist; logs of reviews; moves of businesses that are not finished; the
scheduled audit; mails that wait, failed or cannot be read; replies without an
outcome; and a PROVIDER with a live key, without whom nobody can create the others.

Prints each check with ✓, or with ✗ and its findings, each with the command that
mends it below. Healthy is exit code 0, findings are 1. With --json one object
{\"findings\":[{\"subject\",\"problem\",\"mend\"}],\"checks\":[{\"name\",\"is_healthy\"}]}.
Reads users and categories once: about a read unit for 4 KB of them.

--fix runs the commands that need no decision, each once, and looks again: it
creates missing tables outside AWS if some are there, rebuilds what counts reviews
of an organisation, finishes moves of businesses, retries mails that were given up
unless others are held, and sends replies again. All other findings are left to you.
With --json the lines of these commands come first, and the last line is the second
look.

Examples:
  ops doctor --profile prod --prefix prod-
  ops doctor --fix --yes";

/// Largest difference between the clocks. DynamoDB refuses calls that are 15 minutes off; instants in the tables come from clocks.
const MAX_SKEW: SignedDuration = SignedDuration::from_mins(1);

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Run the commands that need no decision, and look again; asks first
    #[arg(long)]
    pub(crate) fix: bool,
    /// Do not ask
    #[arg(long, requires = "fix")]
    yes: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    findings: &'a [&'a Finding],
    checks: &'a [Check],
}

pub(crate) async fn run(args: &DoctorArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let checks = examine(context).await?;
    let findings = checks.iter().flat_map(|check| &check.findings);
    let repairs: BTreeSet<&str> = findings.filter(|found| found.is_repair).map(|found| found.mend.as_str()).collect();
    if repairs.is_empty() {
        return report(&checks, None, context);
    }
    if !args.fix {
        return report(&checks, Some("ops doctor --fix"), context);
    }
    if !context.console.json {
        checks.iter().try_for_each(|check| context.console.write_line(check.to_text()))?;
    }
    if !args.yes {
        let all = repairs.iter().copied().collect::<Vec<_>>().join(" && ");
        context.console.confirm(&format!("Run {all}?"))?;
    }
    for repair in repairs {
        context.console.write_message(format_args!("$ {repair}"));
        if let Err(error) = run_repair(repair, context).await {
            context.console.write_error(&error);
        }
    }
    report(&examine(context).await?, None, context)
}

/// Runs the command of a finding, as an operator does who enters it.
async fn run_repair(command: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let cli = Cli::try_parse_from(command.split_whitespace()).with_context(|| command.to_owned())?;
    Box::pin(dispatch(cli.command, context)).await
}

/// Prints the checks, and the command to go on with: this one, or that of the first finding.
fn report(checks: &[Check], next: Option<&str>, context: &mut Context) -> Result<Exit, CommandError> {
    let findings: Vec<&Finding> = checks.iter().flat_map(|check| &check.findings).collect();
    let console = &mut context.console;
    if console.json {
        console.write_json(&Report { findings: &findings, checks })?;
    } else {
        checks.iter().try_for_each(|check| console.write_line(check.to_text()))?;
    }
    console.write_message(format_args!("findings: {}", findings.len()));
    if let Some(next) = next.or(findings.first().map(|first| first.mend.as_str())) {
        console.write_next(next);
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Returns all checks. What stands on something that is missing is not looked at.
async fn examine(context: &Context) -> Result<Vec<Check>, CommandError> {
    let target = &context.target;
    let mut checks = Vec::new();
    if target.is_in_aws() {
        let refused = target.identity().await.err();
        let fault = |error: CommandError| Finding::new("credentials", error.to_string(), "aws sts get-caller-identity");
        let check = Check::new("credentials", refused.map(fault));
        let is_refused = !check.findings.is_empty();
        checks.push(check);
        if is_refused {
            return Ok(checks);
        }
    }
    checks.push(Check::new("region", region_fault(target.endpoint.as_deref(), target.region.as_deref())));
    let server_time = context.stores.database.get_server_time(&TABLES[0]).await?;
    let skewed = server_time.and_then(|server_time| clock_fault(context.clock.now(), server_time));
    checks.push(Check::new("clock", skewed));
    let tables = table_faults(context).await?;
    let has_tables = !tables.iter().any(|finding| finding.problem == "does not exist" || finding.mend == "ops status");
    checks.push(Check::new("tables", tables));
    if has_tables {
        checks.extend(data::checks(context).await?);
    }
    Ok(checks)
}

async fn table_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let database = &context.stores.database;
    let is_in_aws = context.target.is_in_aws();
    let place = Place { is_in_aws, endpoint: context.target.endpoint.as_deref() };
    let (mut findings, mut missing) = (Vec::new(), 0);
    for table in &TABLES {
        let state = database.describe(table).await?;
        missing += usize::from(state.is_none());
        findings.extend(faults_of(table, &database.name(table), state.as_ref(), place));
    }
    if missing == TABLES.len() {
        let problem = "no table has this prefix: is it right, and the region, account or endpoint?";
        let prefix = format!("prefix {}", database.prefix());
        for finding in &mut findings {
            finding.is_repair = false;
        }
        findings.insert(0, Finding::new(prefix, problem, "ops status --prefix PREFIX --region REGION"));
    }
    Ok(findings)
}

/// Returns the fault of an endpoint of another region than the calls are signed for.
fn region_fault(endpoint: Option<&str>, region: Option<&str>) -> Vec<Finding> {
    let host = endpoint.and_then(|endpoint| Url::parse(endpoint).ok()?.host_str().map(str::to_owned));
    let of_endpoint = host.as_deref().and_then(|host| {
        let (_, rest) = host.split_once("dynamodb.")?;
        host.ends_with(".amazonaws.com").then(|| rest.split('.').next()).flatten().map(str::to_owned)
    });
    match (of_endpoint, region) {
        (Some(of_endpoint), Some(region)) if of_endpoint != region => {
            let problem = format!("is {region}, but the endpoint is of {of_endpoint}");
            vec![Finding::new("region", problem, format!("ops status --region {of_endpoint}"))]
        }
        _ => Vec::new(),
    }
}

fn clock_fault(now: Timestamp, server_time: Timestamp) -> Option<Finding> {
    let skew = now.duration_since(server_time);
    let seconds = skew.as_secs();
    let problem = format!("of this machine is {seconds} s off the endpoint's");
    (skew.abs() > MAX_SKEW).then(|| Finding::new("clock", problem, "timedatectl set-ntp true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_of_another_region_is_a_fault() {
        let is_fault = |endpoint: &str, region: &str| !region_fault(Some(endpoint), Some(region)).is_empty();
        assert!(is_fault("https://dynamodb.eu-west-1.amazonaws.com", "us-east-1"));
        assert!(is_fault("https://vpce-1-2.dynamodb.eu-west-1.vpce.amazonaws.com", "us-east-1"));
        assert!(!is_fault("https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1"));
        assert!(!is_fault("http://127.0.0.1:8000", "eu-west-1"));
        assert!(region_fault(None, Some("eu-west-1")).is_empty());
    }

    #[test]
    fn clock_may_be_a_minute_off() {
        let at = |second| Timestamp::from_second(second).expect("an instant");
        for (now, server_time, is_fault) in [(0, 60, false), (60, 0, false), (0, 61, true), (61, 0, true)] {
            assert_eq!(clock_fault(at(now), at(server_time)).is_some(), is_fault, "{now} {server_time}");
        }
    }
}
