//! Generates the client.

use std::path::Path;

use progenitor_impl::Generator;

const DESCRIPTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/docs/openapi-3.0.json");

fn main() {
    println!("cargo::rerun-if-changed={DESCRIPTION}");
    let text = std::fs::read_to_string(DESCRIPTION).expect("the description is there");
    let description: openapiv3::OpenAPI = serde_json::from_str(&text).expect("the description is OpenAPI 3.0");
    let client = Generator::default().generate_tokens(&description).expect("progenitor can read the description");
    let folder = std::env::var("OUT_DIR").expect("Cargo sets the folder");
    std::fs::write(Path::new(&folder).join("client.rs"), client.to_string()).expect("the folder can be written");
}
