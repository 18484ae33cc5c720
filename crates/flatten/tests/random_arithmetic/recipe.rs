//! Random flat functions as text: a list of steps, each an op on parameters, uniforms, constants and earlier steps.

use planish_testkit::straight_line::Random;

/// A type: a kind of component, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ty(char, usize);

const BOOL: Ty = Ty('b', 1);
const I32: Ty = Ty('i', 1);

impl Ty {
    fn name(self) -> String {
        let scalar = match self.0 {
            'f' => "f32",
            'd' => "f64",
            'i' => "i32",
            'u' => "u32",
            _ => "bool",
        };
        let prefix = if self.0 == 'f' { String::new() } else { self.0.to_string() };
        if self.1 == 1 { scalar.into() } else { format!("{prefix}vec{}", self.1) }
    }

    fn is_float(self) -> bool {
        matches!(self.0, 'f' | 'd')
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Arg {
    /// A parameter or uniform.
    Input(usize),
    Step(usize),
    Constant(String),
}

#[derive(Clone, Debug)]
struct Step {
    ty: Ty,
    op: String,
    args: Vec<(Arg, Ty)>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    fast_math: bool,
    params: Vec<Ty>,
    uniforms: Vec<Ty>,
    steps: Vec<Step>,
    results: Vec<usize>,
    /// By step: whether another uses it.
    used: Vec<bool>,
}

/// Ops on operands of one numeric type that give it again, with their number of operands.
const NUMBERS: &[(&str, usize)] = &[
    ("add", 2),
    ("add", 2),
    ("add", 2),
    ("subtract", 2),
    ("subtract", 2),
    ("multiply", 2),
    ("multiply", 2),
    ("negate", 1),
    ("multiply_add", 3),
    ("min", 2),
    ("max", 2),
];

/// Of floats only; the first are continuous and of bounded slope.
const FLOATS: &[(&str, usize)] = &[
    ("sin", 1),
    ("cos", 1),
    ("lerp", 3),
    ("mix", 3),
    ("abs", 1),
    ("saturate", 1),
    ("radians", 1),
    ("divide", 2),
    ("floor", 1),
    ("fract", 1),
    ("sign", 1),
    ("step", 2),
    ("sqrt", 1),
    ("clamp", 3),
];

const CONTINUOUS: usize = 8;

/// Of integers only.
const INTEGERS: &[(&str, usize)] = &[
    ("divide", 2),
    ("remainder", 2),
    ("bitwise_and", 2),
    ("bitwise_or", 2),
    ("bitwise_xor", 2),
    ("bitwise_not", 1),
    ("shift_left", 2),
    ("shift_right", 2),
];

const COMPARISONS: &[&str] = &["equal", "not_equal", "less_than", "less_than_equal", "greater_than"];

impl Recipe {
    /// A function of so many steps. With fast-math floats are of 64 bits, so that what the laws change can be told from what
    /// is wrong, and nothing jumps.
    pub(crate) fn random(random: &mut Random, steps: usize, fast_math: bool) -> Recipe {
        let float = if fast_math { 'd' } else { 'f' };
        let scalar = Ty(float, 1);
        let mut inputs = vec![scalar, scalar, Ty(float, 1 + random.below(4)), BOOL, BOOL, I32, Ty('u', 1)];
        inputs.push(Ty(random.pick(&['i', 'u']), 1 + random.below(3)));
        let mut recipe = Recipe {
            fast_math,
            params: inputs,
            uniforms: vec![scalar, Ty(float, 1 + random.below(3)), I32, BOOL],
            steps: Vec::new(),
            results: Vec::new(),
            used: Vec::new(),
        };
        while recipe.steps.len() < steps {
            recipe.step(random, float);
        }
        let unused: Vec<usize> = (0..steps).filter(|&i| !recipe.used[i]).collect();
        // The values with the most steps.
        let mut made: Vec<(usize, usize)> = unused.into_iter().map(|i| (recipe.needs(&[i]), i)).collect();
        made.sort_unstable();
        recipe.results = made.into_iter().rev().map(|(_, i)| i).take(1 + random.below(4)).collect();
        recipe
    }

    fn input_types(&self) -> impl Iterator<Item = Ty> + '_ {
        self.params.iter().chain(&self.uniforms).copied()
    }

    fn constant(&self, random: &mut Random, ty: Ty) -> String {
        let one = |random: &mut Random| -> String {
            let float = match self.fast_math {
                true => ["0.0", "1.0", "-1.0", "2.0", "0.5", "3.0", "-0.5", "1.5"].as_slice(),
                false => &["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "3.0", "1e-40", "inf", "1e30"],
            };
            match ty.0 {
                'f' => random.pick(float).into(),
                'd' => format!("{}d", random.pick(float)),
                'i' => random.pick(&["0", "1", "-1", "2", "3", "5", "31", "-2147483648"]).into(),
                'u' => random.pick(&["0u", "1u", "2u", "3u", "7u", "31u", "4294967295u"]).into(),
                _ => random.pick(&["true", "false"]).into(),
            }
        };
        if ty.1 == 1 {
            return one(random);
        }
        let first = one(random);
        let equal = random.chance(60);
        let parts: Vec<String> = (0..ty.1).map(|_| if equal { first.clone() } else { one(random) }).collect();
        format!("{}{{{}}}", ty.name(), parts.join(", "))
    }

    /// An operand of a type: what nobody uses yet, most often.
    fn arg(&self, random: &mut Random, ty: Ty) -> (Arg, Ty) {
        let inputs = self.input_types().enumerate().filter(|&(_, t)| t == ty).map(|(i, _)| Arg::Input(i));
        let steps = self.steps.iter().enumerate().filter(|(_, s)| s.ty == ty).map(|(i, _)| Arg::Step(i));
        let all: Vec<Arg> = inputs.chain(steps).collect();
        if all.is_empty() || random.chance(22) {
            return (Arg::Constant(self.constant(random, ty)), ty);
        }
        // Values without users.
        let unused: Vec<Arg> = all.iter().filter(|a| matches!(a, Arg::Step(i) if !self.used[*i])).cloned().collect();
        let from = if !unused.is_empty() && random.chance(65) { &unused } else { &all };
        (from[random.below(from.len())].clone(), ty)
    }

    fn push(&mut self, random: &mut Random, ty: Ty, op: impl Into<String>, args: &[Ty]) {
        let args: Vec<(Arg, Ty)> = args.iter().map(|&t| self.arg(random, t)).collect();
        for (arg, _) in &args {
            if let Arg::Step(i) = arg {
                self.used[*i] = true;
            }
        }
        self.used.push(false);
        self.steps.push(Step { ty, op: op.into(), args });
    }

    fn step(&mut self, random: &mut Random, float: char) {
        let size = random.pick(&[1, 1, 1, 2, 3, 4]);
        let ty = Ty(random.pick(&[float, float, float, 'i', 'u']), size);
        let bools = Ty('b', size);
        match random.below(20) {
            0..8 => {
                let (op, n) = random.pick(NUMBERS);
                self.push(random, ty, op, &vec![ty; n]);
            }
            8 | 9 => {
                let floats = if self.fast_math { &FLOATS[..CONTINUOUS] } else { FLOATS };
                let (op, n) = random.pick(if ty.is_float() { floats } else { INTEGERS });
                self.push(random, ty, op, &vec![ty; n]);
            }
            10 if !(self.fast_math && ty.is_float()) => {
                let op = random.pick(COMPARISONS);
                self.push(random, bools, op, &[ty, ty]);
            }
            11 => {
                let (op, n) = random.pick(&[("logical_and", 2), ("logical_or", 2), ("logical_not", 1), ("equal", 2)]);
                self.push(random, bools, op, &vec![bools; n]);
            }
            12 | 13 => {
                let condition = if random.chance(80) { BOOL } else { bools };
                self.push(random, ty, "select", &[condition, ty, ty]);
            }
            14 if size > 1 => self.push(random, ty, "construct_vector_from_scalar", &[Ty(ty.0, 1)]),
            15 if size > 1 => {
                let mut parts = Vec::new();
                let mut left = size;
                while left > 0 {
                    let part = if random.chance(70) { 1 } else { 1 + random.below(left.min(3)) };
                    parts.push(Ty(ty.0, part));
                    left -= part;
                }
                if parts.len() > 1 {
                    self.push(random, ty, "construct_vector_from_multiple", &parts);
                }
            }
            16 if size > 1 => {
                let op = format!("extract_vector_component[{}]", random.below(size));
                self.push(random, Ty(ty.0, 1), op, &[ty]);
            }
            17 if size > 1 => {
                let lanes: String = (0..size).map(|_| random.pick(&["x", "y", "z", "w"][..size])).collect();
                self.push(random, ty, format!("extract_vector_component_multi[{lanes}]"), &[ty]);
            }
            18 if size > 1 => match random.below(3) {
                0 => self.push(random, Ty(ty.0, 1), "extract_vector_component_dynamic", &[ty, I32]),
                1 => self.push(random, ty, "insert_vector_component_dynamic", &[ty, Ty(ty.0, 1), I32]),
                _ => {
                    let op = format!("insert_vector_component[{}]", random.below(size));
                    self.push(random, ty, op, &[ty, Ty(ty.0, 1)]);
                }
            },
            19 if ty.is_float() && size > 1 => self.push(random, Ty(ty.0, 1), "dot", &[ty, ty]),
            _ => {}
        }
    }

    /// As a module with one function.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("module ir\n");
        for (i, ty) in self.uniforms.iter().enumerate() {
            text.push_str(&format!("var uniform @u{i}: {}\n", ty.name()));
        }
        let params: Vec<String> =
            self.params.iter().enumerate().map(|(i, ty)| format!("%i{i} p{i}: {}", ty.name())).collect();
        let results: Vec<String> = self.results.iter().map(|&r| self.steps[r].ty.name()).collect();
        text.push_str(&format!("fn @f({}) -> ({}) {{\nb0:\n", params.join(", "), results.join(", ")));
        for (i, _) in self.uniforms.iter().enumerate() {
            text.push_str(&format!("  %i{} = load @u{i}\n", self.params.len() + i));
        }
        let needed = self.needed(&self.results);
        for (i, step) in self.steps.iter().enumerate().filter(|&(i, _)| needed[i]) {
            let ty = if step.op.starts_with("construct") { format!(": {}", step.ty.name()) } else { String::new() };
            let args: Vec<String> = step.args.iter().map(|(arg, _)| Self::arg_text(arg)).collect();
            text.push_str(&format!("  %s{i}{ty} = {} {}\n", step.op, args.join(", ")));
        }
        let returned: Vec<String> = self.results.iter().map(|r| format!("%s{r}")).collect();
        text.push_str(&format!("  return {}\n}}\n", returned.join(", ")));
        text
    }

    fn arg_text(arg: &Arg) -> String {
        match arg {
            Arg::Input(i) => format!("%i{i}"),
            Arg::Step(i) => format!("%s{i}"),
            Arg::Constant(text) => text.clone(),
        }
    }

    /// Number of steps needed for some results.
    fn needs(&self, results: &[usize]) -> usize {
        self.needed(results).into_iter().filter(|&n| n).count()
    }

    fn needed(&self, results: &[usize]) -> Vec<bool> {
        let mut needed = vec![false; self.steps.len()];
        results.iter().for_each(|&r| needed[r] = true);
        for i in (0..self.steps.len()).rev() {
            if needed[i] {
                for (arg, _) in &self.steps[i].args {
                    if let Arg::Step(j) = arg {
                        needed[*j] = true;
                    }
                }
            }
        }
        needed
    }

    /// Makes it smaller while it fails: fewer results, inputs for steps.
    pub(crate) fn reduce(&mut self, fails: &mut dyn FnMut(&str) -> bool) {
        loop {
            let smaller = self.smaller().into_iter().find(|r| fails(&r.text()));
            match smaller {
                Some(recipe) => *self = recipe,
                None => return,
            }
        }
    }

    fn smaller(&self) -> Vec<Recipe> {
        let mut all = Vec::new();
        if self.results.len() > 1 {
            all.extend(self.results.iter().map(|&r| Recipe { results: vec![r], ..self.clone() }));
        }
        let needed = self.needed(&self.results);
        for (i, step) in self.steps.iter().enumerate().filter(|&(i, _)| needed[i]) {
            if self.results == [i] {
                // Its operands in its place.
                all.extend(step.args.iter().filter_map(|(arg, _)| match arg {
                    Arg::Step(j) => Some(Recipe { results: vec![*j], ..self.clone() }),
                    _ => None,
                }));
            }
            for (at, (arg, ty)) in step.args.iter().enumerate() {
                let Arg::Step(j) = arg else { continue };
                let inner = self.steps[*j].args.iter().filter(|(_, t)| t == ty).map(|(a, _)| a.clone());
                let input = self.input_types().position(|t| t == *ty).map(Arg::Input);
                for other in inner.chain(input) {
                    let mut recipe = self.clone();
                    recipe.steps[i].args[at].0 = other;
                    all.push(recipe);
                }
            }
        }
        all
    }
}
