//! An expected answer against the real one, field by field.

use serde_json::{Map, Value};

/// What is wrong with `actual`: one line for each field that is not as expected. Fields that are not
/// mentioned may be anything.
#[must_use]
pub fn differences(actual: &Value, expected: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", actual, expected, &mut found);
    found
}

fn compare(name: &str, actual: &Value, expected: &Value, found: &mut Vec<String>) {
    match (actual, expected) {
        (_, Value::Object(bounds)) if is_range(bounds) => {
            compare_range(name, actual, bounds, found);
        }
        (Value::Object(fields), Value::Object(expected)) => {
            for (field, value) in expected {
                let name = if name.is_empty() {
                    field.clone()
                } else {
                    format!("{name}.{field}")
                };
                match fields.get(field) {
                    Some(actual) => compare(&name, actual, value, found),
                    None => found.push(format!("there is no field {name}")),
                }
            }
        }
        (Value::Array(values), Value::Array(expected)) if values.len() == expected.len() => {
            for (index, (actual, value)) in values.iter().zip(expected).enumerate() {
                compare(&format!("{name}[{index}]"), actual, value, found);
            }
        }
        _ if actual == expected => {}
        _ => found.push(format!("{name} is {actual}, expected {expected}")),
    }
}

fn is_range(bounds: &Map<String, Value>) -> bool {
    !bounds.is_empty()
        && bounds
            .keys()
            .all(|key| key == "at_least" || key == "at_most")
}

fn compare_range(name: &str, actual: &Value, bounds: &Map<String, Value>, found: &mut Vec<String>) {
    let bound = |key| bounds.get(key).map(Value::as_f64);
    let holds = actual.as_f64().is_some_and(|actual| {
        let above =
            bound("at_least").is_none_or(|least| least.is_some_and(|least| actual >= least));
        let below = bound("at_most").is_none_or(|most| most.is_some_and(|most| actual <= most));
        above && below
    });
    if !holds {
        found.push(format!(
            "{name} is {actual}, expected {}",
            Value::Object(bounds.clone())
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differences;

    #[test]
    fn each_field_that_differs_is_named() {
        let actual = json!({ "a": 1, "b": { "c": 2.5 }, "d": [1, 2], "e": null });
        let same = json!({ "a": 1, "b": { "c": { "at_least": 2, "at_most": 3 } }, "d": [1, 2], "e": null });
        assert!(differences(&actual, &same).is_empty());
        let other = json!({ "a": 2, "b": { "c": { "at_most": 2 } }, "d": [1], "e": 0, "f": 1 });
        let found = differences(&actual, &other);
        assert_eq!(found.len(), 5, "{found:?}");
    }

    #[test]
    fn a_range_never_holds_for_what_is_no_number() {
        let range = json!({ "a": { "at_least": 0 } });
        assert_eq!(differences(&json!({ "a": null }), &range).len(), 1);
        assert_eq!(
            differences(&json!({ "a": 1 }), &json!({ "a": { "at_least": "0" } })).len(),
            1
        );
    }
}
