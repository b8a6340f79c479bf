//! Sums over the requests of a month.

use anyhow::Context as _;

use super::assumptions::{MAIL, MILLION_REQUESTS, MIX};
use crate::costs::bill::{Bill, OperationUsage};
use crate::costs::report::ReportRow;

/// Use of the service in a month, summed over its requests.
#[derive(Default)]
pub(super) struct Totals {
    /// Name of each function, and its price of Lambda.
    pub(super) functions: Vec<(&'static str, f64)>,
    pub(super) api: f64,
    pub(super) million_read_units: f64,
    pub(super) million_write_units: f64,
    pub(super) logs: f64,
    pub(super) data_out: f64,
    pub(super) mails: f64,
    pub(super) mailer: f64,
}

impl Totals {
    pub(super) fn of(rows: &[ReportRow]) -> anyhow::Result<Self> {
        let mut totals = Self::default();
        for (function, label, share) in MIX {
            totals.add(function, find(rows, label)?, share * MILLION_REQUESTS);
        }
        // Each created user is invited once.
        let invited = share_of("`create_user`: invited") * MILLION_REQUESTS;
        let mail = find(rows, MAIL)?;
        let bill = Bill::new(mail);
        totals.mails = invited * bill.api_or_mail;
        totals.mailer = invited * bill.lambda;
        totals.logs += invited * bill.logs;
        totals.million_read_units += invited * mail.cost.read_units;
        totals.million_write_units += invited * mail.cost.write_units;
        Ok(totals)
    }

    fn add(&mut self, function: &'static str, usage: &OperationUsage, millions: f64) {
        let bill = Bill::new(usage);
        match self.functions.iter_mut().find(|(name, _)| *name == function) {
            Some((_, dollars)) => *dollars += millions * bill.lambda,
            None => self.functions.push((function, millions * bill.lambda)),
        }
        self.api += millions * bill.api_or_mail;
        self.million_read_units += millions * usage.cost.read_units;
        self.million_write_units += millions * usage.cost.write_units;
        self.logs += millions * bill.logs;
        self.data_out += millions * bill.data_out;
    }
}

fn find<'a>(rows: &'a [ReportRow], label: &str) -> anyhow::Result<&'a OperationUsage> {
    let row = rows.iter().find(|row| row.label.starts_with(label));
    Ok(&row.with_context(|| format!("no row {label}"))?.usage)
}

/// Returns the share of the requests of a row.
pub(super) fn share_of(label: &str) -> f64 {
    MIX.iter().filter(|(_, name, _)| *name == label).map(|(_, _, share)| share).sum()
}
