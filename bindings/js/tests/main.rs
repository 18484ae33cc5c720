//! Messages to the module, answered on this machine.

use std::sync::Arc;

use planish::IncludeResolver;
use planish_js::{Message, Session};
use serde_json::{Value, json};

const GREY: &[u8] = b"precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }\n";

struct NoFiles;

impl IncludeResolver for NoFiles {
    fn resolve(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

fn ask(session: &Session, head: Value, blocks: Vec<Vec<u8>>) -> Message {
    // As they travel.
    let request = Message::parse(&Message { head, blocks }.write()).expect("what is written can be read");
    session.answer(&request, &mut NoFiles)
}

#[test]
fn messages_are_what_was_written() {
    let message = Message { head: json!({ "a": [1, "ü"] }), blocks: vec![vec![], vec![1, 2, 3]] };
    let bytes = message.write();
    assert_eq!(Message::parse(&bytes).as_ref(), Ok(&message));
    for end in 0..bytes.len() {
        // The blocks may be missing, and nothing else.
        let is_whole = Message::parse(&bytes[..end]).is_ok_and(|cut| cut.head == message.head);
        let (without, one) = (bytes.len() - 11, bytes.len() - 7);
        assert_eq!(is_whole, end == without || end == one, "{end} of {}", bytes.len());
    }
}

#[test]
fn programs_are_kept_until_they_are_freed() {
    let session = Session::default();
    let compile = json!({ "do": "compile", "name": "a.frag", "target": "wgsl", "options": [["minify", true]] });
    let compiled = ask(&session, compile, vec![GREY.to_vec()]);
    assert_eq!(compiled.head, json!({ "ok": { "text": true } }));
    let open = json!({ "do": "open", "name": "a.frag", "options": [["minify", true]] });
    let number = ask(&session, open, vec![GREY.to_vec()]).head["ok"]["program"].as_u64().expect("a number");
    assert_eq!(session.len(), 1);
    let emitted = ask(&session, json!({ "do": "emit", "program": number, "target": "wgsl" }), vec![]);
    assert_eq!(emitted.blocks, compiled.blocks);
    ask(&session, json!({ "do": "free", "program": number }), vec![]);
    assert!(session.is_empty());
}

#[test]
fn errors_have_a_kind() {
    let session = Session::default();
    let check = |options: Value, target: &str| {
        let head = json!({ "do": "compile", "name": "a.frag", "target": target, "options": options });
        let answer = ask(&session, head, vec![GREY.to_vec()]);
        let error = &answer.head["error"];
        (
            error["kind"].as_str().unwrap_or_default().to_owned(),
            error["message"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let wrong = [
        (json!([["minfy", true]]), "type", "there is no option `minfy`; did you mean `minify`?"),
        (json!([["glslversion", 300]]), "type", "there is no option `glslversion`; did you mean `glslVersion`?"),
        (json!([["minify", 1]]), "type", "the option `minify` takes true or false, not a number"),
        (json!([["define", { "A": null }]]), "type", "the option `define` takes strings and numbers, not null"),
        (
            json!([["define", { "type": ["a Date"] }]]),
            "type",
            "the option `define` takes a string, an array of strings, or an object of strings, not a Date",
        ),
        (
            json!([["level", { "type": ["a Date"] }]]),
            "type",
            "the option `level` takes a string or a number, not a Date",
        ),
        (json!([["level", 9]]), "range", "there is no optimization level `9`; there are 0, 1, 2, s"),
    ];
    for (options, kind, message) in wrong {
        assert_eq!(check(options, "wgsl"), (kind.to_owned(), message.to_owned()));
    }
    assert_eq!(check(json!([]), "wgls").0, "range");
    let head = json!({ "do": "open", "name": "a.frag", "options": [] });
    let error = ask(&session, head, vec![b"void main() {".to_vec()]).head["error"].clone();
    assert_eq!(error["kind"], "program");
    assert!(error["diagnostics"][0]["rendered"].as_str().unwrap_or_default().starts_with("error[E"), "{error}");
    // The level comes first, whatever the order is.
    assert_eq!(check(json!([["passes", "inline_functions"], ["level", 2]]), "wgsl"), (String::new(), String::new()));
}
