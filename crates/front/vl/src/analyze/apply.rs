//! Applications: of procedures, which create bindings, of primitives, and of exports.

use planish_ir::source::Span;

use super::record::Definition;
use super::value::{EnvId, NODE, Value, ValueId, Values};
use super::{Analysis, Binding, BindingId, Call, Effects, Exposed, Frame, MAIN, MAX_NESTING, Wanted};
use crate::core::{LambdaId, Step};
use crate::expand::Shape;
use crate::primitive::{Action, Primitive, Test, meaning};

/// Maximum number of refinements of an inferred argument.
const MAX_ASKED: usize = 200;

impl Analysis<'_> {
    pub(super) fn apply(&mut self, procedure: ValueId, argument: ValueId, step: &Step, frame: &mut Frame) -> ValueId {
        match self.values.get(procedure) {
            Value::Closure(lambda, env) => {
                let Some((binding, value, first_node)) = self.apply_closure(lambda, env, argument, step.span, frame)
                else {
                    return Values::BOTTOM;
                };
                frame.calls.push(Call { slot: step.slot, binding, first_node });
                value
            }
            Value::Primitive(primitive) if primitive.action() == Action::PropagateBack => {
                self.propagate_back(argument, step, frame).unwrap_or_else(|| {
                    self.wrong_operand(primitive, argument, step.span, frame.id);
                    Values::BOTTOM
                })
            }
            Value::Primitive(primitive) => self.apply_primitive(primitive, argument, step.span, frame),
            _ => {
                self.no_procedure(procedure, step.span, frame.id);
                Values::BOTTOM
            }
        }
    }

    /// The binding of an application, its result with the numbering of this frame, and the number of the first new
    /// node.
    fn apply_closure(
        &mut self,
        lambda: LambdaId,
        env: EnvId,
        argument: ValueId,
        span: Span,
        frame: &mut Frame,
    ) -> Option<(BindingId, ValueId, u32)> {
        let core = self.core;
        let pattern = &core.lambda(lambda).pattern;
        if let Err(asked) = self.fits(pattern, argument) {
            self.asked = asked;
            if asked.is_some() {
                return None;
            }
            self.wrong_argument(lambda, argument, span, frame.id);
            return None;
        }
        let closure = self.values.intern(Value::Closure(lambda, env));
        // Tokens and nodes by age within captures and argument.
        let mut given: Vec<u32> = self.values.tokens(closure).to_vec();
        given.extend(&**self.values.tokens(argument));
        given.sort_unstable();
        given.dedup();
        let (tokens, nodes) = given.split_at(given.partition_point(|&t| t < NODE));
        let in_order = |given: &[u32], first: u32| given.iter().enumerate().all(|(i, &t)| i as u32 + first == t);
        let (key, key_argument) = if in_order(tokens, 0) && in_order(nodes, NODE) {
            (closure, argument)
        } else {
            let place = |given: &[u32], t: u32| given.partition_point(|&x| x < t) as u32;
            let number = |t: u32| if t < NODE { place(tokens, t) } else { place(nodes, t) | NODE };
            (self.values.renumber(closure, &number), self.values.renumber(argument, &number))
        };
        let id = self.bind(key, key_argument, (frame.id, span));
        let binding = self.binding_mut(id);
        binding.users.insert(frame.id);
        let effects = binding.effects;
        frame.effects.add(effects);
        let first_node = frame.nodes.next();
        Some((id, self.in_frame(id, tokens, nodes, frame), first_node))
    }

    /// The result of a binding with tokens and nodes renumbered for this frame: those of its captures and argument keep
    /// their numbers, others are new.
    fn in_frame(&mut self, id: BindingId, tokens: &[u32], nodes: &[u32], frame: &mut Frame) -> ValueId {
        let binding = self.binding(id);
        let (value, definitions) = (binding.value, binding.definitions.clone());
        if self.values.tokens(value).is_empty() {
            return value;
        }
        let lists = definitions.iter().filter_map(|definition| match *definition {
            Definition::Operation(list) => Some(list),
            Definition::Either(..) => None,
        });
        let next = lists.chain([value]).map(|v| self.values.next_token(v)).max().unwrap_or(0);
        let (first_token, first_node) = (frame.tokens, frame.nodes.next());
        frame.tokens += next.saturating_sub(tokens.len() as u32);
        let node = |n: u32| match nodes.get(n as usize) {
            Some(given) => given & !NODE,
            None => first_node + (n - nodes.len() as u32),
        };
        let number = |t: u32| match tokens.get(t as usize) {
            _ if t >= NODE => node(t & !NODE) | NODE,
            Some(&given) => given,
            None => first_token + (t - tokens.len() as u32),
        };
        for &definition in &*definitions {
            let definition = match definition {
                Definition::Operation(list) => Definition::Operation(self.values.renumber(list, &number)),
                Definition::Either(a, b) => Definition::Either(a.map(node), b.map(node)),
            };
            frame.nodes.definitions.push(definition);
        }
        self.values.renumber(value, &number)
    }

    /// The binding of a procedure and an argument, which is evaluated immediately if it is new.
    fn bind(&mut self, closure: ValueId, argument: ValueId, caller: (BindingId, Span)) -> BindingId {
        if let Some(&id) = self.ids.get(&(closure, argument)) {
            return id;
        }
        let Value::Closure(lambda, env) = self.values.get(closure) else { unreachable!("a closure was asked for") };
        let id = self.add_binding(Binding::new(Some((lambda, env)), argument, Some(caller)));
        self.ids.insert((closure, argument), id);
        if self.nesting < MAX_NESTING {
            self.nesting += 1;
            self.evaluate(id);
            self.nesting -= 1;
        } else {
            self.binding_mut(id).is_queued = true;
            self.worklist.push(id);
        }
        id
    }

    fn apply_primitive(&mut self, primitive: Primitive, argument: ValueId, span: Span, frame: &mut Frame) -> ValueId {
        let given = self.values.get(argument);
        let parts = match given {
            Value::Pair(a, b) => Some((self.values.get(a), self.values.get(b))),
            _ => None,
        };
        let known = match (primitive.action(), given, parts) {
            (Action::Unary(op), Value::Real(x), _) => Some(Value::Real(meaning(op, &[x]))),
            (Action::Unary(_), Value::AnyReal | Value::Asked(_), _) => Some(Value::AnyReal),
            (Action::Binary(op), _, Some((Value::Real(x), Value::Real(y)))) => Some(Value::Real(meaning(op, &[x, y]))),
            (Action::Binary(_), _, Some((a, b))) if a.is_real() && b.is_real() => Some(Value::AnyReal),
            (Action::Compare(op), _, Some((Value::Real(x), Value::Real(y)))) => {
                Some(Value::Bool(meaning(op, &[x, y]) != 0))
            }
            (Action::Compare(_), _, Some((a, b))) if a.is_real() && b.is_real() => Some(Value::AnyBool),
            (Action::Is(Test::HoldsNode), ..) => {
                Some(Value::Bool(self.values.tokens(argument).last().is_some_and(|number| number & NODE != 0)))
            }
            (Action::Is(test), value, _) => Some(Value::Bool(is(test, value))),
            (Action::Car | Action::Cdr, Value::Asked(number), _) => {
                self.asked = Some((number, Wanted::Pair));
                return Values::BOTTOM;
            }
            (Action::Car, Value::Pair(a, _), _) => return a,
            (Action::Cdr, Value::Pair(_, b), _) => return b,
            (Action::Gensym, ..) => {
                frame.tokens += 1;
                return self.values.token(frame.tokens - 1);
            }
            (action, _, Some((Value::Token(a, b), Value::Token(c, d)))) if action.compares_tokens() => {
                let compare = if action == Action::GensymEqual { token_equal } else { token_less };
                let Some(known) = compare((a, b), (c, d)) else {
                    self.unknown_token(span, frame.id);
                    return Values::BOTTOM;
                };
                Some(Value::Bool(known))
            }
            (Action::Node, ..) => {
                let number = frame.nodes.next();
                frame.nodes.definitions.push(Definition::Operation(argument));
                Some(Value::Node(number))
            }
            (Action::Real, value, _) if value.is_real() => Some(Value::AnyReal),
            (Action::ReadReal, ..) => {
                frame.effects.add(Effects { io: true, error: false });
                Some(Value::AnyReal)
            }
            (Action::WriteReal, value, _) if value.is_real() => {
                frame.effects.add(Effects { io: true, error: false });
                return argument;
            }
            (Action::Bundle, Value::Pair(token, _), Some((Value::Token(..), Value::Pair(primal, tangent)))) => {
                let bundle = self.values.intern(Value::Bundle(token, primal, tangent));
                return self.bounded(bundle, span, frame.id);
            }
            (Action::BundleToken, Value::Bundle(token, ..), _) => return token,
            (Action::BundlePrimal, Value::Bundle(_, primal, _), _) => return primal,
            (Action::BundleTangent, Value::Bundle(_, _, tangent), _) => return tangent,
            _ => None,
        };
        if let Some(value) = known {
            return self.values.intern(value);
        }
        self.wrong_operand(primitive, argument, span, frame.id);
        Values::BOTTOM
    }

    /// Applies what is exported to unknown arguments.
    pub(super) fn expose(&mut self) {
        let core = self.core;
        let mut frame = self.main_frame();
        for (index, export) in core.exports.iter().enumerate() {
            let value = self.atom(export.value, &frame);
            self.expose_one(Some(index), value, export.arguments.as_deref(), export.span, &mut frame);
        }
        if !core.has_value {
            return;
        }
        let value = self.binding(MAIN).value;
        let is_procedure = matches!(self.values.get(value), Value::Closure(..) | Value::Primitive(_));
        let name = core.value_name.as_deref().filter(|_| is_procedure).unwrap_or("main");
        if let Some(export) = core.exports.iter().find(|export| *export.name == *name) {
            self.exported_as_value(name, export.span);
        }
        if is_procedure {
            self.expose_one(None, value, None, core.span, &mut frame);
        }
    }

    /// The frame of the top level, as it is at its end.
    fn main_frame(&self) -> Frame {
        let main = self.binding(MAIN);
        let tokens = main.slots.iter().chain([&main.value]).map(|&v| self.values.next_token(v));
        Frame {
            id: MAIN,
            slots: main.slots.clone(),
            captures: None,
            group: [].into(),
            tokens: tokens.max().unwrap_or(0),
            nodes: main.nodes.clone(),
            regions: Vec::new(),
            effects: Effects::default(),
            calls: Vec::new(),
        }
    }

    fn expose_one(
        &mut self,
        export: Option<usize>,
        procedure: ValueId,
        arguments: Option<&[Shape]>,
        span: Span,
        frame: &mut Frame,
    ) {
        if self.binding(MAIN).value == Values::BOTTOM {
            return;
        }
        let mut exposed = Exposed { export, applications: Vec::new(), result: procedure };
        loop {
            let done = exposed.applications.len();
            let argument = match (self.values.get(exposed.result), arguments) {
                (_, Some(lists)) => match lists.get(done) {
                    Some(shape) => self.shape(shape),
                    None => break,
                },
                (Value::Closure(lambda, env), None) => self.inferred(lambda, env, span, frame),
                (Value::Primitive(primitive), None) => self.operands(primitive),
                _ => break,
            };
            let (binding, result) = match self.values.get(exposed.result) {
                Value::Closure(lambda, env) => {
                    let bound = self.apply_closure(lambda, env, argument, span, frame);
                    // The result is final after the fixpoint.
                    self.run_to_fixpoint();
                    let again = bound.and_then(|_| self.apply_closure(lambda, env, argument, span, frame));
                    match again {
                        Some((id, value, _)) => (Some(id), value),
                        None => return,
                    }
                }
                Value::Primitive(primitive) => (None, self.apply_primitive(primitive, argument, span, frame)),
                _ => {
                    self.no_procedure(exposed.result, span, MAIN);
                    return;
                }
            };
            exposed.applications.push((exposed.result, argument, binding));
            exposed.result = result;
            if result == Values::BOTTOM || exposed.applications.len() > 64 {
                break;
            }
        }
        if exposed.applications.is_empty() {
            self.no_procedure(procedure, span, MAIN);
            return;
        }
        self.exposed.push(exposed);
    }

    /// The inferred argument of an exported procedure: reals, except for parts that it destructures.
    fn inferred(&mut self, lambda: LambdaId, env: EnvId, span: Span, frame: &mut Frame) -> ValueId {
        let core = self.core;
        let mut argument = self.parameters(&core.lambda(lambda).pattern);
        let (faults, bindings) = (self.faults.len(), self.bindings.len());
        let mut has_dropped = false;
        for _ in 0..MAX_ASKED {
            self.asked = None;
            // Twice: the result of the first application is final after the fixpoint, and may have to be refined.
            for _ in 0..2 {
                self.apply_closure(lambda, env, argument, span, frame);
                self.run_to_fixpoint();
            }
            has_dropped |= self.faults.len() > faults;
            let Some((number, wanted)) = self.asked.take() else { break };
            self.faults.truncate(faults);
            let replacement = match wanted {
                Wanted::Nil => Values::NIL,
                Wanted::Pair => {
                    let (a, b) = (self.ask(), self.ask());
                    self.values.pair(a, b)
                }
            };
            argument = self.replace(argument, number, replacement);
        }
        self.faults.truncate(faults);
        if has_dropped {
            // Faults unrelated to the inference are found again when these bindings are re-evaluated.
            self.ids.retain(|_, id| (id.0 as usize) < bindings);
        }
        self.plain(argument)
    }

    /// A real whose shape is looked for.
    pub(super) fn ask(&mut self) -> ValueId {
        self.questions += 1;
        self.values.intern(Value::Asked(self.questions))
    }

    /// An argument with an inferred parameter replaced.
    /// Recursion: over the argument, at most as deep as the pattern of the procedure and [`MAX_ASKED`] pairs.
    fn replace(&mut self, argument: ValueId, number: u32, by: ValueId) -> ValueId {
        match self.values.get(argument) {
            Value::Asked(n) if n == number => by,
            Value::Pair(a, b) => {
                let (a, b) = (self.replace(a, number, by), self.replace(b, number, by));
                self.values.pair(a, b)
            }
            _ => argument,
        }
    }

    /// An argument with the remaining inferred parameters replaced by reals.
    /// Recursion: over the argument, as in `replace`.
    fn plain(&mut self, argument: ValueId) -> ValueId {
        match self.values.get(argument) {
            Value::Asked(_) => Values::REAL,
            Value::Pair(a, b) => {
                let (a, b) = (self.plain(a), self.plain(b));
                self.values.pair(a, b)
            }
            _ => argument,
        }
    }

    /// The inferred argument of an exported primitive.
    fn operands(&mut self, primitive: Primitive) -> ValueId {
        match primitive.action() {
            Action::Binary(_) | Action::Compare(_) => self.values.pair(Values::REAL, Values::REAL),
            Action::Gensym | Action::ReadReal => Values::NIL,
            _ => Values::REAL,
        }
    }
}

fn is(test: Test, value: Value) -> bool {
    match test {
        Test::Pair => matches!(value, Value::Pair(..)),
        Test::Null => matches!(value, Value::Nil),
        Test::Boolean => matches!(value, Value::Bool(_) | Value::AnyBool),
        Test::Procedure => matches!(value, Value::Closure(..) | Value::Primitive(_)),
        Test::Real => value.is_real(),
        Test::Gensym => matches!(value, Value::Token(..)),
        // The set of tokens and nodes in a value is part of its info.
        Test::Node | Test::HoldsNode => matches!(value, Value::Node(_)),
        Test::Bundle => matches!(value, Value::Bundle(..)),
    }
}

/// Whether two tokens are equal; `None` if unknown.
fn token_equal(a: (u32, u32), b: (u32, u32)) -> Option<bool> {
    if a == b && a.0 == a.1 {
        Some(true)
    } else if a.1 < b.0 || b.1 < a.0 {
        Some(false)
    } else {
        None
    }
}

/// Whether the first of two tokens is older; `None` if unknown.
fn token_less(a: (u32, u32), b: (u32, u32)) -> Option<bool> {
    if a.1 < b.0 {
        Some(true)
    } else if a.0 >= b.1 {
        Some(false)
    } else {
        None
    }
}
