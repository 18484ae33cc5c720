//! A record of the steps of one lane, statement by statement, and of the cost of each lane: for people who look for mistakes.

use planish_ir::decoration::Name;
use planish_ir::entity::{Type, Value};
use planish_ir::function::{Body, LocalDef};
use planish_ir::meaning::Shape;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::source::Span;
use planish_ir::types::{TypeKind, Types};

use super::Machine;
use crate::pointer::Pointer;
use crate::program::{Code, Inst, Program};

/// Events after which no more are kept.
pub const MAX_EVENTS: usize = 100_000;

/// A step of an invocation that its source shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Number of functions that it is in; 1 in the entry point.
    pub depth: usize,
    /// Its place.
    pub span: Span,
    /// Its kind.
    pub kind: EventKind,
    /// The values, with their types: what is stored, the arguments, the results, the condition.
    pub values: Vec<(Type, Vec<u64>)>,
}

/// The kind of an [`Event`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A variable, or a part of one as its source would write it (`light.position[2]`), has a new value.
    Store(String),
    /// A branch or loop asks whether a condition is true.
    Condition,
    /// A function is called.
    Call(String),
    /// A function returns.
    Return,
    /// A texture or image is read, or written.
    Image(&'static str),
    /// The fragment is discarded.
    Discard,
}

/// A record that is kept while the machine runs.
#[derive(Default)]
pub(crate) struct Watch {
    /// The lane whose events are kept.
    pub(crate) lane: Option<usize>,
    pub(crate) events: Vec<Event>,
    /// Number of nodes and blocks of each lane.
    pub(crate) costs: Vec<u32>,
}

impl Machine<'_> {
    /// Counts a node or the end of a block in each running lane.
    pub(super) fn charge(&mut self) {
        let active = self.cx.active;
        let Some(watch) = &mut self.watch else { return };
        for lane in active.lanes() {
            if let Some(cost) = watch.costs.get_mut(lane) {
                *cost = cost.saturating_add(1);
            }
        }
    }

    /// The watched lane, if it runs and more is kept of it.
    fn watched(&self) -> Option<usize> {
        let watch = self.watch.as_ref().filter(|watch| watch.events.len() < MAX_EVENTS)?;
        watch.lane.filter(|&lane| self.cx.active.has(lane) && !self.helpers.has(lane))
    }

    fn note(&mut self, kind: EventKind, span: Span, values: Vec<(Type, Vec<u64>)>) {
        let depth = self.frames.len();
        if let Some(watch) = &mut self.watch {
            watch.events.push(Event { depth, span, kind, values });
        }
    }

    /// Notes a call, before it begins.
    pub(super) fn note_call(&mut self, body: &Body, code: &Code, inst: &Inst) {
        let (Op::Call, Some(lane)) = (inst.op, self.watched()) else { return };
        let args = body.args(inst.node);
        let Some(callee) = args[0].as_func() else { return };
        let module = self.program().module;
        let name = text(&module.funcs[callee].name);
        let values = args.iter().zip(code.args(inst)).skip(1).filter_map(|(&arg, &operand)| {
            let ty = module.type_of(body, arg);
            let size = size(&module.types, ty)?;
            Some((ty, (0..size).map(|c| self.read(operand, c, lane)).collect()))
        });
        let values = values.collect();
        self.note(EventKind::Call(name), body.node(inst.node).span, values);
    }

    /// Notes what a node has done.
    pub(super) fn note_node(&mut self, body: &Body, code: &Code, inst: &Inst) {
        let Some(lane) = self.watched() else { return };
        let (module, span) = (self.program().module, body.node(inst.node).span);
        let info = inst.op.info();
        if info.class == Class::Texture {
            let at = self.cx.regs + inst.out.0 as usize * self.n;
            let words = (0..inst.out.1 as usize).map(|c| self.regs[at + c * self.n + lane]).collect();
            let values = if inst.out.1 > 0 { vec![(inst.ty, words)] } else { vec![] };
            return self.note(EventKind::Image(info.text), span, values);
        }
        if !matches!(info.effect, Effect::Store | Effect::Modify) {
            return;
        }
        let pointer = body.args(inst.node)[0];
        let Some((ty, _)) = module.types.pointee(module.type_of(body, pointer)) else { return };
        let Some(size) = size(&module.types, ty) else { return };
        let address = Pointer(self.read(code.args(inst)[0], 0, lane));
        let words = (0..size).map(|c| self.load_word(address, c, lane)).collect();
        let path = self.path(body, code, pointer, lane);
        self.note(EventKind::Store(path), span, vec![(ty, words)]);
    }

    /// Notes the condition of a branch or loop.
    pub(super) fn note_condition(&mut self, truth: impl Fn(usize) -> bool) {
        if let Some(lane) = self.watched() {
            let span = self.span();
            self.note(EventKind::Condition, span, vec![(Type::BOOL, vec![u64::from(truth(lane))])]);
        }
    }

    /// Notes what a function returns.
    pub(super) fn note_return(&mut self, program: &Program<'_>, code: &Code, values: &[Value]) {
        let Some(lane) = self.watched() else { return };
        let frame = self.frames.last().expect("a frame runs");
        let function = &program.module.funcs[frame.func];
        let words = |(&value, result): (&Value, &planish_ir::function::ResultType)| {
            let size = size(&program.module.types, result.ty)?;
            let words = match program.exit_operand(code, value) {
                Ok(operand) => (0..size).map(|c| self.read(operand, c, lane)).collect(),
                Err(word) => vec![word],
            };
            Some((result.ty, words))
        };
        let values: Vec<_> = values.iter().zip(&function.results).filter_map(words).collect();
        let span = self.span();
        self.note(EventKind::Return, span, values);
    }

    /// Notes that the fragment is discarded.
    pub(super) fn note_discard(&mut self) {
        if self.watched().is_some() {
            let span = self.span();
            self.note(EventKind::Discard, span, vec![]);
        }
    }

    /// A pointer as its source would write what it points to, with the indices of a lane.
    fn path(&self, body: &Body, code: &Code, mut pointer: Value, lane: usize) -> String {
        let module = self.program().module;
        let mut steps = vec![];
        while let Some(node) = body.node_of(pointer) {
            let (data, args) = (body.node(node), body.args(node));
            let pointee = module.types.pointee(module.type_of(body, args[0])).map(|(ty, _)| ty);
            steps.push(match data.op {
                Op::AccessStructField => match pointee.map(|ty| &module.types[ty]) {
                    Some(TypeKind::Struct(s)) => {
                        s.members.get(data.imm.as_index() as usize).map_or_else(String::new, |m| format!(".{}", m.name))
                    }
                    _ => String::new(),
                },
                Op::AccessVectorComponent => format!(".{}", letter(data.imm.as_index() as usize)),
                Op::AccessVectorComponentMulti => {
                    let lanes = data.imm.as_lanes();
                    format!(".{}", (0..lanes.len()).map(|i| letter(lanes.get(i).into())).collect::<String>())
                }
                _ => {
                    let index =
                        code.insts.iter().find(|inst| inst.node == node).and_then(|inst| code.args(inst).get(1));
                    index.map_or_else(String::new, |&index| format!("[{}]", self.read(index, 0, lane) as u32 as i32))
                }
            });
            pointer = args[0];
        }
        let base = match (pointer.as_var(), pointer.as_local().map(|local| body.local(local).def)) {
            (Some(var), _) => text(&module.vars[var].name),
            (None, Some(LocalDef::Input(block, index))) if block == body.entry => {
                let function = &module.funcs[self.frames.last().expect("a frame runs").func];
                function.params.get(usize::from(index)).map_or_else(String::new, |param| text(&param.name))
            }
            _ => "?".to_owned(),
        };
        steps.iter().rev().fold(base, |path, step| path + step)
    }
}

fn letter(component: usize) -> char {
    ['x', 'y', 'z', 'w'].get(component).copied().unwrap_or('?')
}

fn text(name: &Name) -> String {
    name.text.to_string()
}

/// Number of components; `None` of what is no value.
fn size(types: &Types, ty: Type) -> Option<usize> {
    match &types[ty] {
        TypeKind::Pointer { .. } | TypeKind::Void => None,
        _ => types.components(ty),
    }
}
