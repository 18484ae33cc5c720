//! The functions of generated modules.

use super::types::{Number, Ty};
use super::{Export, Generator, Helper, Place};

/// Maximum number of statements of a function.
const MAX_STATEMENTS: usize = 14;
/// Number of loop counters of a function.
const LOOPS: usize = 2;

/// State of the function being written.
struct Body {
    name: String,
    /// Visible values.
    values: Vec<(String, Ty)>,
    places: Vec<Place>,
    /// Label of the current block.
    block: String,
    next: usize,
    blocks: usize,
    statements: usize,
    /// Number of unused loop counters.
    loops: usize,
    /// Number of enclosing loops.
    in_loops: usize,
    /// The function itself, if it is recursive.
    me: Option<Helper>,
    /// Remaining number of calls.
    calls: usize,
}

impl Body {
    fn new(name: &str, params: Vec<(String, Ty)>, places: Vec<Place>) -> Self {
        let next = params.len() + places.iter().filter(|p| p.label.starts_with('%')).count();
        Body {
            name: name.to_owned(),
            values: params,
            places,
            block: "b0".into(),
            next,
            blocks: 1,
            statements: MAX_STATEMENTS,
            loops: 0,
            in_loops: 0,
            me: None,
            calls: 2,
        }
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }

    fn new_block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}", self.blocks - 1)
    }
}

impl Generator<'_, '_> {
    /// A function called by others. Parameters: pointers, a depth if it is recursive, values.
    pub(super) fn helper(&mut self, helper: &Helper) {
        let mut params = Vec::new();
        let mut places = self.globals.clone();
        let mut values = Vec::new();
        for (i, (ty, space)) in helper.pointers.iter().enumerate() {
            params.push(format!("%{i} p{i}: *{space} {}", ty.text()));
            places.push(Place { label: format!("%{i}"), ty: ty.clone(), space });
        }
        let depth = helper.recursive.then_some(Ty::Scalar(Number::I32));
        for ty in depth.iter().chain(&helper.values) {
            let label = format!("%{}", params.len());
            params.push(format!("{label}: {}", ty.text()));
            values.push((label, ty.clone()));
        }
        self.write(&format!("fn @{}({}) -> ({}) {{", helper.name, params.join(", "), helper.result.text()));
        let mut body = Body::new(&helper.name, values, places);
        body.me = helper.recursive.then(|| helper.clone());
        self.begin(&mut body);
        self.statements(&mut body);
        let result = self.value(&mut body, &helper.result);
        self.write(&format!("  return {result}\n}}"));
    }

    /// An exported function: statements, and a result that depends on all variables.
    pub(super) fn export(&mut self, export: &Export) {
        let params: Vec<(String, Ty)> =
            export.params.iter().enumerate().map(|(i, &p)| (format!("%{i}"), Ty::Scalar(p))).collect();
        let list: Vec<String> = params.iter().map(|(label, ty)| format!("{label}: {}", ty.text())).collect();
        self.write(&format!("fn @{}({}) -> ({}) {{", export.name, list.join(", "), export.result.name()));
        let mut body = Body::new(&export.name, params, self.globals.clone());
        self.begin(&mut body);
        if self.narrow {
            for (i, &from) in export.params.iter().enumerate() {
                for to in Number::NARROW {
                    let label = self.converted(&mut body, &format!("%{i}"), from, to);
                    body.values.push((label, Ty::Scalar(to)));
                }
            }
        }
        self.statements(&mut body);
        let mut sum = self.value(&mut body, &Ty::Scalar(export.result));
        for place in self.globals.clone() {
            let (pointer, number) = self.scalar_in(&mut body, &place);
            let loaded = self.node(&mut body, Ty::Scalar(number), &format!("load {pointer}"));
            let converted = self.converted(&mut body, &loaded, number, export.result);
            sum = self.node(&mut body, Ty::Scalar(export.result), &format!("add {sum}, {converted}"));
        }
        self.write(&format!("  return {sum}\n}}"));
    }

    /// The first block: local variables, and loop counters. A recursive function has no other variables, since targets
    /// with memory but no stack reject those.
    fn begin(&mut self, body: &mut Body) {
        let name = body.name.clone();
        self.write("b0:");
        for counter in 0..LOOPS {
            self.write(&format!("  var @{name}_i{counter}: i32"));
        }
        let count = if body.me.is_some() { 0 } else { 1 + self.choices.below(3) };
        for number in 0..count {
            let pooled = !self.pool.is_empty() && self.choices.chance(80);
            let ty = if pooled { self.of_pool() } else { self.random(true) };
            let value = if self.choices.chance(70) {
                format!(" = {}", ty.constant(self.choices, &self.structs))
            } else {
                String::new()
            };
            let label = format!("@{name}_l{number}");
            self.write(&format!("  var {label}: {}{value}", ty.text()));
            body.places.push(Place { label, ty, space: "function" });
        }
        body.loops = LOOPS;
    }

    fn statements(&mut self, body: &mut Body) {
        for _ in 0..3 + self.choices.below(8) {
            if body.statements == 0 {
                return;
            }
            body.statements -= 1;
            match self.choices.below(12) {
                0..4 => self.assign(body),
                4..6 => self.read(body),
                6..8 => self.compute(body),
                8 => self.branch(body),
                9 if body.loops > 0 => self.counted(body),
                _ => self.call(body),
            }
        }
    }

    fn node(&mut self, body: &mut Body, ty: Ty, text: &str) -> String {
        let label = body.fresh();
        self.write(&format!("  {label} = {text}"));
        body.values.push((label.clone(), ty));
        label
    }

    /// A value of a type: a visible one, or a constant.
    fn value(&mut self, body: &mut Body, ty: &Ty) -> String {
        let fitting: Vec<&String> = body.values.iter().filter(|(_, t)| t == ty).map(|(label, _)| label).collect();
        if !fitting.is_empty() && self.choices.chance(80) {
            return fitting[self.choices.below(fitting.len())].clone();
        }
        ty.constant(self.choices, &self.structs)
    }

    /// A pointer to a scalar in a place.
    fn scalar_in(&mut self, body: &mut Body, place: &Place) -> (String, Number) {
        let (mut pointer, mut ty) = (place.label.clone(), place.ty.clone());
        loop {
            if let Ty::Scalar(number) = ty {
                return (pointer, number);
            }
            (pointer, ty) = self.step(body, &pointer, &ty, None);
        }
    }

    /// A pointer to a part; to one that contains a type if `wanted`.
    fn step(&mut self, body: &mut Body, pointer: &str, ty: &Ty, wanted: Option<&Ty>) -> (String, Ty) {
        let parts = ty.parts(&self.structs);
        let fits = |part: &Ty| wanted.is_none_or(|wanted| part.holds(wanted, &self.structs));
        let fitting: Vec<usize> = (0..parts.len()).filter(|&i| fits(&parts[i])).collect();
        let part = fitting[self.choices.below(fitting.len())];
        let index = if self.choices.chance(40) {
            let number = if self.choices.chance(50) { Number::I32 } else { Number::U32 };
            self.value(body, &Ty::Scalar(number))
        } else {
            part.to_string()
        };
        let text = match ty {
            Ty::Struct(_) => format!("access_struct_field[{part}] {pointer}"),
            Ty::Vector(..) if index == part.to_string() => format!("access_vector_component[{part}] {pointer}"),
            Ty::Vector(..) => format!("access_vector_component_dynamic {pointer}, {index}"),
            Ty::Matrix(..) => format!("access_matrix_column {pointer}, {index}"),
            Ty::Array(..) | Ty::Scalar(_) => format!("access_array_element {pointer}, {index}"),
        };
        let label = body.fresh();
        self.write(&format!("  {label} = {text}"));
        (label, parts[part].clone())
    }

    /// A pointer to a type in an address space, or in any if `None`.
    fn pointer(&mut self, body: &mut Body, ty: &Ty, space: Option<&str>, writes: bool) -> Option<String> {
        let fits = |place: &&Place| {
            space.is_none_or(|s| s == place.space)
                && (!writes || place.is_writable())
                && place.ty.holds(ty, &self.structs)
        };
        let fitting: Vec<Place> = body.places.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let place = &fitting[self.choices.below(fitting.len())];
        let (mut pointer, mut at) = (place.label.clone(), place.ty.clone());
        while at != *ty {
            (pointer, at) = self.step(body, &pointer, &at, Some(ty));
        }
        Some(pointer)
    }

    /// The type of a random part of a place.
    fn somewhere(&mut self, body: &Body, writes: bool) -> Option<Ty> {
        let places: Vec<&Place> = body.places.iter().filter(|p| !writes || p.is_writable()).collect();
        if places.is_empty() {
            return None;
        }
        let mut ty = places[self.choices.below(places.len())].ty.clone();
        while !matches!(ty, Ty::Scalar(_)) && self.choices.chance(70) {
            let parts = ty.parts(&self.structs);
            ty = parts[self.choices.below(parts.len())].clone();
        }
        Some(ty)
    }

    fn assign(&mut self, body: &mut Body) {
        let Some(ty) = self.somewhere(body, true) else { return };
        let Some(pointer) = self.pointer(body, &ty, None, true) else { return };
        let value = self.value(body, &ty);
        self.write(&format!("  store {pointer}, {value}"));
    }

    fn read(&mut self, body: &mut Body) {
        let Some(ty) = self.somewhere(body, false) else { return };
        let Some(pointer) = self.pointer(body, &ty, None, false) else { return };
        self.node(body, ty, &format!("load {pointer}"));
    }

    fn compute(&mut self, body: &mut Body) {
        if self.narrow && self.choices.chance(70) {
            return self.compute_narrow(body);
        }
        let number = self.choices.pick(&[Number::I32, Number::F32, Number::U32, Number::F64, Number::Bool]);
        let of = if number == Number::Bool { Number::I32 } else { number };
        let (a, b) = (self.value(body, &Ty::Scalar(of)), self.value(body, &Ty::Scalar(of)));
        let op = match number {
            Number::Bool => self.choices.pick(&["less_than", "equal"]),
            Number::F32 | Number::F64 => self.choices.pick(&["add", "subtract", "multiply"]),
            _ => self.choices.pick(&["add", "subtract", "multiply", "bitwise_xor"]),
        };
        self.node(body, Ty::Scalar(number), &format!("{op} {a}, {b}"));
    }

    /// An op on narrow or other numbers, or a conversion between them.
    fn compute_narrow(&mut self, body: &mut Body) {
        let mut numbers = Number::NARROW.repeat(2);
        numbers.extend([Number::I32, Number::F32, Number::U32, Number::F64]);
        let number = self.choices.pick(&numbers);
        let size = if self.choices.chance(30) { 2 + self.choices.below(3) as u8 } else { 1 };
        let ty = if size == 1 { Ty::Scalar(number) } else { Ty::Vector(number, size) };
        let (a, b, c) = (self.value(body, &ty), self.value(body, &ty), self.value(body, &ty));
        let text = match self.choices.below(9) {
            0..4 => {
                let floats = ["add", "subtract", "multiply", "divide", "min", "max"];
                let integers = ["remainder", "bitwise_and", "bitwise_or", "shift_left", "shift_right"];
                let ops = [&floats[..], if number.is_float() { &[] } else { &integers }].concat();
                format!("{} {a}, {b}", self.choices.pick(&ops))
            }
            4 => {
                let ops: &[&str] = match number {
                    n if n.is_float() => &["negate", "abs", "sign", "floor", "trunc", "fract", "sqrt", "round_even"],
                    n if n.is_signed() => &["negate", "abs", "sign", "bitwise_not", "bit_reverse"],
                    _ => &["negate", "bitwise_not", "bit_reverse", "count_leading_zeros", "count_trailing_zeros"],
                };
                format!("{} {a}", self.choices.pick(ops))
            }
            5 => format!("clamp {a}, {b}, {c}"),
            6 => {
                let condition = self.value(body, &Ty::Scalar(Number::Bool));
                format!("select {condition}, {a}, {b}")
            }
            7 if size == 1 => {
                let op = self.choices.pick(&["less_than", "less_than_equal", "equal", "not_equal"]);
                self.node(body, Ty::Scalar(Number::Bool), &format!("{op} {a}, {b}"));
                return;
            }
            _ if size == 1 => {
                let to = self.choices.pick(&numbers);
                let converted = self.converted(body, &a, number, to);
                if number != to {
                    body.values.push((converted, Ty::Scalar(to)));
                }
                return;
            }
            _ => format!("add {a}, {c}"),
        };
        self.node(body, ty, &text);
    }

    /// A number as another type.
    fn converted(&mut self, body: &mut Body, value: &str, from: Number, to: Number) -> String {
        if from == to {
            return value.to_owned();
        }
        let label = body.fresh();
        self.write(&format!("  {label}: {} = construct_scalar_from_scalar {value}", to.name()));
        label
    }

    /// Recursion: at most [`MAX_STATEMENTS`] levels: each branch is a statement of the body.
    fn branch(&mut self, body: &mut Body) {
        let condition = self.value(body, &Ty::Scalar(Number::Bool));
        let [then, otherwise, merge] = [body.new_block(), body.new_block(), body.new_block()];
        let values = body.values.len();
        self.write(&format!("  if {condition} {{"));
        for (arm, label) in [("then", then), ("else", otherwise)] {
            self.write(&format!("  {arm} {label}:"));
            body.block = label;
            self.statements(body);
            body.values.truncate(values);
            self.write("  merge");
        }
        self.write(&format!("  }}\n{merge}:"));
        body.block = merge;
    }

    /// A loop of a few iterations.
    fn counted(&mut self, body: &mut Body) {
        body.loops -= 1;
        let counter = format!("@{}_i{}", body.name, body.loops);
        let owner = body.block.clone();
        let [condition, inside, next, merge] = [body.new_block(), body.new_block(), body.new_block(), body.new_block()];
        let values = body.values.len();
        let rounds = 1 + self.choices.below(4);
        self.write(&format!("  store {counter}, 0\n  loop {{\n  cond {condition}:"));
        let (now, less) = (body.fresh(), body.fresh());
        self.write(&format!("  {now} = load {counter}\n  {less} = less_than {now}, {rounds}\n  loop_if {less}"));
        self.write(&format!("  body {inside}:"));
        body.values.push((now, Ty::Scalar(Number::I32)));
        body.block = inside;
        body.in_loops += 1;
        self.statements(body);
        body.in_loops -= 1;
        body.values.truncate(values);
        let (before, after) = (body.fresh(), body.fresh());
        self.write(&format!("  continue {owner}\n  next {next}:"));
        self.write(&format!("  {before} = load {counter}\n  {after} = add {before}, 1\n  store {counter}, {after}"));
        self.write(&format!("  continue {owner}\n  }}\n{merge}:"));
        body.block = merge;
    }

    /// A call of an earlier function, or of the function itself while the depth allows it.
    fn call(&mut self, body: &mut Body) {
        if body.calls == 0 {
            return;
        }
        body.calls -= 1;
        if body.in_loops == 0
            && self.choices.chance(70)
            && let Some(me) = body.me.take()
        {
            return self.call_itself(body, &me);
        }
        // Recursive functions are not called in loops, to bound the running time.
        let callees: Vec<&Helper> = self.helpers.iter().filter(|h| body.in_loops == 0 || !h.recursive).collect();
        if !callees.is_empty() {
            let helper = callees[self.choices.below(callees.len())].clone();
            let depth = self.choices.below(3).to_string();
            self.call_of(body, &helper, &depth);
        }
    }

    fn call_itself(&mut self, body: &mut Body, me: &Helper) {
        let depth = format!("%{}", me.pointers.len());
        let [then, otherwise, merge] = [body.new_block(), body.new_block(), body.new_block()];
        let (more, less) = (body.fresh(), body.fresh());
        self.write(&format!("  {more} = less_than 0, {depth}\n  if {more} {{\n  then {then}:"));
        self.write(&format!("  {less} = subtract {depth}, 1"));
        let values = body.values.len();
        self.call_of(body, me, &less);
        body.values.truncate(values);
        self.write(&format!("  merge\n  else {otherwise}:\n  merge\n  }}\n{merge}:"));
        body.block = merge;
    }

    fn call_of(&mut self, body: &mut Body, callee: &Helper, depth: &str) {
        let mut args = vec![format!("@{}", callee.name)];
        for (ty, space) in &callee.pointers {
            match self.pointer(body, ty, Some(space), true) {
                Some(pointer) => args.push(pointer),
                None => return,
            }
        }
        if callee.recursive {
            args.push(depth.to_owned());
        }
        for ty in &callee.values {
            args.push(self.value(body, ty));
        }
        self.node(body, callee.result.clone(), &format!("call {}", args.join(", ")));
    }
}
