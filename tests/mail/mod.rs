//! Outbox and mailer: no mail is lost, and no user is sent two mails in five minutes, even after crashes.

mod addresses;
mod crashes;
mod fake_mailer;
mod feedback;
mod invitation_fixture;
mod notices;
mod origin;
mod outages;
pub(crate) mod random;
mod read_back;
mod ses;
mod steps;
mod sweeps;
mod throttling;
mod windows;
