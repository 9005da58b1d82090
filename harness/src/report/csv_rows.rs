//! Records as CSV: one row each, the same field names as in JSON, nested ones with a dot.

use std::collections::BTreeMap;

use serde_json::Value;

/// Renders records. Lists within a record have no place in a row and are left out; a field that a
/// record lacks, or that is null, is empty.
#[must_use]
pub fn csv_rows(records: &[Value]) -> String {
    let rows: Vec<BTreeMap<String, String>> = records
        .iter()
        .map(|record| {
            let mut row = BTreeMap::new();
            flatten("", record, &mut row);
            row
        })
        .collect();
    let mut headings: Vec<&String> = rows.iter().flat_map(BTreeMap::keys).collect();
    headings.sort_unstable();
    headings.dedup();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let lines = rows.iter().map(|row| {
        headings
            .iter()
            .map(|name| row.get(*name).map_or("", String::as_str))
            .collect()
    });
    let head: Vec<&str> = headings.iter().map(|name| name.as_str()).collect();
    for line in std::iter::once(head).chain(lines) {
        writer
            .write_record(line)
            .expect("memory takes every row, and all have one length");
    }
    let bytes = writer.into_inner().expect("memory takes every row");
    String::from_utf8(bytes).expect("texts stay texts")
}

fn flatten(name: &str, value: &Value, row: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() {
                    field.clone()
                } else {
                    format!("{name}.{field}")
                };
                flatten(&name, value, row);
            }
        }
        Value::Array(_) => {}
        Value::Null => {
            row.insert(name.to_owned(), String::new());
        }
        Value::String(text) => {
            row.insert(name.to_owned(), text.clone());
        }
        value => {
            row.insert(name.to_owned(), value.to_string());
        }
    }
}
