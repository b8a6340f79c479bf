//! The outbox and its mailer: no mail is lost, and not two are sent to one user in five minutes, whatever crashes.

mod addresses;
mod fake_mailer;
mod invitation_fixture;
mod kills;
mod outages;
pub(crate) mod random;
mod read_back;
mod ses;
mod steps;
mod sweeps;
mod windows;
