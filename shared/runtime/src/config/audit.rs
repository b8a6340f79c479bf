//! Settings of the auditor.

use super::{ConfigError, env_text};

/// Settings of the auditor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditConfig {
    /// Capacity units after which a run starts no other step.
    pub units: f64,
    /// True if the auditor rewrites wrong counts.
    pub mends: bool,
}

impl AuditConfig {
    /// Read and write units of a run if `AUDIT_UNITS` is not set.
    pub const DEFAULT_UNITS: f64 = 4_000.0;
    /// Maximum number of units of a run. A day of such runs (288) costs about 40 dollars.
    const MAX_UNITS: u32 = 1_000_000;

    /// Reads `AUDIT_UNITS` and `AUDIT_MENDS` from the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::parse(&env_text("AUDIT_UNITS"), &env_text("AUDIT_MENDS"))
    }

    /// Parses the two settings. Blank settings are 4,000 units, and true.
    pub fn parse(units: &str, mends: &str) -> Result<Self, ConfigError> {
        let units = match units.trim() {
            "" => Self::DEFAULT_UNITS,
            text => match text.parse::<u32>() {
                Ok(units @ 1..=Self::MAX_UNITS) => units.into(),
                _ => return Err(ConfigError("AUDIT_UNITS must be a number of units from 1 to 1000000")),
            },
        };
        let mends = match mends.trim() {
            "" | "true" => true,
            "false" => false,
            _ => return Err(ConfigError("AUDIT_MENDS must be true or false")),
        };
        Ok(Self { units, mends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_settings_of_audits_are_refused() {
        let read = |units, mends| AuditConfig::parse(units, mends).map(|config| (config.units, config.mends));
        assert_eq!(read("", ""), Ok((AuditConfig::DEFAULT_UNITS, true)));
        assert_eq!(read("400", "false"), Ok((400.0, false)));
        for (units, mends) in [("0", ""), ("-1", ""), ("1.5", ""), ("1000001", ""), ("", "yes")] {
            assert!(read(units, mends).is_err(), "{units} {mends}");
        }
    }
}
