//! Answer of a function to a batch of a queue or of a stream.

use serde::Serialize;

/// Answer to a batch: the records that Lambda is to hand over again. It ignores the answer to any other event.
///
/// As JSON: `{"batchItemFailures": [{"itemIdentifier": "<id>"}]}`. From a stream, Lambda hands over all records from the first failed one
/// on; from a FIFO queue, the failed ones and those behind them in their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BatchResponse {
    /// Records that failed, in the order of the batch.
    #[serde(rename = "batchItemFailures")]
    pub failures: Vec<BatchFailure>,
}

/// Record that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BatchFailure {
    /// Sequence number of a record of a stream, or id of a message of a queue.
    #[serde(rename = "itemIdentifier")]
    pub id: String,
}

impl BatchResponse {
    /// Returns the answer that names these records.
    pub fn failed(ids: impl IntoIterator<Item = String>) -> Self {
        Self { failures: ids.into_iter().map(|id| BatchFailure { id }).collect() }
    }

    /// True if the answer names this record.
    pub fn names(&self, id: &str) -> bool {
        self.failures.iter().any(|failure| failure.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_has_the_names_that_lambda_reads() {
        let failed = BatchResponse::failed(["7".to_owned()]);
        assert_eq!(
            serde_json::to_value(&failed).expect("JSON"),
            serde_json::json!({"batchItemFailures": [{"itemIdentifier": "7"}]})
        );
        assert!(failed.names("7") && !failed.names("8"));
        assert_eq!(
            serde_json::to_value(BatchResponse::default()).expect("JSON"),
            serde_json::json!({"batchItemFailures": []})
        );
    }
}
