//! `environment` of a hooks file: variables that its hooks are given, and names
//! that enterprise and team hooks inherit.
//!
//! What is wrong is reported and has no effect; the hooks of the file still run.

use std::ops::Range;
use std::sync::Arc;

use jsonc_parser::ast::{Object, Value};

use super::reader::{Reader, in_force};
use super::syntax::{bytes_of, excerpt, kind_of, property};
use crate::environment::{DeclaredEnvironment, is_reserved, problem_with_value};
use crate::problem::Problem;

const FORM: &str = r#"write "environment": {"set": {"NAME": "value"}, "inherit": ["NAME"]}"#;

/// Reads `environment` at the top level of a file.
pub(super) fn read_environment(reader: &mut Reader, top: &Object) {
    let Some(found) = property(top, "environment") else { return };
    let Value::Object(parts) = &found.value else {
        return wrong(
            reader,
            bytes_of(&found.value),
            format!("`environment` is {}, not an object", kind_of(&found.value)),
        );
    };
    reader.duplicate_keys(parts);
    let mut declared = DeclaredEnvironment::default();
    for part in in_force(parts) {
        match (part.name.as_str(), &part.value) {
            ("set", Value::Object(variables)) => read_set(reader, variables, &mut declared),
            ("inherit", Value::Array(names)) => {
                for name in &names.elements {
                    match name {
                        Value::StringLit(text) if is_usable(reader, bytes_of(name), &text.value) => {
                            declared.inherit.push(text.value.clone().into_owned());
                        }
                        Value::StringLit(_) => {}
                        other => wrong(
                            reader,
                            bytes_of(other),
                            format!("a name in `inherit` is {}, not a string", kind_of(other)),
                        ),
                    }
                }
            }
            ("set", other) => {
                wrong(reader, bytes_of(other), format!("`set` is {}, not an object", kind_of(other)))
            }
            ("inherit", other) => {
                wrong(reader, bytes_of(other), format!("`inherit` is {}, not a list", kind_of(other)))
            }
            (name, _) if name.starts_with('_') => {}
            (name, _) => {
                let message = format!("unknown key `{}` in `environment` is ignored", excerpt(name));
                reader.add(bytes_of(&part.name), Problem::warning("unknown-key", message).help(FORM));
            }
        }
    }
    reader.environment = Some(Arc::new(declared));
}

fn read_set(reader: &mut Reader, variables: &Object, declared: &mut DeclaredEnvironment) {
    reader.duplicate_keys(variables);
    for variable in in_force(variables) {
        let name = variable.name.as_str();
        if !is_usable(reader, bytes_of(&variable.name), name) {
            continue;
        }
        let at = bytes_of(&variable.value);
        match &variable.value {
            Value::StringLit(text) => match problem_with_value(&text.value) {
                None => declared.set.push((name.to_owned(), text.value.clone().into_owned())),
                Some(problem) => wrong(reader, at, format!("`{}` cannot be set: {problem}", excerpt(name))),
            },
            other => wrong(
                reader,
                at,
                format!("the value of `{}` is {}, not a string", excerpt(name), kind_of(other)),
            ),
        }
    }
}

/// Whether a variable can have this name; reports it when not.
fn is_usable(reader: &mut Reader, at: Range<usize>, name: &str) -> bool {
    let problem = if name.is_empty() || name.contains(['=', '\0']) {
        "is not the name of a variable: a name is not empty and has no `=`"
    } else if is_reserved(name) {
        "is set by Boathook alone"
    } else {
        return true;
    };
    wrong(reader, at, format!("`{}` {problem}", excerpt(name)));
    false
}

fn wrong(reader: &mut Reader, at: Range<usize>, message: String) {
    reader.add(at, Problem::error("environment", message).help(FORM));
}
