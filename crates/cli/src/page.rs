//! Pages in Markdown as text for a terminal: headings, paragraphs, lists, tables, code. Links are written out.
//!
//! Only pages of Planish itself are shown, so that part of Markdown which they use is known.

use std::fmt::Write as _;
use std::io::IsTerminal;

use crate::args::Color;

/// Columns of a page, also where standard output is no terminal.
const WIDTH: usize = 100;
/// Columns that a cell of a table gets at least.
const MIN_CELL: usize = 20;

const BOLD: &str = "\x1b[1m";
const CODE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

/// The look of a page.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Whether there are bold and colours; else code is between backticks and headings are underlined.
    color: bool,
    width: usize,
}

impl Style {
    /// The style for standard output.
    pub(crate) fn of(color: Color) -> Self {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        // Shells that export it know the terminal.
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        Style { color, width: columns.map_or(WIDTH, |columns: usize| columns.clamp(40, WIDTH)) }
    }
}

/// Lays out a page.
pub(crate) fn render(page: &str, style: Style) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if !text.is_empty() && !text.ends_with("\n\n") && !line.is_empty() && starts_block(line) {
            text.push('\n');
        }
        if line.is_empty() {
            continue;
        } else if line.starts_with("```") {
            let code = lines.by_ref().take_while(|line| !line.starts_with("```"));
            for line in code.map(str::trim_end) {
                let indent = if line.is_empty() { "" } else { "    " };
                writeln!(text, "{indent}{line}").expect("a string takes all");
            }
        } else if let Some(heading) = line.strip_prefix('#') {
            text += &self::heading(heading.trim_start_matches('#').trim(), line.starts_with("# "), style);
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            text += &table(&rows, style);
        } else {
            let item = line.strip_prefix("- ");
            let mut whole = item.unwrap_or(line).to_owned();
            while let Some(more) = lines.next_if(|line| !line.is_empty() && !starts_block(line) && !is_item(line)) {
                whole = format!("{whole} {}", more.trim());
            }
            let (first, indent) = if item.is_some() { ("• ", "  ") } else { ("", "") };
            for (at, line) in wrap(&inline(&whole, style), style.width - indent.len()).iter().enumerate() {
                writeln!(text, "{}{line}", if at == 0 { first } else { indent }).expect("a string takes all");
            }
        }
        if !lines.peek().is_some_and(|line| is_item(line)) {
            text.push('\n');
        }
    }
    format!("{}\n", text.trim_end())
}

fn starts_block(line: &str) -> bool {
    line.starts_with("```") || line.starts_with('#') || line.starts_with('|')
}

fn is_item(line: &str) -> bool {
    line.starts_with("- ")
}

fn heading(title: &str, is_first: bool, style: Style) -> String {
    if style.color {
        return format!("{BOLD}{}{PLAIN}\n", title.replace('`', ""));
    }
    let lines = wrap(&inline(title, style), style.width);
    let longest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    format!("{}\n{}\n", lines.join("\n"), if is_first { "=" } else { "-" }.repeat(longest))
}

/// Columns as wide as their widest cell; if that is too wide, the widest column is wrapped.
fn table(rows: &[&str], style: Style) -> String {
    let cells = |row: &&str| -> Vec<String> {
        let row = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{0}");
        row.split('|').map(|cell| inline(&cell.trim().replace('\u{0}', "|"), style)).collect()
    };
    let is_rule = |row: &&&str| row.chars().all(|c| "|-: ".contains(c));
    let right: Vec<bool> = rows
        .iter()
        .find(is_rule)
        .map(|rule| rule.trim_matches('|').split('|').map(|cell| cell.trim().ends_with(':')).collect())
        .unwrap_or_default();
    let rows: Vec<Vec<String>> = rows.iter().filter(|row| !is_rule(row)).map(cells).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell_width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let mut widths: Vec<usize> = (0..count).map(|column| cell_width(column).unwrap_or(0)).collect();
    let all = widths.iter().sum::<usize>() + 2 * count.saturating_sub(1);
    if let Some(widest) = (0..count).max_by_key(|&column| widths[column]).filter(|_| all > style.width) {
        let rest = all - widths[widest];
        widths[widest] = style.width.saturating_sub(rest).max(MIN_CELL);
    }
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let wrapped: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| wrap(cell, width)).collect();
        for line in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
            let mut out = String::new();
            for (column, cell) in wrapped.iter().enumerate() {
                let cell = cell.get(line).map_or("", |cell| cell);
                let room = " ".repeat(widths[column].saturating_sub(width(cell)));
                let between = if column > 0 { "  " } else { "" };
                match right.get(column) {
                    Some(true) => out += &format!("{between}{room}{cell}"),
                    _ => out += &format!("{between}{cell}{room}"),
                }
            }
            writeln!(text, "{}", out.trim_end()).expect("a string takes all");
        }
        let is_empty_head = number == 0 && row.iter().all(String::is_empty);
        if is_empty_head {
            text.clear();
        } else if number == 0 {
            let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            writeln!(text, "{}", rule.join("  ")).expect("a string takes all");
        }
    }
    text
}

/// Code, bold text and links. Each word has its own style, so that lines can end after any. Recursion: into bold text and links, which
/// are shorter.
fn inline(text: &str, style: Style) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        out += before;
        let parsed = match from.as_bytes()[0] {
            b'`' => between(from, "`", "`").map(|(code, rest)| {
                let code = if style.color { styled(code, CODE) } else { format!("`{code}`") };
                (code, rest)
            }),
            b'*' => between(from, "**", "**").map(|(bold, rest)| {
                let bold = inline(bold, Style { color: false, ..style });
                (if style.color { styled(&bold, BOLD) } else { bold }, rest)
            }),
            _ => link(from, style),
        };
        match parsed {
            Some((parsed, next)) => {
                out += &parsed;
                rest = next;
            }
            None => {
                out += &from[..1];
                rest = &from[1..];
            }
        }
    }
    out + rest
}

/// The text between two marks at the start, and the rest.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<(&'t str, &'t str)> {
    text.strip_prefix(open)?.split_once(close)
}

/// `[text](address)`: the text, and the address of what is elsewhere.
fn link(text: &str, style: Style) -> Option<(String, &str)> {
    let (shown, rest) = between(text, "[", "]")?;
    let (address, rest) = between(rest, "(", ")")?;
    let shown = inline(shown, style);
    Some((if address.contains("://") { format!("{shown} <{address}>") } else { shown }, rest))
}

fn styled(text: &str, style: &str) -> String {
    text.split(' ').map(|word| format!("{style}{word}{PLAIN}")).collect::<Vec<_>>().join(" ")
}

/// Columns of a text without its escape sequences. (Pages have no wide characters.)
fn width(text: &str) -> usize {
    let mut parts = text.split('\x1b');
    let first = parts.next().map_or(0, |part| part.chars().count());
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, rest)| rest.chars().count())).sum::<usize>()
}

/// Lines of at most so many columns, unless a word is longer.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && width(line) + 1 + width(word) > columns {
            lines.push(word.to_owned());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Style, render, width};

    const PAGE: &str = "# E1: no `x`\n\nA **very long** line about `a b` and [more](more.md).\n\n- one `f`\n  and more\n- two\n\n```glsl\nint x;\n\nint y;\n```\nEnd.\n\n| a | `n` |\n| --- | ---: |\n| `p\\|q` | 10 |\n| words that are long | 2 |\n";

    #[test]
    fn a_page_is_text_without_marks() {
        let text = render(PAGE, Style { color: false, width: 30 });
        let wanted = "E1: no `x`\n==========\n\nA very long line about `a b`\nand more.\n\n• one `f` and more\n• two\n\n    int x;\n\n    int y;\n\nEnd.\n\na                    `n`\n-------------------  ---\n`p|q`                 10\nwords that are long    2\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn escapes_take_no_room_and_wide_tables_are_wrapped() {
        let text = render(PAGE, Style { color: true, width: 30 });
        assert!(text.starts_with("\x1b[1mE1: no x\x1b[0m\n\nA \x1b[1mvery\x1b[0m \x1b[1mlong\x1b[0m line"), "{text:?}");
        assert!(text.contains("\x1b[36ma\x1b[0m \x1b[36mb\x1b[0m and\nmore.") && !text.contains('`'), "{text:?}");
        let row = format!("| a | b |\n| --- | --- |\n| {} | {} |\n", "word ".repeat(20), "`f` ".repeat(3));
        let text = render(&row, Style { color: true, width: 40 });
        assert!(text.lines().count() > 4 && text.lines().all(|line| width(line) <= 40), "{text}");
    }

    /// No page has a mark of Markdown left, or a line that is too long, but for code.
    #[test]
    fn all_pages_are_laid_out() {
        let codes = planish::diagnostic::CODES.iter().filter_map(|info| planish::explain(info.code.0));
        let pages: Vec<String> = codes.map(str::to_owned).chain([planish::optimizer::reference()]).collect();
        assert!(pages.len() > 100);
        for page in pages {
            let text = render(&page, Style { color: true, width: 100 });
            for line in text.lines().filter(|line| !line.starts_with("    ")) {
                let marks =
                    line.contains("```") || line.starts_with('#') || line.starts_with('|') || line.contains('`');
                assert!(!marks && !line.contains("**") && width(line) <= 100, "{line}");
            }
        }
    }
}
