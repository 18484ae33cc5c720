//! Functions of SQL, and their bytes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF, WindowUDF};
use datafusion::prelude::SessionContext;
use planish::ir::types::Scalar;
use planish::stage::{ParamType, Program};

use crate::kernel::invalid;
use crate::{AggregateFunction, ScalarFunction, WindowFunction};

/// The kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A value for each row.
    Scalar,
    /// A value for each group of rows.
    Aggregate,
    /// A value for each row, from all rows of its partition.
    Window,
}

const KINDS: [Kind; 3] = [Kind::Scalar, Kind::Aggregate, Kind::Window];

/// The programs of an aggregate whose state is one or more scalars `S` and whose arguments are `X`.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// `() -> S`: the state before any row.
    pub start: Program,
    /// `(S, X) -> S`: the state after a row.
    pub update: Program,
    /// `(S, S) -> S`: the state of all rows of two, of which those of the first came first.
    pub merge: Program,
    /// `S -> T`, or an `Option` of a `T`: the value.
    pub evaluate: Program,
}

/// A function of SQL. Cloning is cheap.
#[derive(Clone)]
pub struct Udf {
    definition: Arc<Definition>,
}

pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether the parameters are `Option`s, which are `None` where a row is null.
    pub(crate) sees_nulls: bool,
    pub(crate) programs: Vec<Program>,
    /// All of it as bytes.
    pub(crate) bytes: Vec<u8>,
}

impl fmt::Debug for Udf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.definition.name, self.definition.programs)
    }
}

impl PartialEq for Udf {
    fn eq(&self, other: &Self) -> bool {
        self.definition.bytes == other.definition.bytes
    }
}

impl Eq for Udf {}

impl Hash for Udf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.bytes.hash(state);
    }
}

impl Udf {
    /// A scalar function: of a function of scalars, which is called for each row, or of one of slices, which is called for each batch
    /// and writes the results of all rows to its only `Out`. Where an argument is null, so is the result.
    ///
    /// # Errors
    /// Programs of other types, and such as call functions of their host.
    pub fn scalar(name: &str, program: &Program) -> Result<Udf> {
        Self::new(name, Kind::Scalar, false, vec![program.clone()])
    }

    /// As [`Udf::scalar`], where each parameter is an `Enum<Option<Rep<T>>>`, which is `None` where an argument is null.
    ///
    /// # Errors
    /// As [`Udf::scalar`].
    pub fn scalar_with_nulls(name: &str, program: &Program) -> Result<Udf> {
        Self::new(name, Kind::Scalar, true, vec![program.clone()])
    }

    /// An aggregate function, which does not see rows with a null among the arguments.
    ///
    /// # Errors
    /// Programs of other types, and such as call functions of their host.
    pub fn aggregate(name: &str, aggregate: &Aggregate) -> Result<Udf> {
        Self::new(name, Kind::Aggregate, false, aggregate.programs())
    }

    /// As [`Udf::aggregate`], where each argument is an `Enum<Option<Rep<T>>>`, which is `None` where it is null.
    ///
    /// # Errors
    /// As [`Udf::aggregate`].
    pub fn aggregate_with_nulls(name: &str, aggregate: &Aggregate) -> Result<Udf> {
        Self::new(name, Kind::Aggregate, true, aggregate.programs())
    }

    /// A window function: of a function of slices, which is called for each partition, in its order, and writes the results of all rows
    /// to its only `Out`. Where an argument is null, so is the result.
    ///
    /// # Errors
    /// Programs of other types, and such as call functions of their host.
    pub fn window(name: &str, program: &Program) -> Result<Udf> {
        Self::new(name, Kind::Window, false, vec![program.clone()])
    }

    fn new(name: &str, kind: Kind, sees_nulls: bool, programs: Vec<Program>) -> Result<Udf> {
        let mut definition = Definition { name: name.to_owned(), kind, sees_nulls, programs, bytes: Vec::new() };
        definition.check()?;
        definition.bytes = definition.to_bytes()?;
        Ok(Udf { definition: Arc::new(definition) })
    }

    /// Its name in SQL.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.definition.kind
    }

    /// The function as bytes: its name and programs ([`Program::to_bytes`]). It is compiled where it runs.
    pub fn to_bytes(&self) -> &[u8] {
        &self.definition.bytes
    }

    /// Reads a function. Bytes from anywhere will do: they are checked.
    ///
    /// # Errors
    /// Bytes that are no function, are damaged, or come from a newer version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Udf> {
        let mut rest = bytes;
        let (kind, flags) = match (take(&mut rest, 4)?, take(&mut rest, 2)?) {
            (MAGIC, [kind, flags @ (0 | 1)]) if usize::from(*kind) < KINDS.len() => (KINDS[usize::from(*kind)], *flags),
            _ => return plan_err!("these bytes are no function of Planish"),
        };
        let Ok(name) = std::str::from_utf8(part(&mut rest)?) else {
            return plan_err!("the name of the function is no text");
        };
        let mut programs = Vec::new();
        while !rest.is_empty() && programs.len() < 4 {
            programs.push(Program::from_bytes(part(&mut rest)?).map_err(|errors| invalid(&errors))?);
        }
        if !rest.is_empty() {
            return plan_err!("the function `{name}` has too many programs");
        }
        let udf = Self::new(name, kind, flags == 1, programs)?;
        // (A program that was written by an older version has other bytes now; equal functions have equal bytes.)
        Ok(udf)
    }

    /// Registers the function by its name, for SQL.
    pub fn register(&self, context: &SessionContext) {
        match self.kind() {
            Kind::Scalar => context.register_udf(self.to_scalar().expect("it is one")),
            Kind::Aggregate => context.register_udaf(self.to_aggregate().expect("it is one")),
            Kind::Window => context.register_udwf(self.to_window().expect("it is one")),
        }
    }

    /// The scalar function; `None` if it is of another kind.
    pub fn to_scalar(&self) -> Option<ScalarUDF> {
        (self.kind() == Kind::Scalar).then(|| ScalarUDF::new_from_impl(ScalarFunction::new(self.clone())))
    }

    /// The aggregate function; `None` if it is of another kind.
    pub fn to_aggregate(&self) -> Option<AggregateUDF> {
        (self.kind() == Kind::Aggregate).then(|| AggregateUDF::new_from_impl(AggregateFunction::new(self.clone())))
    }

    /// The window function; `None` if it is of another kind.
    pub fn to_window(&self) -> Option<WindowUDF> {
        (self.kind() == Kind::Window).then(|| WindowUDF::new_from_impl(WindowFunction::new(self.clone())))
    }

    pub(crate) fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }
}

const MAGIC: &[u8] = b"\xb6udf";

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8]> {
    match rest.split_at_checked(len) {
        Some((first, left)) => {
            *rest = left;
            Ok(first)
        }
        None => plan_err!("the bytes of the function end early"),
    }
}

/// A part with its length before it.
fn part<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let len = take(rest, 4)?.try_into().map(u32::from_le_bytes).unwrap_or(u32::MAX);
    take(rest, len as usize)
}

impl Aggregate {
    fn programs(&self) -> Vec<Program> {
        vec![self.start.clone(), self.update.clone(), self.merge.clone(), self.evaluate.clone()]
    }
}

/// Whether the results are a scalar or an `Option` of one.
pub(crate) fn value_type(results: &[Scalar]) -> Option<Scalar> {
    match *results {
        [scalar] | [Scalar::U32, scalar] => Some(scalar),
        _ => None,
    }
}

impl Definition {
    /// The types of the arguments of a function of scalars.
    pub(crate) fn arguments(&self) -> Vec<Scalar> {
        let skipped = if self.kind == Kind::Aggregate { self.state().len() } else { 0 };
        let program = &self.programs[usize::from(self.kind == Kind::Aggregate)];
        let scalars = program.signature().params.into_iter().skip(skipped).filter_map(|param| match param {
            ParamType::Scalar(scalar) => Some(scalar),
            ParamType::Slice { .. } => None,
        });
        scalars.skip(usize::from(self.sees_nulls)).step_by(1 + usize::from(self.sees_nulls)).collect()
    }

    /// The types of the state of an aggregate.
    pub(crate) fn state(&self) -> Vec<Scalar> {
        self.programs[0].signature().results
    }

    fn check(&self) -> Result<()> {
        match (self.kind, &self.programs[..]) {
            (Kind::Scalar, [program]) if has_slices(program) => self.check_slices(program),
            (Kind::Scalar, [program]) => self.check_rows(program),
            (Kind::Window, [program]) => self.check_slices(program),
            (Kind::Aggregate, [start, update, merge, evaluate]) => self.check_aggregate(start, update, merge, evaluate),
            _ => plan_err!("the function `{}` has {} programs", self.name, self.programs.len()),
        }
    }

    /// A function of scalars.
    fn check_rows(&self, program: &Program) -> Result<()> {
        let signature = program.signature();
        let options = |scalars: &[ParamType]| {
            let tag = ParamType::Scalar(Scalar::U32);
            scalars.len().is_multiple_of(2) && scalars.iter().step_by(2).all(|&scalar| scalar == tag)
        };
        if value_type(&signature.results).is_none() {
            return plan_err!("{} is {signature}: a function of SQL gives a scalar or an `Option` of one", self.name);
        }
        if self.sees_nulls && !options(&signature.params) {
            return plan_err!(
                "{} is {signature}: to see nulls, its parameters have to be `Enum<Option<Rep<T>>>`",
                self.name
            );
        }
        Ok(())
    }

    /// A function of slices.
    fn check_slices(&self, program: &Program) -> Result<()> {
        let signature = program.signature();
        let mut outs = 0;
        for param in &signature.params {
            match *param {
                ParamType::Slice { count: 1, is_written, .. } => outs += usize::from(is_written),
                ParamType::Slice { .. } => return plan_err!("{} is {signature}: a row is one number", self.name),
                ParamType::Scalar(_) => {}
            }
        }
        if outs != 1 || self.sees_nulls {
            return plan_err!("{} is {signature}: it has to write one `Out`, and does not see nulls", self.name);
        }
        Ok(())
    }

    fn check_aggregate(&self, start: &Program, update: &Program, merge: &Program, evaluate: &Program) -> Result<()> {
        let state = start.signature().results;
        let begins = |program: &Program, times: usize| {
            let expected: Vec<ParamType> = state.repeat(times).into_iter().map(ParamType::Scalar).collect();
            program.signature().params.get(..expected.len()) == Some(&expected[..])
        };
        let is_all = |program: &Program, times: usize| program.signature().params.len() == state.len() * times;
        let is_state = |program: &Program| program.signature().results == state;
        let is_right = is_all(start, 0)
            && (begins(update, 1) && is_state(update) && !has_slices(update))
            && (begins(merge, 2) && is_all(merge, 2) && is_state(merge))
            && (begins(evaluate, 1) && is_all(evaluate, 1))
            && value_type(&evaluate.signature().results).is_some();
        let args = update.signature().params.len() - state.len().min(update.signature().params.len());
        let is_even = !self.sees_nulls || args.is_multiple_of(2);
        if is_right && is_even && !state.is_empty() {
            return Ok(());
        }
        plan_err!(
            "the programs of {} do not fit: start {}, update {}, merge {}, evaluate {}",
            self.name,
            start.signature(),
            update.signature(),
            merge.signature(),
            evaluate.signature()
        )
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let kind = KINDS.iter().position(|&kind| kind == self.kind).expect("all are there");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([kind as u8, self.sees_nulls.into()]);
        let mut write = |part: &[u8]| {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        };
        write(self.name.as_bytes());
        for program in &self.programs {
            write(&program.to_bytes().map_err(|errors| invalid(&errors))?);
        }
        Ok(bytes)
    }
}

pub(crate) fn has_slices(program: &Program) -> bool {
    program.signature().params.iter().any(|param| matches!(param, ParamType::Slice { .. }))
}
