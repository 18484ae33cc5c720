//! Changes of a pass in the text of the IR: a unified diff that ignores renumbering.
//!
//! Removing one node renumbers all that follow, so a plain diff would show every line. Lines are therefore paired
//! twice: first without numbers, which maps old names of values to new ones; then with the old text renumbered. A
//! removed value keeps its old number, with a prime: `%7'`.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Maximum length of a stretch without a common unique line that is compared line by line (a quadratic table).
const STRETCH: usize = 2000;

/// The hunks of a unified diff; `None` if nothing changed but numbers.
pub(crate) fn unified(old: &str, new: &str) -> Option<String> {
    let new_lines: Vec<&str> = new.lines().collect();
    let renumbered = renumber(&old.lines().collect::<Vec<_>>(), &new_lines);
    let old_lines = slices(&renumbered);
    let pairs = pair(&old_lines, &new_lines);
    let edits = edits(&pairs, old_lines.len(), new_lines.len());
    if edits.is_empty() {
        return None;
    }
    let mut text = String::new();
    for hunk in edits.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        write_hunk(&mut text, hunk, &old_lines, &new_lines);
    }
    Some(text)
}

/// Lines of the old text that lines of the new one replace.
struct Edit {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

/// The unpaired lines between the pairs.
fn edits(pairs: &[(usize, usize)], old_len: usize, new_len: usize) -> Vec<Edit> {
    let mut edits = vec![];
    let mut at = (0, 0);
    for &(i, j) in pairs.iter().chain([&(old_len, new_len)]) {
        if (i, j) != at {
            edits.push(Edit { old: at.0..i, new: at.1..j });
        }
        at = (i + 1, j + 1);
    }
    edits
}

fn write_hunk(text: &mut String, edits: &[Edit], old: &[&str], new: &[&str]) {
    let (first, last) = (&edits[0], &edits[edits.len() - 1]);
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let (from, to) = (first.old.start - before, last.old.end + after);
    let (new_from, new_to) = (first.new.start - before, last.new.end + after);
    // As in unified diffs, an empty range is numbered by the line before it.
    let start = |from: usize, to: usize| if from == to { from } else { from + 1 };
    let (a, b) = (start(from, to), start(new_from, new_to));
    writeln!(text, "@@ -{a},{} +{b},{} @@", to - from, new_to - new_from).expect("a string takes all");
    let mut at = from;
    let mut put = |sign: char, lines: &[&str]| {
        lines.iter().for_each(|line| writeln!(text, "{sign}{line}").expect("a string takes all"));
    };
    for edit in edits {
        put(' ', &old[at..edit.old.start]);
        put('-', &old[edit.old.clone()]);
        put('+', &new[edit.new.clone()]);
        at = edit.old.end;
    }
    put(' ', &old[at..to]);
}

/// Pairs of equal lines, ascending on both sides: first lines that are unique on both sides (patience), then the lines
/// between those.
fn pair(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut pairs = vec![];
    let mut stretches = vec![(0..old.len(), 0..new.len())];
    while let Some((mut a, mut b)) = stretches.pop() {
        while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
            pairs.push((a.start, b.start));
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
            (a.end, b.end) = (a.end - 1, b.end - 1);
            pairs.push((a.end, b.end));
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let anchors = anchors(&old[a.clone()], &new[b.clone()]);
        if anchors.is_empty() {
            pairs.extend(longest_common(&old[a.clone()], &new[b.clone()]).map(|(i, j)| (a.start + i, b.start + j)));
            continue;
        }
        let (mut from, mut new_from) = (a.start, b.start);
        for (i, j) in anchors {
            let (i, j) = (a.start + i, b.start + j);
            pairs.push((i, j));
            stretches.push((from..i, new_from..j));
            (from, new_from) = (i + 1, j + 1);
        }
        stretches.push((from..a.end, new_from..b.end));
    }
    pairs.sort_unstable();
    pairs
}

/// The longest ascending sequence of pairs of lines that are unique on both sides.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&str, [Option<Result<usize, ()>>; 2]> = HashMap::new();
    for (side, lines) in [old, new].into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let place = &mut seen.entry(line).or_default()[side];
            *place = Some(if place.is_some() { Err(()) } else { Ok(at) });
        }
    }
    let unique = |line: &&str| match seen[line] {
        [Some(Ok(i)), Some(Ok(j))] => Some((i, j)),
        _ => None,
    };
    let candidates: Vec<(usize, usize)> = old.iter().filter_map(unique).collect();
    // `tails[n]`: the candidate with the least `j` at the end of a sequence of n + 1; `before`: its predecessor.
    let mut tails: Vec<usize> = vec![];
    let mut before = vec![None; candidates.len()];
    for (at, &(_, j)) in candidates.iter().enumerate() {
        let length = tails.partition_point(|&tail| candidates[tail].1 < j);
        before[at] = length.checked_sub(1).map(|n| tails[n]);
        if length == tails.len() { tails.push(at) } else { tails[length] = at }
    }
    let mut chain: Vec<_> = std::iter::successors(tails.last().copied(), |&at| before[at]).collect();
    chain.reverse();
    chain.into_iter().map(|at| candidates[at]).collect()
}

/// A longest common subsequence, by the table of its lengths; empty beyond the maximum length.
fn longest_common(old: &[&str], new: &[&str]) -> impl Iterator<Item = (usize, usize)> {
    let (old, new) = if old.len().max(new.len()) > STRETCH { (&[][..], &[][..]) } else { (old, new) };
    let width = new.len() + 1;
    let mut length = vec![0u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let (skip_old, skip_new) = (length[(i + 1) * width + j], length[i * width + j + 1]);
            let both = if old[i] == new[j] { length[(i + 1) * width + j + 1] + 1 } else { 0 };
            length[i * width + j] = both.max(skip_old).max(skip_new);
        }
    }
    let mut pairs = vec![];
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let here = length[i * width + j];
        if here == length[(i + 1) * width + j] {
            i += 1;
        } else if here == length[i * width + j + 1] {
            j += 1;
        } else {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        }
    }
    pairs.into_iter()
}

/// The old lines in the new numbering; a number without counterpart in the new text gets a prime.
fn renumber(old: &[&str], new: &[&str]) -> Vec<String> {
    let keys = |lines: &[&str]| lines.iter().map(|line| replace(line, |_| "#".into())).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    let pairs = pair(&slices(&old_keys), &slices(&new_keys));
    // Numbers begin anew in each function.
    let mut names: HashMap<(usize, &str), &str> = HashMap::new();
    let functions = functions(old);
    for (i, j) in pairs {
        for (before, now) in defined(old[i]).into_iter().zip(defined(new[j])) {
            names.insert((functions[i], before), now);
        }
    }
    let line = |(at, line): (usize, &&str)| {
        replace(line, |word| match names.get(&(functions[at], word)) {
            Some(now) => (*now).to_owned(),
            None => format!("{word}'"),
        })
    };
    old.iter().enumerate().map(line).collect()
}

fn slices(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// Of each line, how many functions have begun.
fn functions(lines: &[&str]) -> Vec<usize> {
    let begun = |count: &mut usize, line: &&str| {
        *count += usize::from(line.starts_with("fn "));
        Some(*count)
    };
    lines.iter().scan(0, begun).collect()
}

/// The numbered names that a line defines: `%3 = …`, a block's `then b2(%7: f32):`, a function's parameters.
fn defined(line: &str) -> Vec<&str> {
    let trimmed = line.trim_start();
    let words = words(line).into_iter().filter(|word| word.numbered).map(|word| word.text);
    if trimmed.starts_with("fn ") || trimmed.ends_with(':') {
        words.collect()
    } else if trimmed.starts_with('%') {
        let given = trimmed.split(" = ").next().unwrap_or_default().matches('%').count();
        words.take(given).collect()
    } else {
        vec![]
    }
}

/// A token of a line: a word, or the text between words.
struct Word<'a> {
    text: &'a str,
    /// Whether it is a numbered name: `%3` or `b3`.
    numbered: bool,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '@' | '$' | '.');
    let mut words = vec![];
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        let digits = text.strip_prefix(['%', 'b']).unwrap_or_default();
        let numbered = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        words.push(Word { text, numbered });
        rest = after;
    }
    words
}

/// The line with other names in place of its numbered ones.
fn replace(line: &str, name: impl Fn(&str) -> String) -> String {
    words(line).iter().map(|word| if word.numbered { name(word.text) } else { word.text.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::unified;

    const OLD: &str = "fn @f(%0: f32) -> (f32) {
b0:
  %1 = add %0, %0
  %2 = sin %0
  %3 = multiply %2, %2
  if %0 {
  then b1:
    merge %3
  }
b2(%4: f32):
  return %4
}
";

    #[test]
    fn numbers_alone_are_no_change() {
        let new = OLD.replace("  %1 = add %0, %0\n", "");
        let shifted = new.replace("%2", "%1").replace("%3", "%2").replace("%4", "%3").replace("b2", "b7");
        let diff = unified(OLD, &shifted).expect("a line is gone");
        let changed: Vec<&str> = diff.lines().filter(|l| l.starts_with(['+', '-'])).collect();
        assert_eq!(changed, ["-  %1' = add %0, %0"], "{diff}");
        assert_eq!(unified(OLD, &OLD.replace("%4", "%17")), None);
    }

    #[test]
    fn another_operand_is_a_change() {
        let diff = unified(OLD, &OLD.replace("multiply %2, %2", "multiply %2, %1")).expect("an operand is another");
        let wanted = "@@ -2,7 +2,7 @@
 b0:
   %1 = add %0, %0
   %2 = sin %0
-  %3 = multiply %2, %2
+  %3 = multiply %2, %1
   if %0 {
   then b1:
     merge %3
";
        assert_eq!(diff, wanted);
    }

    #[test]
    fn hunks_join_where_their_context_meets() {
        let lines =
            |skip: &[usize]| (0..40).filter(|n| !skip.contains(n)).map(|n| format!("x.{n}\n")).collect::<String>();
        let heads = |skip: &[usize]| {
            let diff = unified(&lines(&[]), &lines(skip)).expect("lines are gone");
            diff.lines().filter(|l| l.starts_with("@@")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(heads(&[10, 17]), ["@@ -8,14 +8,12 @@"]);
        assert_eq!(heads(&[10, 18]), ["@@ -8,7 +8,6 @@", "@@ -16,7 +15,6 @@"]);
        assert_eq!(unified("", "a\n").as_deref(), Some("@@ -0,0 +1,1 @@\n+a\n"));
    }

    /// For any texts: the lines without `+` are the old text, those without `-` the new one.
    #[test]
    fn a_diff_holds_both_texts() {
        let mut state = 7u32;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for _ in 0..300 {
            let mut text = || (0..next(12) + 1).map(|_| format!("l{}", next(4))).collect::<Vec<_>>();
            let (old, new) = (text(), text());
            let diff = unified(&old.join("\n"), &new.join("\n")).unwrap_or_default();
            let side = |drop: char| -> Vec<&str> {
                diff.lines().filter(|l| !l.starts_with([drop, '@'])).map(|l| &l[1..]).collect()
            };
            if old == new {
                assert_eq!(diff, "");
            } else if old.len().max(new.len()) <= super::CONTEXT {
                assert_eq!(
                    (side('+'), side('-')),
                    (old.iter().map(|s| &**s).collect(), new.iter().map(|s| &**s).collect())
                );
            } else {
                assert!(side('+').iter().all(|l| old.iter().any(|o| o == l)), "{diff}");
                let (gone, come) = (
                    diff.lines().filter(|l| l.starts_with('-')).count(),
                    diff.lines().filter(|l| l.starts_with('+')).count(),
                );
                assert_eq!(old.len() - gone, new.len() - come, "{diff}");
            }
        }
    }
}
