//! Options of JavaScript as settings.

use planish::diagnostic::Diagnostic;
use planish::{SETTINGS, Setting, SettingKind, Settings, Target, suggest, unused_settings};
use serde_json::Value;

use crate::session::Failure;

/// Options that are no settings.
const OTHERS: [&str; 3] = ["name", "includes", "onWarning"];

/// The name of a setting in JavaScript: `glslVersion` for `glsl-version`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (first, rest) = word.split_at(word.len().min(1));
        name + &first.to_ascii_uppercase() + rest
    })
}

/// The kind of a setting: `flag`, `one` or `many`.
pub(crate) fn kind_name(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Flag => "flag",
        SettingKind::Many => "many",
        _ => "one",
    }
}

/// The settings of a list of names and values, each of which is a text, a number, a truth value, a list of texts and numbers, or an object of
/// them. Anything else is `{"type": [NAME]}` with the name of its type.
pub(crate) fn parse(options: &Value) -> Result<Settings, Failure> {
    let mut settings = Settings::default();
    let mut given = vec![];
    for pair in options.as_array().into_iter().flatten() {
        let name = pair[0].as_str().unwrap_or_default();
        let known = SETTINGS.iter().find(|setting| camel(setting.name) == name);
        given.push((known.ok_or_else(|| unknown(name))?, &pair[1]));
    }
    // A level selects passes, too, and an explicit list of them holds whatever the order is.
    given.sort_by_key(|(setting, _)| setting.name != "level");
    for (setting, value) in given {
        for text in texts(setting, value)? {
            settings.set(setting.name, &text).map_err(Failure::Range)?;
        }
    }
    Ok(settings)
}

/// Warnings about options that do nothing for a target.
pub(crate) fn unused(options: &Value, target: Target) -> Vec<Diagnostic> {
    let pairs = options.as_array().into_iter().flatten().filter(|pair| pair[1] != Value::Bool(false));
    let given = pairs.filter_map(|pair| {
        let name = pair[0].as_str()?;
        SETTINGS.iter().map(|setting| setting.name).find(|known| camel(known) == name)
    });
    unused_settings(&given.collect::<Vec<_>>(), &[target], |name| format!("the option `{}`", camel(name)))
}

fn unknown(name: &str) -> Failure {
    let names: Vec<String> = SETTINGS.iter().map(|setting| camel(setting.name)).collect();
    let near = suggest(name, names.iter().map(String::as_str).chain(OTHERS));
    Failure::Type(format!("there is no option `{name}`{near}"))
}

fn texts(setting: &Setting, value: &Value) -> Result<Vec<String>, Failure> {
    let wrong = |wanted: &str| {
        let name = camel(setting.name);
        Failure::Type(format!("the option `{name}` takes {wanted}, not {}", type_of(value)))
    };
    match (setting.kind, value) {
        (SettingKind::Flag, Value::Bool(flag)) => Ok(vec![flag.to_string()]),
        (SettingKind::Flag, _) => Err(wrong("true or false")),
        // Of the entry points, without names of functions.
        (_, Value::Bool(flag)) if setting.name == "flatten" => Ok(if *flag { vec![String::new()] } else { vec![] }),
        (SettingKind::Many, Value::Array(items)) => {
            items.iter().map(|item| text(item).ok_or_else(|| wrong("strings and numbers"))).collect()
        }
        (SettingKind::Many, Value::Object(pairs)) if foreign(value).is_none() => {
            let pair = |(key, value): (&String, &Value)| Some(format!("{key}={}", text(value)?));
            pairs.iter().map(|item| pair(item).ok_or_else(|| wrong("strings and numbers"))).collect()
        }
        (SettingKind::Many, _) => {
            let one = text(value).map(|text| vec![text]);
            one.ok_or_else(|| wrong("a string, an array of strings, or an object of strings"))
        }
        _ => text(value).map(|text| vec![text]).ok_or_else(|| wrong("a string or a number")),
    }
}

/// The text of a text or number.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The name of the type of a value, for messages.
fn type_of(value: &Value) -> String {
    if let Some(name) = foreign(value) {
        return name.to_owned();
    }
    let wrong = match value {
        Value::Array(items) => items.iter().find(|item| text(item).is_none()),
        Value::Object(pairs) => pairs.values().find(|item| text(item).is_none()),
        _ => None,
    };
    if let Some(item) = wrong {
        return type_of(item);
    }
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
    .into()
}

/// The name of the type of a value that JSON does not have.
fn foreign(value: &Value) -> Option<&str> {
    value.get("type")?.get(0)?.as_str()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The package's own test asks the module for its settings, which takes a build for WebAssembly.
    #[test]
    fn typescript_declares_every_setting() {
        let declarations = include_str!("../package/types.d.ts");
        let (_, rest) = declarations.split_once("export interface Settings {\n").expect("an interface of the settings");
        let (body, _) = rest.split_once("\n}").expect("its end");
        let members = body.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("?:"));
        let declared: BTreeMap<String, &str> = members.map(|(name, kind)| (name.to_owned(), kind.trim())).collect();
        let mut wanted = BTreeMap::new();
        for setting in SETTINGS {
            let name = camel(setting.name);
            // A language, a level and a stage have types of their own, which may begin on the next line.
            let kind = match (setting.kind, name.as_str()) {
                (_, "flatten") => "boolean | string;",
                (SettingKind::Flag, _) => "boolean;",
                (SettingKind::Many, _) => "Values;",
                _ => declared.get(&name).copied().filter(|kind| !kind.contains("boolean")).unwrap_or("Value;"),
            };
            wanted.insert(name, kind);
        }
        assert_eq!(declared, wanted);
    }
}
