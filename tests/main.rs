//! The one driver of the acceptance tests: a single binary links once and starts once.

mod faults_selftest;
