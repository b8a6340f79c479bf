//! `cargo openapi`: writes `shared/docs/openapi.json`.

/// Below the folder of this crate, wherever the command is given.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/docs/openapi.json");

fn main() -> std::io::Result<()> {
    std::fs::write(FILE, presence_docs::text())
}
