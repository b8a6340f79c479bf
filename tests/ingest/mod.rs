//! Ingest: objects and messages of reviews, as S3 and SQS hand them over, with everything that goes wrong between.

mod crashes;
mod cut_over;
mod deliveries;
pub(crate) mod ingest_env;
mod interleaving;
mod limits;
mod objects;
mod outside;
mod poison;
mod slow_writes;
