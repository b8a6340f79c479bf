//! `cargo openapi`: writes `shared/docs/openapi.json` and `shared/docs/openapi-3.0.json`.

/// Output folder. Its path starts at this crate's folder, so that the command works in any folder.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/docs/");

fn main() -> std::io::Result<()> {
    std::fs::write(format!("{FOLDER}openapi.json"), presence_docs::openapi_json())?;
    std::fs::write(format!("{FOLDER}openapi-3.0.json"), presence_docs::openapi_3_0_json())
}
