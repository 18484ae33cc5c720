//! The file of `--variants`: the values of macros and specialization constants, and the combinations that are left out.
//!
//! ```toml
//! [define]
//! FOG = [false, true]
//! LIGHTS = [0, 1, 4]
//!
//! [override]
//! quality = [1, 2]
//!
//! [[exclude]]
//! FOG = true
//! LIGHTS = 0
//! ```

use toml::{Table, Value};

use crate::names::suggest;

/// The largest number of combinations.
const MOST: u64 = 1_000_000;

/// A macro or a specialization constant, with its values.
#[derive(Debug)]
struct Axis {
    name: String,
    is_override: bool,
    values: Vec<Choice>,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Choice {
    /// A macro is not defined.
    No,
    /// A macro is defined as 1.
    Yes,
    Text(String),
}

impl Choice {
    fn new(value: &Value) -> Option<Choice> {
        Some(match value {
            Value::Boolean(true) => Choice::Yes,
            Value::Boolean(false) => Choice::No,
            Value::Integer(number) => Choice::Text(number.to_string()),
            Value::Float(number) => Choice::Text(format!("{number:?}")),
            Value::String(text) => Choice::Text(text.clone()),
            Value::Datetime(_) | Value::Array(_) | Value::Table(_) => return None,
        })
    }

    fn text(&self) -> &str {
        match self {
            Choice::No => "false",
            Choice::Yes => "true",
            Choice::Text(text) => text,
        }
    }
}

/// All combinations, numbered: the last axis changes first.
#[derive(Debug)]
pub(super) struct Axes {
    axes: Vec<Axis>,
    /// Combinations with all of these values, by axis and value, are left out.
    excluded: Vec<Vec<(usize, usize)>>,
}

/// A combination.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variant {
    /// `FOG=true,LIGHTS=4,quality=2`
    pub(super) key: String,
    /// As for `-D`.
    pub(super) defines: Vec<(String, String)>,
    /// As for `--override`.
    pub(super) overrides: Vec<(String, String)>,
}

impl Axes {
    /// Reads a file.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
        let mut axes: Vec<Axis> = vec![];
        let mut exclude = &vec![];
        for (name, value) in &file {
            match (name.as_str(), value) {
                ("define", Value::Table(table)) => add(&mut axes, table, false)?,
                ("override", Value::Table(table)) => add(&mut axes, table, true)?,
                ("exclude", Value::Array(tables)) => exclude = tables,
                ("define" | "override", _) => return Err(format!("`{name}` must be a table: [{name}]")),
                ("exclude", _) => return Err("`exclude` must be a list of tables: [[exclude]]".into()),
                _ => {
                    let near = suggest(name, ["define", "override", "exclude"]);
                    return Err(format!("there is no `{name}`: only define, override and exclude{near}"));
                }
            }
        }
        if axes.is_empty() {
            return Err("it lists no values: give [define] or [override] with lists".into());
        }
        let excluded = exclude.iter().map(|table| excluded(&axes, table)).collect::<Result<_, _>>()?;
        let axes = Axes { axes, excluded };
        match axes.all() {
            Some(all) if all <= MOST => Ok(axes),
            _ => Err(format!("more than {MOST} combinations; make several files of it")),
        }
    }

    /// The number of combinations with those that are left out.
    fn all(&self) -> Option<u64> {
        self.axes.iter().try_fold(1u64, |all, axis| all.checked_mul(axis.values.len() as u64))
    }

    /// The numbers of all that are not left out, in order.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let all = self.all().expect("their number was checked");
        (0..all).filter(|&number| !self.is_excluded(number)).collect()
    }

    /// The index of the value of each axis.
    fn digits(&self, mut number: u64) -> Vec<usize> {
        let mut digits = vec![0; self.axes.len()];
        for (digit, axis) in digits.iter_mut().zip(&self.axes).rev() {
            let base = axis.values.len() as u64;
            (*digit, number) = ((number % base) as usize, number / base);
        }
        digits
    }

    fn is_excluded(&self, number: u64) -> bool {
        let digits = self.digits(number);
        self.excluded.iter().any(|excluded| excluded.iter().all(|&(axis, value)| digits[axis] == value))
    }

    pub(super) fn variant(&self, number: u64) -> Variant {
        let (mut keys, mut defines, mut overrides) = (vec![], vec![], vec![]);
        for (axis, digit) in self.axes.iter().zip(self.digits(number)) {
            let (name, choice) = (&axis.name, &axis.values[digit]);
            keys.push(format!("{name}={}", choice.text()));
            match (axis.is_override, choice) {
                (true, choice) => overrides.push((name.clone(), choice.text().to_owned())),
                (false, Choice::No) => {}
                (false, Choice::Yes) => defines.push((name.clone(), "1".to_owned())),
                (false, Choice::Text(text)) => defines.push((name.clone(), text.clone())),
            }
        }
        Variant { key: keys.join(","), defines, overrides }
    }

    /// The names with the texts of their values.
    pub(super) fn describe(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.axes.iter().map(|axis| (axis.name.as_str(), axis.values.iter().map(Choice::text).collect()))
    }
}

fn add(axes: &mut Vec<Axis>, table: &Table, is_override: bool) -> Result<(), String> {
    for (name, values) in table {
        let Value::Array(values) = values else {
            return Err(format!("`{name}` must have a list of values: {name} = [false, true]"));
        };
        let mut choices: Vec<Choice> = vec![];
        for value in values {
            let choice = Choice::new(value)
                .ok_or_else(|| format!("a value of `{name}` is neither true, false, a number nor a text"))?;
            if choices.iter().any(|other| other.text() == choice.text()) {
                return Err(format!("`{name}` has the value {} twice", choice.text()));
            }
            choices.push(choice);
        }
        if choices.is_empty() {
            return Err(format!("`{name}` has no values"));
        }
        if axes.iter().any(|axis| axis.name == *name) {
            return Err(format!("`{name}` is in [define] and in [override]; a program has it as one of them"));
        }
        axes.push(Axis { name: name.clone(), is_override, values: choices });
    }
    Ok(())
}

/// The values of an `[[exclude]]`.
fn excluded(axes: &[Axis], table: &Value) -> Result<Vec<(usize, usize)>, String> {
    let Value::Table(table) = table else { return Err("`exclude` must be a list of tables: [[exclude]]".into()) };
    if table.is_empty() {
        return Err("an [[exclude]] without values leaves nothing".into());
    }
    let one = |(name, value): (&String, &Value)| {
        let axis = axes.iter().position(|axis| axis.name == *name).ok_or_else(|| {
            let near = suggest(name, axes.iter().map(|axis| axis.name.as_str()));
            format!("[[exclude]] names `{name}`, which has no list of values{near}")
        })?;
        let choice = Choice::new(value);
        let index = axes[axis].values.iter().position(|other| Some(other) == choice.as_ref());
        index.map(|index| (axis, index)).ok_or_else(|| {
            let given = choice.as_ref().map_or("a list", Choice::text);
            format!("[[exclude]]: {given} is none of the values of `{name}`")
        })
    };
    table.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let axes = Axes::parse(text).expect("it is right");
        axes.numbers().into_iter().map(|number| axes.variant(number).key).collect()
    }

    #[test]
    fn all_combinations_but_those_left_out_come_in_order() {
        let text = "[define]\nB = [false, true]\nA = [0, 2.0]\n[override]\nq = [true]\n[[exclude]]\nA = 0\nB = true";
        assert_eq!(keys(text), ["B=false,A=0,q=true", "B=false,A=2.0,q=true", "B=true,A=2.0,q=true"]);
        let axes = Axes::parse(text).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let variant = axes.variant(3);
        assert_eq!(variant.defines, [pair("B", "1"), pair("A", "2.0")]);
        assert_eq!(variant.overrides, [pair("q", "true")]);
        assert_eq!(axes.variant(0).defines, [pair("A", "0")]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text: &str| Axes::parse(text).expect_err("it is wrong");
        assert!(error("[define]\nA = [1,").contains("line 2"));
        assert!(error("[defines]\nA = [1]").contains("did you mean `define`?"));
        assert!(error("[define]\nA = 1").contains("`A` must have a list of values"));
        assert!(error("[define]\nA = []").contains("has no values"));
        assert!(error("[define]\nA = [1, '1']").contains("the value 1 twice"));
        assert!(error("[define]\nA = [[1]]").contains("neither true, false"));
        assert!(error("").contains("it lists no values"));
        assert!(error("[define]\nA = [1]\n[override]\nA = [1]").contains("in [define] and in [override]"));
        assert!(error("[define]\nFOG = [1]\n[[exclude]]\nFOX = 1").contains("did you mean `FOG`?"));
        assert!(error("[define]\nFOG = [1]\n[[exclude]]\nFOG = 2").contains("2 is none of the values of `FOG`"));
        let many = format!("[define]\n{}", (0..30).map(|i| format!("A{i} = [false, true]\n")).collect::<String>());
        assert!(error(&many).contains("more than 1000000 combinations"));
    }
}
