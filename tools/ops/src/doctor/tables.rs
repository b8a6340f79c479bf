//! Faults of tables: pure rules over what DynamoDB describes.

use presence_store::TableState;
use presence_store::schema::{Table, USERS};

use super::finding::Finding;

/// Place of the tables, as far as the commands that mend them depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// True if the tables are in AWS, where the template makes them.
    pub(super) is_in_aws: bool,
    /// Endpoint that the AWS CLI must be told.
    pub(super) endpoint: Option<&'a str>,
}

impl Place<'_> {
    /// Returns the command that makes what is missing.
    fn create(self) -> String {
        if self.is_in_aws { "sam deploy" } else { "ops tables create" }.to_owned()
    }

    /// Returns a command of the AWS CLI for a table.
    fn aws(self, command: &str, table: &str, options: &str) -> String {
        let endpoint = self.endpoint.map_or_else(String::new, |endpoint| format!(" --endpoint-url {endpoint}"));
        format!("aws dynamodb {command} --table-name {table} {options}{endpoint}")
    }
}

/// Returns the text of a table without its stream.
fn missing_stream(table: &Table) -> &'static str {
    if table.name == USERS.name {
        "streams no new images: mails wait for the sweep, and no event tells of them"
    } else {
        "does not stream its changes: no event tells of them"
    }
}

/// Returns the faults of a table with this full name; `state` is `None` if the table does not exist.
pub(super) fn faults_of(table: &Table, name: &str, state: Option<&TableState>, place: Place<'_>) -> Vec<Finding> {
    let subject = format!("table {name}");
    let Some(state) = state else {
        let missing = Finding::new(subject, "does not exist", place.create());
        return vec![if place.is_in_aws { missing } else { missing.repairable() }];
    };
    let mut faults = Vec::new();
    let mut add = |problem: &str, mend: String| faults.push(Finding::new(&subject, problem, mend));
    if state.state != "ACTIVE" {
        let wait = place.aws("wait table-exists", name, "");
        add(&format!("is {}, not ACTIVE", state.state), wait.trim_end().to_owned());
    }
    if !state.has_key {
        add("has another key than this version: its data belongs to something else", "ops status".to_owned());
    }
    if let Some(images) = table.stream.filter(|_| !state.streams) {
        let options = format!("--stream-specification StreamEnabled=true,StreamViewType={}", images.as_str());
        add(missing_stream(table), place.aws("update-table", name, &options));
    }
    if let Some(ttl) = table.ttl.filter(|ttl| state.ttl.as_deref() != Some(*ttl)) {
        let options = format!("--time-to-live-specification Enabled=true,AttributeName={ttl}");
        add("has no time to live: expired items stay", place.aws("update-time-to-live", name, &options));
    }
    if place.is_in_aws && state.is_protected != Some(true) {
        add("may be deleted by anyone", place.aws("update-table", name, "--deletion-protection-enabled"));
    }
    if place.is_in_aws && state.is_recoverable == Some(false) {
        let options = "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true";
        add("has no point-in-time recovery", place.aws("update-continuous-backups", name, options));
    }
    faults.extend(index_faults(table, name, state, place));
    faults
}

fn index_faults(table: &Table, name: &str, state: &TableState, place: Place<'_>) -> Vec<Finding> {
    let mut faults = Vec::new();
    for index in table.indexes {
        let subject = format!("index {} of {name}", index.name);
        match state.indexes.iter().find(|state| state.name == index.name) {
            None => faults.push(Finding::new(subject, "does not exist", new_index(place))),
            Some(state) if !state.is_as_defined => {
                faults.push(Finding::new(
                    subject,
                    "has another key or fewer attributes than this version",
                    new_index(place),
                ));
            }
            Some(state) if state.state != "ACTIVE" => {
                let problem = format!("is {}: what it does not list yet is not found", state.state);
                faults.push(Finding::new(subject, problem, "ops status"));
            }
            Some(_) => {}
        }
    }
    faults
}

/// Returns the command that brings the indexes of this version. Outside AWS nothing adds an index to a table.
fn new_index(place: Place<'_>) -> String {
    if place.is_in_aws { "sam deploy" } else { "ops tables create --prefix NEW-" }.to_owned()
}

#[cfg(test)]
mod tests {
    use presence_store::IndexState;

    use super::*;

    fn healthy() -> TableState {
        let index = |name: &str| IndexState {
            name: name.to_owned(),
            state: "ACTIVE".to_owned(),
            is_as_defined: true,
            ..IndexState::default()
        };
        TableState {
            state: "ACTIVE".to_owned(),
            has_key: true,
            streams: true,
            ttl: Some("ttl".to_owned()),
            is_protected: Some(true),
            is_recoverable: Some(true),
            indexes: USERS.indexes.iter().map(|defined| index(defined.name)).collect(),
            ..TableState::default()
        }
    }

    fn faults(state: Option<&TableState>, is_in_aws: bool) -> Vec<(String, String)> {
        let place = Place { is_in_aws, endpoint: None };
        let found = faults_of(&USERS, "presence-users", state, place).into_iter();
        found.map(|finding| (format!("{} {}", finding.subject, finding.problem), finding.mend)).collect()
    }

    /// Returns the only fault of a table in AWS that is healthy but for a change.
    fn fault_after(change: impl FnOnce(&mut TableState)) -> (String, String) {
        let mut state = healthy();
        change(&mut state);
        let faults = faults(Some(&state), true);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults.into_iter().next().expect("a fault")
    }

    #[test]
    fn healthy_table_has_no_faults() {
        assert_eq!(faults(Some(&healthy()), true), []);
        let local = TableState { is_protected: None, is_recoverable: None, ..healthy() };
        assert_eq!(faults(Some(&local), false), [], "a local table is neither protected nor recoverable");
        let unknown = TableState { is_recoverable: None, ..healthy() };
        assert_eq!(faults(Some(&unknown), true), [], "what is not known is no fault");
    }

    #[test]
    fn missing_table_is_made_by_the_template_in_aws_and_by_ops_elsewhere() {
        let missing = "table presence-users does not exist".to_owned();
        assert_eq!(faults(None, true), [(missing.clone(), "sam deploy".to_owned())]);
        assert_eq!(faults(None, false), [(missing, "ops tables create".to_owned())]);
    }

    #[test]
    fn each_fault_of_a_table_names_the_command_that_mends_it() {
        type Case = (fn(&mut TableState), &'static str, &'static str);
        let cases: [Case; 8] = [
            (|state| state.state = "UPDATING".to_owned(), "is UPDATING", "wait table-exists"),
            (|state| state.has_key = false, "another key", "ops status"),
            (|state| state.streams = false, "streams no new images", "StreamEnabled=true"),
            (|state| state.ttl = None, "no time to live", "AttributeName=ttl"),
            (|state| state.is_protected = Some(false), "may be deleted", "--deletion-protection-enabled"),
            (|state| state.is_recoverable = Some(false), "no point-in-time recovery", "update-continuous-backups"),
            (
                |state| drop(state.indexes.remove(0)),
                "index status-index of presence-users does not exist",
                "sam deploy",
            ),
            (|state| state.indexes[1].is_as_defined = false, "has another key or fewer attributes", "sam deploy"),
        ];
        for (change, problem, mend) in cases {
            let fault = fault_after(change);
            assert!(fault.0.contains(problem) && fault.1.contains(mend), "{fault:?}");
        }
        let filling = fault_after(|state| state.indexes[2].state = "BACKFILLING".to_owned());
        assert!(filling.0.contains("is BACKFILLING"), "{filling:?}");
    }
}
