//! The settings of Claude Code, and the hooks of a plugin.

use boathook_engine::Edition;
use boathook_engine::config::{self, Config};
use boathook_engine::dialect::claude::{Shape, to_native};
use serde_json::{Value, json};

use crate::hooks_json::check_config;
use crate::{problems, samples};

/// Reads it as settings and as either form of a plugin.
pub fn check(bytes: &[u8]) {
    for edition in Edition::ALL {
        for shape in [Shape::Claude, Shape::Cursor] {
            let config = config::read_settings(bytes, edition, shape);
            check_settings(bytes, &config);
            check_part(&config, edition, shape);
            for in_manifest in [false, true] {
                check_settings(bytes, &config::read_plugin(bytes, edition, shape, in_manifest));
            }
        }
    }
    check_conversion(&config::read_settings(bytes, Edition::Docs, Shape::Claude));
}

fn check_settings(bytes: &[u8], config: &Config) {
    check_config(bytes, config);
    problems::check_places(bytes, &config::check_matchers(&config.definitions));
    samples::match_all(&config.definitions);
}

/// Trust follows the part of the file that hooks are made of: it must hold all of them.
fn check_part(config: &Config, edition: Edition, shape: Shape) {
    let Some(part) = &config.part else { return };
    let again = config::read_settings(part, edition, shape);
    assert_eq!(again.definitions.len(), config.definitions.len(), "the part holds every hook");
    assert_eq!(again.switches_off, config.switches_off);
}

/// A hook that is converted is a hook of a hooks.json, without an error.
fn check_conversion(config: &Config) {
    for definition in &config.definitions {
        for of_user in [false, true] {
            let Ok(native) = to_native(definition, of_user) else { continue };
            let entry = Value::Object(native.fields);
            let text = json!({ "version": 1, "hooks": { definition.event.name(): [entry] } }).to_string();
            let read = config::read(text.as_bytes(), Edition::Docs);
            assert!(read.readable && read.definitions.len() == 1, "{text}\n{:?}", read.problems);
            let converted = &read.definitions[0];
            assert_eq!(converted.event, definition.event, "{text}");
            assert_eq!(converted.fail_closed, definition.fail_closed, "{text}");
        }
    }
}
