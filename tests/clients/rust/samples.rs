//! Compiles the samples that `/docs` shows for the package, one of each operation. `tools/clients/samples.mjs` writes them.
#![allow(dead_code, clippy::print_stdout, reason = "samples print, and are not called")]

include!(env!("PRESENCE_SAMPLES"));
