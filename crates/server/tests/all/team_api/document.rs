//! The OpenAPI document says what the table says, and its copy is up to date.

use std::path::Path;

use boathook_server::team::api::{ROUTES, openapi, openapi_text};
use serde_json::Value;

#[test]
fn every_route_is_in_the_document_and_every_name_leads_somewhere() {
    let document: Value = serde_json::from_str(&openapi_text()).expect("JSON");
    for route in ROUTES {
        let operation = &document["paths"][route.path][route.verb.name().to_ascii_lowercase()];
        assert_eq!(operation["summary"], route.summary, "{} {}", route.verb.name(), route.path);
        assert!(operation["responses"][route.status.to_string()].is_object());
    }
    let mut names = Vec::new();
    references(&document, &mut names);
    assert!(names.len() > ROUTES.len());
    for name in names {
        let pointer = name.strip_prefix('#').expect("a name in this document");
        assert!(document.pointer(pointer).is_some(), "{name} leads nowhere");
    }
    let part = &document["components"]["schemas"]["HookDraft"];
    assert!(
        part["properties"].is_object() && part["additionalProperties"].is_null(),
        "a hook has more than that"
    );
    assert_eq!(openapi().info.title, "Boathook team server");
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(name)) = fields.get("$ref") {
                found.push(name.clone());
            }
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_copy_in_the_manual_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/openapi.json");
    let copy = std::fs::read_to_string(&path).unwrap_or_default();
    let text = openapi_text();
    let first = text.lines().zip(copy.lines()).find(|(now, then)| now != then);
    assert!(
        copy == text,
        "write it anew with `boathook serve openapi > docs/manual/openapi.json`; first: {first:?}"
    );
}
