//! Modules of a crate: no top module uses itself by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::crates::{Dependencies, tree_of};
use super::template::root;

/// Returns the source files below a folder, by their paths from there.
pub(super) fn sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut sources, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                // Not what is built or downloaded.
                folders.extend(Some(path).filter(|path| !path.ends_with("target") && !path.ends_with("node_modules")));
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                sources.insert(path.strip_prefix(folder).expect("a path below it").to_owned(), text);
            }
        }
    }
    sources
}

/// Returns the path of a module below its crate: `["ledger", "tree"]` for `ledger/tree/mod.rs`.
fn module_path(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    path.iter().map(|name| name.to_string_lossy().into_owned()).filter(|name| name != "mod").collect()
}

/// Returns the paths of the modules that only tests have.
fn test_modules(sources: &BTreeMap<PathBuf, String>) -> Vec<Vec<String>> {
    let declared = sources.iter().flat_map(|(file, text)| {
        let parent: Vec<_> = module_path(file).into_iter().filter(|name| name != "lib" && name != "main").collect();
        let lines = text.split("#[cfg(test)]\n").skip(1).filter_map(|part| part.lines().next());
        let names = lines.filter_map(|line| line.split("mod ").nth(1)?.strip_suffix(';'));
        names.map(move |name| [parent.as_slice(), &[name.to_owned()]].concat())
    });
    declared.collect()
}

/// Returns the first names of the paths in a code that begin at the root of its crate.
fn names_at_root(code: &str, depth: usize) -> BTreeSet<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line.trim(), " "]).collect();
    let from_module = "super::".repeat(depth);
    let paths = code.split("crate::").skip(1).chain(code.split(from_module.as_str()).skip(1));
    let name_of = |path: &str| path.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
    let names = paths.flat_map(|path| match path.strip_prefix('{') {
        Some(list) => list.split('}').next().into_iter().flat_map(|list| list.split(',')).filter_map(name_of).collect(),
        None => Vec::from_iter(name_of(path)),
    });
    names.collect()
}

/// Returns the names that each top module of a crate takes from the root of the crate, without those of its tests.
fn uses_of(sources: &BTreeMap<PathBuf, String>) -> Dependencies {
    let test_modules = test_modules(sources);
    let mut uses = Dependencies::new();
    for (file, text) in sources {
        let path = module_path(file);
        if ["lib", "main"].contains(&path[0].as_str()) || test_modules.iter().any(|tests| path.starts_with(tests)) {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let names = names_at_root(code, path.len()).into_iter().filter(|name| *name != path[0]);
        uses.entry(path[0].clone()).or_default().extend(names);
    }
    uses
}

fn modules_in_cycles(uses: &Dependencies) -> Vec<&str> {
    uses.keys().map(String::as_str).filter(|name| tree_of(name, uses).contains(*name)).collect()
}

#[test]
fn no_top_module_of_a_crate_uses_itself_by_way_of_others() {
    for group in ["shared", "functions", "tools"] {
        for entry in std::fs::read_dir(root().join(group)).expect("a folder") {
            let source = entry.expect("an entry").path().join("src");
            if source.is_dir() {
                let uses = uses_of(&sources(&source));
                assert_eq!(modules_in_cycles(&uses), Vec::<&str>::new(), "{}", source.display());
            }
        }
    }
}

#[test]
fn a_module_with_parts_is_a_folder_with_a_file_mod_rs() {
    for group in ["shared", "functions", "tools", "tests"] {
        let folder = root().join(group);
        let sources = sources(&folder);
        // A test driver is the root of a crate.
        let modules = sources.keys().filter(|file| file.as_path() != Path::new("faults_selftest.rs"));
        let has_parts = |file: &&PathBuf| sources.keys().any(|part| part.parent() == Some(&file.with_extension("")));
        assert_eq!(modules.filter(has_parts).collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "below {group}");
    }
}

#[test]
fn a_cycle_of_modules_is_found_and_tests_may_use_everything() {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let mut sources = BTreeMap::from([
        file("lib.rs", "mod a;\nmod b;\nmod c;\npub use crate::a::A;\n"),
        file(
            "a.rs",
            "//! Uses `crate::b`.\nuse crate::a::inner::A;\n\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n",
        ),
        file("a/inner.rs", "#[cfg(test)]\nmod fixture;\nuse super::helper;\n"),
        file("a/inner/fixture.rs", "use crate::b::B;\n"),
        file("b/mod.rs", "use crate::{\n    A,\n    c::C,\n};\n"),
        file("c.rs", "fn run() -> crate::a::A {}\n"),
    ]);
    assert_eq!(modules_in_cycles(&uses_of(&sources)), Vec::<&str>::new());
    sources.insert("a/inner.rs".into(), "use super::super::b::B;\n".to_owned());
    assert_eq!(modules_in_cycles(&uses_of(&sources)), ["a", "b", "c"]);
}
