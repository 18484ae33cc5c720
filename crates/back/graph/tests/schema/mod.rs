//! A validator of JSON: as much of JSON Schema 2020-12 as `docs/targets/graph.schema.json` uses. A keyword that it does
//! not know is an error, so that nothing is believed to be checked that is not.

use serde_json::Value;

/// Violations of the schema by `value`, each with its location.
pub(crate) fn violations(root: &Value, value: &Value) -> Vec<String> {
    let mut out = vec![];
    check(root, root, value, "$", &mut out);
    out
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return out.push(format!("{at}: may not be there")),
        Value::Object(keywords) => keywords,
        _ => panic!("{at}: not a schema: {schema}"),
    };
    let fits = |schema: &Value| {
        let mut inner = vec![];
        check(root, schema, value, at, &mut inner);
        inner
    };
    for (keyword, rule) in keywords {
        match &keyword[..] {
            "$schema" | "$defs" | "title" | "then" | "else" => {}
            "$ref" => {
                let path = rule.as_str().expect("a reference").trim_start_matches('#');
                check(root, root.pointer(path).expect("refers to a schema"), value, at, out);
            }
            "allOf" => list(rule).iter().for_each(|part| out.extend(fits(part))),
            "oneOf" => {
                let tried: Vec<Vec<String>> = list(rule).iter().map(fits).collect();
                let fitting = tried.iter().filter(|t| t.is_empty()).count();
                if fitting != 1 {
                    out.push(format!("{at}: fits {fitting} of the alternatives: {value}"));
                }
            }
            "if" => {
                let branch = if fits(rule).is_empty() { "then" } else { "else" };
                keywords.get(branch).iter().for_each(|branch| out.extend(fits(branch)));
            }
            "type" if !has_type(value, rule.as_str().expect("one type")) => {
                out.push(format!("{at}: is no {rule}: {value}"));
            }
            "const" if value != rule => out.push(format!("{at}: is not {rule}: {value}")),
            "enum" if !list(rule).contains(value) => out.push(format!("{at}: not one of those allowed: {value}")),
            "minimum" if value.as_f64() < rule.as_f64() => out.push(format!("{at}: below {rule}: {value}")),
            "minItems" if value.as_array().is_some_and(|a| (a.len() as u64) < count(rule)) => {
                out.push(format!("{at}: too short"));
            }
            "maxItems" if value.as_array().is_some_and(|a| a.len() as u64 > count(rule)) => {
                out.push(format!("{at}: too long"));
            }
            "pattern" => {
                assert_eq!(rule, "^[xyzw]{1,4}$", "the only pattern");
                let is_swizzle =
                    |s: &str| (1..=4).contains(&s.len()) && s.chars().all(|c| matches!(c, 'x' | 'y' | 'z' | 'w'));
                if !value.as_str().is_some_and(is_swizzle) {
                    out.push(format!("{at}: is no swizzle: {value}"));
                }
            }
            "required" => {
                let missing = list(rule).iter().filter(|key| value.get(key.as_str().expect("a name")).is_none());
                out.extend(missing.map(|key| format!("{at}: has no {key}")));
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}[{i}]"), out);
                }
            }
            "properties" => {
                for (key, rule) in rule.as_object().expect("properties by name") {
                    if let Some(member) = value.get(key) {
                        check(root, rule, member, &format!("{at}.{key}"), out);
                    }
                }
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let members = value.as_object().into_iter().flatten();
                for (key, member) in members.filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key))) {
                    check(root, rule, member, &format!("{at}.{key}"), out);
                }
            }
            "type" | "const" | "enum" | "minimum" | "minItems" | "maxItems" => {}
            _ => panic!("the keyword `{keyword}` is not known here"),
        }
    }
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list")
}

fn count(rule: &Value) -> u64 {
    rule.as_u64().expect("a number")
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => panic!("the type `{name}` is not known here"),
    }
}
