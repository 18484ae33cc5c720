//! Characters that GLSL does not know.

use super::*;

#[test]
fn each_unknown_character_is_one_error() {
    complains("a @ b $ c", &["E0101 1:3 unknown character `@`", "E0101 1:7 unknown character `$`"], "a b c");
    complains(
        "x = a − b；",
        &[
            "E0101 1:7 `−` (minus sign) is not the operator `-`",
            "E0101 1:10 `；` (full-width form) is not the operator `;`",
        ],
        "x = a - b ;",
    );
    complains("a\u{a0}b", &["E0101 1:2 U+00A0 is not white space in GLSL"], "a b");
    complains(
        "\"x\" 'y' \"z",
        &[
            "E0101 1:1 GLSL has no strings",
            "E0101 1:5 GLSL has no character literals",
            "E0101 1:7 GLSL has no character literals",
            "E0101 1:9 GLSL has no strings",
        ],
        "y",
    );
    complains("a \\ b", &["E0101 1:3 `\\` has no meaning here"], "a b");
}

#[test]
fn comments_and_unused_macros_may_hold_any() {
    expands("// “−”\n/* é @ */\n#define X @ é 08\na", "a");
    complains("#define X @\nX X", &["E0101 2:1 unknown character `@`", "E0101 2:3 unknown character `@`"], "");
}
