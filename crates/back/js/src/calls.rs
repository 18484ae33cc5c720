//! Calls, and the several results that they may give: an array in a module; in asm.js the first result, and the heap.

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Func, Local, Node};
use planish_ir::function::Function;
use planish_ir::source::Span;
use planish_ir::types::Scalar;

use crate::function::Emitter;
use crate::items::Item;
use crate::text::{Kind, Text, call, unary};

impl<'a> Emitter<'a> {
    /// The function that is called, if the call names it.
    fn callee(&self, node: Node) -> Option<(Func, &'a Function)> {
        let func = self.body.args(node)[0].as_func()?;
        Some((func, &self.module.funcs[func]))
    }

    /// Whether the callee is imported.
    fn is_of_world(&self, node: Node) -> bool {
        self.callee(node).is_some_and(|(_, callee)| callee.body.is_none())
    }

    /// The text of a call, without the conversion of its result.
    fn plain_call(&mut self, node: Node) -> Text {
        let operands = self.operands(node);
        let mut args = self.values(&operands);
        let Some((func, callee)) = self.callee(node) else { return self.indirect_call(node, args) };
        if self.is_asm() && callee.body.is_none() {
            // Imports take signed integers and doubles.
            for arg in &mut args {
                *arg = match arg.kind {
                    Kind::Int | Kind::Unsigned => arg.clone().signed(),
                    Kind::Float => unary("+", arg, Kind::Double),
                    _ => arg.clone(),
                };
            }
        }
        call(&self.context.funcs[func], &args, Kind::Int)
    }

    fn indirect_call(&mut self, node: Node, mut args: Vec<Text>) -> Text {
        let index = args.remove(0);
        match self.through_table(node, index) {
            Some(callee) => call(&callee.text, &args, Kind::Int),
            None => {
                let (op, span) = (self.body.node(node).op, self.body.node(node).span);
                self.error(ErrorCode::E0604, span, format!("asm.js has no `{}` here", op.text()));
                Text::primary("0", Kind::Int)
            }
        }
    }

    /// A call that gives one value.
    pub(crate) fn call(&mut self, node: Node) -> Text {
        let text = self.plain_call(node);
        let Some(result) = self.body.result(node) else { return text };
        let scalar = self.scalar_of(result.into(), self.body.node(node).span);
        self.taken_as(text, scalar, self.is_of_world(node))
    }

    /// The result of a call as a value of a type. Only results of imports need a conversion, but asm.js requires one
    /// always.
    fn taken_as(&mut self, text: Text, scalar: Scalar, of_world: bool) -> Text {
        let kind = self.op_writer().kind(scalar);
        if !self.is_asm() && !of_world {
            return text.of_kind(kind);
        }
        match scalar {
            Scalar::Bool if !self.is_asm() => unary("!!", &text, kind),
            // Numbers of 8 and 16 bits are lowered before.
            Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 => text.of_kind(Kind::Int).signed(),
            Scalar::U8 | Scalar::U16 | Scalar::U32 if self.is_asm() => text.of_kind(Kind::Int).signed(),
            Scalar::U8 | Scalar::U16 | Scalar::U32 => text.of_kind(Kind::Int).unsigned(),
            Scalar::F64 => unary("+", &text, kind),
            Scalar::F16 | Scalar::F32 => {
                let text = if of_world { unary("+", &text, Kind::Double) } else { text.of_kind(Kind::Double) };
                self.op_writer().helper("fround", &[text], kind)
            }
            Scalar::I64 => Text::primary(format!("BigInt.asIntN(64, {})", text.text), kind),
            Scalar::U64 => Text::primary(format!("BigInt.asUintN(64, {})", text.text), kind),
        }
    }

    /// A call that gives nothing, or several values.
    pub(crate) fn call_of_many(&mut self, node: Node) {
        let of_world = self.is_of_world(node);
        let text = self.plain_call(node);
        let results: Vec<Local> = self.body.results(node).collect();
        let span = self.body.node(node).span;
        if !results.iter().any(|&r| self.is_read(r)) && (results.is_empty() || !self.is_asm()) {
            self.line(format!("{};", text.text));
            return;
        }
        if self.is_asm() {
            for (index, result) in results.into_iter().enumerate() {
                let scalar = self.scalar_of(result.into(), span);
                if index == 0 {
                    let value = self.taken_as(text.clone(), scalar, of_world);
                    if self.is_read(result) { self.assign(result, value) } else { self.line(value.text + ";") }
                } else if self.is_read(result) {
                    let value = self.result_slot(index, scalar);
                    let value = self.taken_as(Text::primary(value, Kind::Int), scalar, false);
                    self.assign(result, value);
                }
            }
            return;
        }
        if of_world {
            self.taken_from_world(text, &results, span);
            return;
        }
        let mut names = Vec::new();
        let mut declared = false;
        for result in results {
            if !self.is_read(result) {
                names.push(String::new());
                continue;
            }
            self.scalar_of(result.into(), span);
            let (name, new) = self.name_at(result, self.block);
            declared |= new;
            names.push(name);
        }
        while names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        let word = if declared { "const " } else { "" };
        self.line(format!("{word}[{}] = {};", names.join(", "), text.text));
    }

    /// Several results of an import, each converted to its type.
    fn taken_from_world(&mut self, text: Text, results: &[Local], span: Span) {
        let (list, declared) = self.temporary(Scalar::F64);
        self.push(Item::Assign { name: list.clone(), value: text.text, declared });
        for (index, &result) in results.iter().enumerate() {
            if self.is_read(result) {
                let scalar = self.scalar_of(result.into(), span);
                let value = self.taken_as(Text::primary(format!("{list}[{index}]"), Kind::Int), scalar, true);
                self.assign(result, value);
            }
        }
    }

    /// The place in memory of a function's result that is not the first (asm.js).
    pub(crate) fn result_slot(&mut self, index: usize, scalar: Scalar) -> String {
        let address = self.context.results + 8 * index as u32;
        let (view, width) = match scalar {
            Scalar::F64 => ("f64", 8),
            Scalar::F32 => ("f32", 4),
            _ => ("i32", 4),
        };
        self.needs.insert(view);
        format!("{view}[{}]", address / width)
    }
}
