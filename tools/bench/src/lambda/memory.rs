//! Share of a processor that Lambda gives to a function with a size of memory.

use std::time::Duration;

/// Memory that comes with a whole processor, in MB: <https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html>.
const MB_PER_PROCESSOR: f64 = 1_769.0;
/// Period of the throttle of Lambda: in each period a function may run for its share of it.
pub(super) const PERIOD: Duration = Duration::from_millis(20);

/// Memory of a function in MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Memory(pub(crate) u32);

impl Memory {
    /// Returns the share of a processor.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.0) / MB_PER_PROCESSOR
    }

    /// Returns the processor time in each period.
    pub(super) fn quota(self) -> Duration {
        PERIOD.mul_f64(self.share())
    }

    /// Returns the memory in GB. Lambda bills GB of 1,024 MB.
    pub(crate) fn gigabytes(self) -> f64 {
        f64::from(self.0) / 1_024.0
    }
}

impl std::str::FromStr for Memory {
    type Err = String;

    /// Parses a size that Lambda offers and that comes with at most one processor.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(megabytes @ 128..=1_769) => Ok(Self(megabytes)),
            _ => Err("must be 128 to 1769 MB: up to one processor".to_owned()),
        }
    }
}

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_with_its_share_of_a_processor() {
        let cases = [(128, 0.0723, 1_447), (256, 0.145, 2_894), (512, 0.29, 5_788), (1_024, 0.58, 11_577)];
        for (megabytes, share, quota_us) in cases {
            let memory = Memory(megabytes);
            assert!((memory.share() - share).abs() < 0.002, "{megabytes}: {}", memory.share());
            assert_eq!(memory.quota().as_micros(), quota_us, "{megabytes}");
        }
        assert!((Memory(1_769).share() - 1.0).abs() < f64::EPSILON);
        assert!((Memory(256).gigabytes() - 0.25).abs() < f64::EPSILON);
    }

    #[test]
    fn size_that_lambda_does_not_offer_is_refused() {
        for text in ["127", "1770", "", "-1", "x"] {
            assert!(text.parse::<Memory>().is_err(), "{text}");
        }
        assert_eq!("256".parse(), Ok(Memory(256)));
    }
}
