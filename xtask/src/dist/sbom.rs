//! The bill of materials: every package that is linked into the programs, as CycloneDX 1.5.

use std::collections::BTreeMap;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::facts::Facts;
use crate::tree;
use crate::workspace::{Package, Workspace};

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Returns all that is linked into the programs, sorted by name and version.
pub(super) fn linked<'a>(facts: &Facts, workspace: &'a Workspace) -> Vec<&'a Package> {
    let mut packages: BTreeMap<(&str, &str), &Package> = BTreeMap::new();
    for program in &facts.programs {
        let own = workspace.own().filter(|package| package.name == *program);
        for package in own.chain(workspace.linked_packages(program).into_values()) {
            packages.insert((&package.name, &package.version), package);
        }
    }
    packages.into_values().collect()
}

/// Writes the bill.
pub(super) fn write(facts: &Facts, workspace: &Workspace) -> anyhow::Result<Vec<u8>> {
    let text = std::fs::read_to_string(tree::root().join("Cargo.lock")).context("reading Cargo.lock")?;
    let lock: Lock = toml::from_str(&text).context("Cargo.lock")?;
    let sums: BTreeMap<(&str, &str), &str> = lock
        .package
        .iter()
        .filter_map(|locked| Some(((locked.name.as_str(), locked.version.as_str()), locked.checksum.as_deref()?)))
        .collect();
    let packages = linked(facts, workspace);
    let components: Vec<Value> = packages
        .iter()
        .map(|package| component(package, sums.get(&(package.name.as_str(), package.version.as_str())).copied()))
        .collect();
    let dependencies: Vec<Value> = packages
        .iter()
        .map(|package| {
            let needs: Vec<String> = workspace.linked_directly(package).map(reference).collect();
            json!({ "ref": reference(package), "dependsOn": needs })
        })
        .collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": facts.name,
                "name": facts.name,
                "version": facts.version,
                "description": facts.summary,
                "licenses": [{ "expression": facts.license }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    let mut bytes = serde_json::to_vec_pretty(&bill)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn component(package: &Package, sum: Option<&str>) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "purl": reference(package),
    });
    if let Some(fields) = component.as_object_mut() {
        if let Some(licence) = &package.licence {
            // Cargo once wrote `A/B` for `A OR B`.
            fields.insert("licenses".into(), json!([{ "expression": licence.replace('/', " OR ") }]));
        }
        if let Some(sum) = sum {
            fields.insert("hashes".into(), json!([{ "alg": "SHA-256", "content": sum }]));
        }
    }
    component
}

fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}
