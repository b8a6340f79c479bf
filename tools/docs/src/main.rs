//! `cargo openapi`: writes `shared/docs/openapi.json`.

/// Written file. Its path starts at this crate's folder, so that the command works in any folder.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/docs/openapi.json");

fn main() -> std::io::Result<()> {
    std::fs::write(FILE, presence_docs::openapi_json())
}
