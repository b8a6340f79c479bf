//! Settings of the limits.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

/// Write units a second of a partition: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html>
const PARTITION_WRITES: f64 = 1_000.0;
/// Read units a second of a partition. Source: as above.
const PARTITION_READS: f64 = 3_000.0;
/// Write units a second of a new on-demand table, and of each index: `on-demand-capacity-mode.html` of the same guide.
const TABLE_WRITES: f64 = 4_000.0;
/// Read units a second of a new on-demand table, and of each index.
const TABLE_READS: f64 = 12_000.0;
/// Share of calls that a partition throttles below its rate. AWS splits and moves partitions, and promises no burst.
const SPURIOUS_THROTTLES: f64 = 0.01;
/// Time for which a transaction still conflicts with others after its end.
const CONFLICT_WINDOW: Duration = Duration::from_millis(5);
/// Usual latency of a call, in milliseconds.
const DEFAULT_LATENCY_MS: u64 = 3;
/// Usual lag of an index, in milliseconds.
const DEFAULT_LAG_MS: u64 = 20;

/// Limits of AWS in front of a `DynamoDB`. Each of them can be switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct AwsLimits {
    /// Seed of the random decisions. `None` draws one at the start.
    pub seed: Option<u64>,
    /// Rates of partitions, tables and indexes. `None` never throttles.
    pub throttling: Option<Throttling>,
    /// Time for which a transaction still conflicts with others after its end. `None` never detects conflicts.
    pub conflicts: Option<Duration>,
    /// Shares of truncated pages. `None` never truncates.
    pub page_truncation: Option<PageTruncation>,
    /// Usual lag of an index. `Duration::MAX` freezes indexes, `None` keeps them current.
    pub lag: Option<Duration>,
    /// True to check the size limits.
    pub sizes: bool,
    /// Usual latency of a call. `None` adds none.
    pub latency: Option<Duration>,
}

/// Throughput in capacity units a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttling {
    /// Write units of each table, and of each index.
    pub table_writes: f64,
    /// Read units of each table, and of each index.
    pub table_reads: f64,
    /// Write units of each partition key.
    pub partition_writes: f64,
    /// Read units of each partition key.
    pub partition_reads: f64,
    /// Share of calls that a partition throttles below its rate, from 0 to 1.
    pub spurious: f64,
}

/// Shares of Query and Scan calls with a truncated page, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageTruncation {
    /// Share of pages with fewer items than possible.
    pub short: f64,
    /// Share of empty pages before more items.
    pub empty: f64,
}

/// Error in the settings of `--aws-limits`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; settings are seed=N,table-writes=N,table-reads=N,latency-ms=N,lag-ms=N, any of them, without blanks")]
pub struct AwsLimitsError(String);

impl Default for Throttling {
    fn default() -> Self {
        Self {
            table_writes: TABLE_WRITES,
            table_reads: TABLE_READS,
            partition_writes: PARTITION_WRITES,
            partition_reads: PARTITION_READS,
            spurious: SPURIOUS_THROTTLES,
        }
    }
}

impl Default for PageTruncation {
    fn default() -> Self {
        Self { short: 0.2, empty: 0.05 }
    }
}

impl Default for AwsLimits {
    fn default() -> Self {
        Self {
            seed: None,
            throttling: Some(Throttling::default()),
            conflicts: Some(CONFLICT_WINDOW),
            page_truncation: Some(PageTruncation::default()),
            lag: Some(Duration::from_millis(DEFAULT_LAG_MS)),
            sizes: true,
            latency: Some(Duration::from_millis(DEFAULT_LATENCY_MS)),
        }
    }
}

impl AwsLimits {
    /// Returns settings with all limits switched off.
    pub fn off() -> Self {
        Self {
            seed: None,
            throttling: None,
            conflicts: None,
            page_truncation: None,
            lag: None,
            sizes: false,
            latency: None,
        }
    }

    /// Returns the settings of the command line with their values. That of a seed which is to be drawn is empty.
    fn named_values(&self) -> [(&'static str, String); 5] {
        let Throttling { table_writes, table_reads, .. } = self.throttling.unwrap_or_default();
        let millis = |time: Option<Duration>| time.unwrap_or_default().as_millis().to_string();
        [
            ("seed", self.seed.map_or_else(String::new, |seed| seed.to_string())),
            ("table-writes", table_writes.to_string()),
            ("table-reads", table_reads.to_string()),
            ("latency-ms", millis(self.latency)),
            ("lag-ms", millis(self.lag)),
        ]
    }
}

/// Writes the settings of the command line that differ from the default, such as `seed=7,lag-ms=100`.
impl Display for AwsLimits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let pairs = self.named_values().into_iter().zip(Self::default().named_values());
        let texts = pairs.filter(|(own, usual)| own != usual).map(|((name, value), _)| format!("{name}={value}"));
        f.write_str(&texts.collect::<Vec<_>>().join(","))
    }
}

/// Parses the settings of the command line, such as `seed=7,lag-ms=100`. The empty text is the default.
impl FromStr for AwsLimits {
    type Err = AwsLimitsError;

    fn from_str(text: &str) -> Result<Self, AwsLimitsError> {
        let mut limits = Self::default();
        let mut seen = Vec::new();
        for setting in text.split(',').filter(|_| !text.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            if seen.contains(&name) {
                return Err(AwsLimitsError(format!("{name} is given twice")));
            }
            seen.push(name);
            limits.set(name, value)?;
        }
        Ok(limits)
    }
}

impl AwsLimits {
    fn set(&mut self, name: &str, value: &str) -> Result<(), AwsLimitsError> {
        let throttling = self.throttling.get_or_insert_default();
        match name {
            "seed" => self.seed = Some(parse_number(name, value, 0, u64::MAX)?),
            "table-writes" => throttling.table_writes = parse_rate(name, value)?,
            "table-reads" => throttling.table_reads = parse_rate(name, value)?,
            "latency-ms" => self.latency = non_zero_millis(parse_number(name, value, 0, 60_000)?),
            "lag-ms" => self.lag = non_zero_millis(parse_number(name, value, 0, 3_600_000)?),
            _ => return Err(AwsLimitsError(format!("{name:?} is no setting"))),
        }
        Ok(())
    }
}

fn parse_rate(name: &str, value: &str) -> Result<f64, AwsLimitsError> {
    let units = parse_number(name, value, 1, 1_000_000_000)?;
    // A `u32` converts to `f64` without loss.
    u32::try_from(units).map(f64::from).map_err(|_| AwsLimitsError(format!("{name} is too large")))
}

fn parse_number(name: &str, value: &str, min: u64, max: u64) -> Result<u64, AwsLimitsError> {
    let number = value.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| AwsLimitsError(format!("{name} must be a whole number from {min} to {max}, not {value:?}")))
}

/// Returns a duration, or `None` for 0, which switches a limit off.
fn non_zero_millis(millis: u64) -> Option<Duration> {
    (millis > 0).then(|| Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_are_not_given_have_their_defaults() {
        assert_eq!("".parse(), Ok(AwsLimits::default()));
        let limits: AwsLimits = "seed=7,table-writes=10,table-reads=20,latency-ms=5,lag-ms=100".parse().expect("good");
        assert_eq!(limits.seed, Some(7));
        let throttling = limits.throttling.expect("on");
        let expected = Throttling { table_writes: 10.0, table_reads: 20.0, ..Throttling::default() };
        assert_eq!(throttling, expected);
        assert_eq!(limits.latency, Some(Duration::from_millis(5)));
        assert_eq!(limits.lag, Some(Duration::from_millis(100)));
        let instant: AwsLimits = "latency-ms=0,lag-ms=0".parse().expect("good");
        assert_eq!((instant.latency, instant.lag), (None, None));
    }

    #[test]
    fn settings_that_differ_from_the_default_are_written_as_they_are_given() {
        for text in ["", "seed=7,table-writes=500,lag-ms=200", "table-reads=20,latency-ms=0,lag-ms=0"] {
            assert_eq!(text.parse::<AwsLimits>().expect("good").to_string(), text);
        }
        let usual: AwsLimits =
            "seed=0,table-writes=4000,table-reads=12000,latency-ms=3,lag-ms=20".parse().expect("good");
        assert_eq!(usual.to_string(), "seed=0");
    }

    #[test]
    fn error_names_the_invalid_setting() {
        for (text, named) in [
            ("sed=1", "\"sed\" is no setting"),
            ("seed", "seed must be a whole number"),
            ("seed=-1", "not \"-1\""),
            ("table-writes=0", "from 1 to"),
            ("lag-ms=1.5", "not \"1.5\""),
            ("seed=1,", "\"\" is no setting"),
            ("seed=1,seed=2", "seed is given twice"),
            ("seed=1, lag-ms=2", "\" lag-ms\" is no setting"),
        ] {
            let error = text.parse::<AwsLimits>().expect_err(text).to_string();
            assert!(error.contains(named) && error.contains("settings are seed=N"), "{text}: {error}");
        }
    }
}
