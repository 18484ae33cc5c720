//! A query compiler: SQL text of one table becomes one loop over its columns. The queries are number 1 and 6 of TPC-H, without dates as text.

use planish::stage::{In, Out, Rep, check, function, when};

use crate::{Error, Shown, shown};

/// Number 1: a summary of what was shipped until a day, by return flag and state.
const PRICING: &str = "
    select sum(quantity), sum(price), sum(price * (1 - discount)), sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(discount), count(*)
    where shipped <= 2436 group by flag, state";

/// Number 6: what discounts of a year have cost.
const REVENUE: &str = "
    select sum(price * discount)
    where shipped >= 730 and shipped < 1095 and discount >= 0.05 and discount <= 0.07 and quantity < 24";

/// Columns of numbers, in the order of the parameters.
const NUMBERS: [&str; 5] = ["quantity", "price", "discount", "tax", "shipped"];
/// Columns of small codes, by which rows may be grouped.
const CODES: [&str; 2] = ["flag", "state"];
/// Values of a code.
const VALUES: u32 = 4;

/// An expression.
#[derive(Debug)]
enum Expr {
    Number(f64),
    Column(usize),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

type Operator = &'static str;

/// Operators of each precedence, from the loosest.
const OPERATORS: [&[Operator]; 4] = [&["or"], &["and"], &["<=", ">=", "<", ">", "="], &["+", "-"]];
const TIGHTEST: &[Operator] = &["*", "/"];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Aggregate {
    Sum,
    Average,
    Count,
}

/// A query.
#[derive(Debug)]
struct Query {
    results: Vec<(Aggregate, Expr)>,
    condition: Option<Expr>,
    groups: Vec<usize>,
}

/// The words of a text, and what is left of them.
struct Words<'t>(Vec<&'t str>);

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
            let length = match first {
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                '<' | '>' if rest[1..].starts_with('=') => 2,
                c => c.len_utf8(),
            };
            words.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
        words.reverse();
        Words(words)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.0.last().is_some_and(|next| next.eq_ignore_ascii_case(word));
        if found {
            self.0.pop();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), Error> {
        if self.eat(word) {
            return Ok(());
        }
        match self.0.last() {
            Some(found) => Err(format!("expected `{word}`, found `{found}`").into()),
            None => Err(format!("expected `{word}` at the end").into()),
        }
    }

    fn word(&mut self) -> Result<&'t str, Error> {
        self.0.pop().ok_or_else(|| "the query ends too early".into())
    }
}

fn position(names: &[&str], name: &str) -> Result<usize, Error> {
    let found = names.iter().position(|known| known.eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("there is no column `{name}`; there are {}", names.join(", ")).into())
}

/// Reads an expression of operators that bind as tightly as a level, or more so. Recurses as deep as parentheses and levels.
fn expression(words: &mut Words<'_>, level: usize) -> Result<Expr, Error> {
    let Some(operators) = OPERATORS.iter().copied().chain([TIGHTEST]).nth(level) else { return operand(words) };
    let mut left = expression(words, level + 1)?;
    while let Some(operator) = operators.iter().find(|operator| words.eat(operator)) {
        left = Expr::Binary(operator, left.into(), expression(words, level + 1)?.into());
    }
    Ok(left)
}

fn operand(words: &mut Words<'_>) -> Result<Expr, Error> {
    let word = words.word()?;
    if word == "(" {
        let inner = expression(words, 0)?;
        words.expect(")")?;
        return Ok(inner);
    }
    match word.parse() {
        Ok(number) => Ok(Expr::Number(number)),
        Err(_) => Ok(Expr::Column(position(&NUMBERS, word)?)),
    }
}

fn query(text: &str) -> Result<Query, Error> {
    let words = &mut Words::of(text);
    let mut query = Query { results: Vec::new(), condition: None, groups: Vec::new() };
    words.expect("select")?;
    while query.results.is_empty() || words.eat(",") {
        let aggregate = match words.word()? {
            "sum" => Aggregate::Sum,
            "avg" => Aggregate::Average,
            "count" => Aggregate::Count,
            other => return Err(format!("`{other}` is none of sum, avg, count").into()),
        };
        words.expect("(")?;
        let of = if words.eat("*") { Expr::Number(1.0) } else { expression(words, 0)? };
        words.expect(")")?;
        query.results.push((aggregate, of));
    }
    if words.eat("where") {
        query.condition = Some(expression(words, 0)?);
    }
    if words.eat("group") {
        words.expect("by")?;
        while query.groups.is_empty() || words.eat(",") {
            query.groups.push(position(&CODES, words.word()?)?);
        }
    }
    words.0.last().map_or(Ok(query), |rest| Err(format!("`{rest}` is left over").into()))
}

/// Writes the code of a number. Recurses as deep as the expression.
fn number(expr: &Expr, row: &dyn Fn(usize) -> Rep<f64>) -> Result<Rep<f64>, Error> {
    Ok(match expr {
        Expr::Number(number) => Rep::new(*number),
        Expr::Column(column) => row(*column),
        Expr::Binary(operator, a, b) => {
            let (a, b) = (number(a, row)?, number(b, row)?);
            match *operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                other => return Err(format!("`{other}` gives no number").into()),
            }
        }
    })
}

/// Writes the code of a condition.
fn condition(expr: &Expr, row: &dyn Fn(usize) -> Rep<f64>) -> Result<Rep<bool>, Error> {
    let Expr::Binary(operator, a, b) = expr else { return Err("a condition compares numbers".into()) };
    if matches!(*operator, "and" | "or") {
        let (a, b) = (condition(a, row)?, condition(b, row)?);
        return Ok(if *operator == "and" { a & b } else { a | b });
    }
    let (a, b) = (number(a, row)?, number(b, row)?);
    Ok(match *operator {
        "<" => a.lt(b),
        "<=" => a.le(b),
        ">" => a.gt(b),
        ">=" => a.ge(b),
        "=" => a.eq(b),
        other => return Err(format!("`{other}` gives no condition").into()),
    })
}

type Numbers = In<[f64]>;
type Codes = In<[u8]>;
type Compiled = planish::stage::Function<(Numbers, Numbers, Numbers, Numbers, Numbers, Codes, Codes, Out<[f64]>), ()>;

/// The program of a query: it fills a row of numbers for each group, of which the last is the count.
fn compile(text: &str) -> Result<Compiled, Error> {
    let query = query(text)?;
    let width = query.results.len() as u32 + 1;
    let mut wrong = None;
    let program = function(
        "query",
        |a: Numbers, b: Numbers, c: Numbers, d: Numbers, e: Numbers, flag: Codes, state: Codes, out: Out<[f64]>| {
            let (columns, codes) = ([a, b, c, d, e], [flag, state]);
            columns.iter().for_each(|column| check(column.len().eq(a.len())));
            planish::stage::range(0, a.len()).for_each(|index: Rep<u32>| {
                let row = |column: usize| columns[column].at(index);
                let update = || -> Result<(), Error> {
                    let group =
                        query.groups.iter().fold(Rep::new(0), |group, &code| group * VALUES + codes[code].at(index));
                    for (at, (aggregate, of)) in (0u32..).zip(&query.results) {
                        let value = number(of, &row)?;
                        if *aggregate != Aggregate::Count {
                            out.update(group * width + at, |sum| sum + value);
                        }
                    }
                    out.update(group * width + (width - 1), |count| count + 1.0);
                    Ok(())
                };
                let result = match query.condition.as_ref().map(|expr| condition(expr, &row)).transpose() {
                    Ok(Some(condition)) => {
                        let mut result = Ok(());
                        when(condition, || result = update());
                        result
                    }
                    Ok(None) => update(),
                    Err(error) => Err(error),
                };
                wrong = result.err();
            });
            let groups = VALUES.pow(query.groups.len() as u32);
            planish::stage::range(0, groups).for_each(|group: Rep<u32>| {
                let count = out.at(group * width + (width - 1));
                for (at, (aggregate, _)) in (0u32..).zip(&query.results) {
                    match aggregate {
                        Aggregate::Sum => {}
                        Aggregate::Average => out.update(group * width + at, |sum| sum / count),
                        Aggregate::Count => out.set(group * width + at, count),
                    }
                }
            });
        },
    )?;
    wrong.map_or(Ok(program), Err)
}

/// A table.
struct Table {
    numbers: [Vec<f64>; 5],
    codes: [Vec<u8>; 2],
}

impl Table {
    fn of(rows: u32) -> Self {
        let column = |value: &dyn Fn(u32) -> u32, by: f64| (0..rows).map(|i| f64::from(value(i)) / by).collect();
        Table {
            numbers: [
                column(&|i| i * 7 % 50 + 1, 1.0),
                column(&|i| i * 7919 % 90_000 + 1000, 1.0),
                column(&|i| i * 3 % 11, 100.0),
                column(&|i| i * 5 % 9, 100.0),
                column(&|i| i * 101 % 2557, 1.0),
            ],
            codes: [
                (0..rows).map(|i| (i * 11 % 3) as u8).collect(),
                (0..rows).map(|i| (i * 29 % 7 / 4) as u8).collect(),
            ],
        }
    }
}

fn pricing(table: &Table) -> Vec<f64> {
    let [quantity, price, discount, tax, shipped] = &table.numbers;
    let mut out = vec![0.0; 16 * 8];
    for i in (0..quantity.len()).filter(|&i| shipped[i] <= 2436.0) {
        let group = usize::from(table.codes[0][i]) * VALUES as usize + usize::from(table.codes[1][i]);
        let lowered = price[i] * (1.0 - discount[i]);
        let values = [quantity[i], price[i], lowered, lowered * (1.0 + tax[i]), quantity[i], discount[i], 0.0, 1.0];
        out[group * 8..][..8].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    for row in out.chunks_mut(8) {
        (row[4], row[5], row[6]) = (row[4] / row[7], row[5] / row[7], row[7]);
    }
    out
}

fn revenue(table: &Table) -> Vec<f64> {
    let [quantity, price, discount, _, shipped] = &table.numbers;
    let is_in = |&i: &usize| {
        (730.0..1095.0).contains(&shipped[i]) && (0.05..=0.07).contains(&discount[i]) && quantity[i] < 24.0
    };
    let found = || (0..quantity.len()).filter(is_in);
    vec![found().map(|i| price[i] * discount[i]).sum(), found().count() as f64]
}

/// Both queries.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let table = Table::of(60_000);
    let mut figures = Vec::new();
    let mut code = String::new();
    let plain: [fn(&Table) -> Vec<f64>; 2] = [pricing, revenue];
    for (text, plain) in [PRICING, REVENUE].into_iter().zip(plain) {
        let program = compile(text)?;
        let compiled = program.compile()?;
        let run = || -> Result<Vec<f64>, Error> {
            let mut out = vec![0.0; plain(&Table::of(0)).len()];
            let ([a, b, c, d, e], [flag, state]) = (&table.numbers, &table.codes);
            compiled.call(a, b, c, d, e, flag, state, &mut out)?;
            Ok(out)
        };
        let (found, expected) = (run()?, plain(&table));
        let equal = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        if found.len() != expected.len() || !found.iter().zip(&expected).all(equal) {
            return Err(format!("another result than plain Rust: {found:?}, not {expected:?}").into());
        }
        let module = program.optimized();
        let make = || compile(text).ok().and_then(|program| program.compile().ok());
        let shown = shown(&module, run, || plain(&table)).made_in(&module, make);
        figures.push(shown.figure);
        code += &shown.code;
    }
    for (wrong, why) in [
        ("select sum(weight)", "there is no column `weight`"),
        ("select sum(price) where price", "compares numbers"),
        ("select sum(price", "expected `)` at the end"),
        ("select sum(price) order", "`order` is left over"),
        ("select sum(price < 2)", "`<` gives no number"),
    ] {
        match compile(wrong) {
            Err(error) if error.to_string().contains(why) => {}
            other => return Err(format!("{wrong}: {:?}", other.err()).into()),
        }
    }
    Ok(Shown { code, figure: figures.join("; and ") })
}
