//! Characters that are invalid in GLSL, and their probable intention.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use crate::token::Punct;

/// Characters that look like an operator: the character, its name, and the operator.
const LOOK_ALIKES: &[(char, &str, Punct)] = &[
    ('−', "minus sign", Punct::Minus),
    ('–', "en dash", Punct::Minus),
    ('—', "em dash", Punct::Minus),
    ('‐', "hyphen", Punct::Minus),
    ('‑', "non-breaking hyphen", Punct::Minus),
    ('×', "multiplication sign", Punct::Star),
    ('∗', "asterisk operator", Punct::Star),
    ('⋅', "dot operator", Punct::Star),
    ('·', "middle dot", Punct::Star),
    ('÷', "division sign", Punct::Slash),
    ('∕', "division slash", Punct::Slash),
    ('⁄', "fraction slash", Punct::Slash),
    ('≤', "less-than or equal to", Punct::LessEqual),
    ('≥', "greater-than or equal to", Punct::GreaterEqual),
    ('≠', "not equal to", Punct::BangEqual),
    ('‹', "single left-pointing quotation mark", Punct::Less),
    ('›', "single right-pointing quotation mark", Punct::Greater),
    ('，', "full-width comma", Punct::Comma),
    ('、', "ideographic comma", Punct::Comma),
    ('‚', "low quotation mark", Punct::Comma),
    ('\u{37e}', "Greek question mark", Punct::Semicolon),
    ('。', "ideographic full stop", Punct::Dot),
    ('∶', "ratio", Punct::Colon),
    ('∼', "tilde operator", Punct::Tilde),
    ('∧', "logical and", Punct::AmpAmp),
    ('∨', "logical or", Punct::PipePipe),
    ('¬', "not sign", Punct::Bang),
];

/// The error for a character that begins no token, and the intended operator, if that is clear.
pub(super) fn unknown_character(c: char, span: Span) -> (Diagnostic, Option<Punct>) {
    let error = |message: String| Diagnostic::error(Code::E0101, span, message);
    if let Some((name, punct)) = look_alike(c) {
        let text = punct.text();
        let diagnostic = error(format!("`{c}` ({name}) is not the operator `{text}`"))
            .label(format!("U+{:04X}", u32::from(c)))
            .help(format!("write `{text}`"))
            .fix(span, text);
        return (diagnostic, Some(punct));
    }
    let diagnostic = match c {
        '"' => error("GLSL has no strings".to_owned()).label("this `\"` is not closed"),
        '\'' => error("GLSL has no character literals".to_owned()),
        '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '`' => {
            error(format!("unknown character `{c}`")).note("GLSL has neither strings nor characters in quotes")
        }
        '\\' => error("`\\` has no meaning here".to_owned())
            .note("at the very end of a line it would join the next line to it; white space follows this one"),
        '@' | '$' => error(format!("unknown character `{c}`")).note("names consist of ASCII letters, digits and `_`"),
        char::REPLACEMENT_CHARACTER => {
            error("this is not text in UTF-8".to_owned()).help("convert the file to UTF-8; comments may hold any bytes")
        }
        _ if is_space(c) => error(format!("U+{:04X} is not white space in GLSL", u32::from(c)))
            .label("looks like a space")
            .help("replace it with a space")
            .fix(span, " "),
        _ if is_invisible(c) => {
            error(format!("invisible character U+{:04X}", u32::from(c))).help("remove it").fix(span, "")
        }
        _ => match full_width(c) {
            Some(ascii) => error(format!("`{c}` is the full-width form of `{ascii}`"))
                .help(format!("write `{ascii}`"))
                .fix(span, ascii.to_string()),
            None if c.is_alphanumeric() => error(format!("unknown character `{c}`"))
                .label(format!("U+{:04X}", u32::from(c)))
                .note("names consist of ASCII letters, digits and `_`"),
            None => error(format!("unknown character `{}`", c.escape_debug())).label(format!("U+{:04X}", u32::from(c))),
        },
    };
    (diagnostic, None)
}

fn look_alike(c: char) -> Option<(&'static str, Punct)> {
    if let Some((_, name, punct)) = LOOK_ALIKES.iter().find(|row| row.0 == c) {
        return Some((name, *punct));
    }
    use Punct::*;
    let punct = match full_width(c)? {
        '(' => LeftParen,
        ')' => RightParen,
        '[' => LeftBracket,
        ']' => RightBracket,
        '{' => LeftBrace,
        '}' => RightBrace,
        '.' => Dot,
        ';' => Semicolon,
        ':' => Colon,
        '?' => Question,
        '=' => Equal,
        '!' => Bang,
        '<' => Less,
        '>' => Greater,
        '+' => Plus,
        '-' => Minus,
        '*' => Star,
        '/' => Slash,
        '%' => Percent,
        '&' => Amp,
        '|' => Pipe,
        '^' => Caret,
        '~' => Tilde,
        _ => return None,
    };
    Some(("full-width form", punct))
}

/// The ASCII character of which this is the full-width form.
fn full_width(c: char) -> Option<char> {
    matches!(c, '\u{ff01}'..='\u{ff5e}').then(|| char::from_u32(u32::from(c) - 0xfee0)).flatten()
}

fn is_space(c: char) -> bool {
    !c.is_ascii() && c.is_whitespace()
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(c: char) -> String {
        unknown_character(c, Span::new(1, 2)).0.message
    }

    #[test]
    fn look_alikes_name_what_was_meant() {
        assert_eq!(message('−'), "`−` (minus sign) is not the operator `-`");
        assert_eq!(message('（'), "`（` (full-width form) is not the operator `(`");
        assert_eq!(unknown_character('；', Span::NONE).1, Some(Punct::Semicolon));
        assert_eq!(unknown_character('≤', Span::NONE).0.fix.unwrap().replacement, "<=");
    }

    #[test]
    fn other_characters_say_what_they_are() {
        assert_eq!(message('\u{a0}'), "U+00A0 is not white space in GLSL");
        assert_eq!(message('\u{200b}'), "invisible character U+200B");
        assert_eq!(message('ａ'), "`ａ` is the full-width form of `a`");
        assert_eq!(message('\0'), "unknown character `\\0`");
        assert_eq!(message('π'), "unknown character `π`");
    }

    #[test]
    fn the_table_has_each_character_once() {
        for (index, row) in LOOK_ALIKES.iter().enumerate() {
            assert!(LOOK_ALIKES[..index].iter().all(|other| other.0 != row.0), "{}", row.0);
            assert!(!row.0.is_ascii());
        }
    }
}
