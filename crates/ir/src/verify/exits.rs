//! Checks of exits and of the arguments that they pass.

use rustc_hash::FxHashSet;

use super::function::{FunctionVerifier, Place};
use crate::entity::{Block, Const, Type, Value};
use crate::function::{Args, Case, Exit};
use crate::module::Stage;
use crate::ops::Domain;
use crate::types::TypeKind;
use crate::walk::BlockKind;

impl FunctionVerifier<'_, '_> {
    pub(super) fn check_exit(&mut self, block: Block) {
        let body = self.body;
        let data = &body.blocks[block];
        let place = Place { block, node: None, span: data.exit_span };
        let mut index = 0;
        let mut visible = true;
        data.exit.for_each_operand(|value| {
            visible &= self.check_visible(place, value, &|| format!("operand {index} of the exit"));
            index += 1;
        });
        if !visible {
            return;
        }
        match &data.exit {
            Exit::Open => self.error(place, "it does not end".into()),
            Exit::If { .. }
            | Exit::Loop { .. }
            | Exit::DoLoop { .. }
            | Exit::Switch { .. }
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. } => self.check_diverging(place, &data.exit),
            Exit::Merge(args) => self.check_merge(place, args),
            Exit::Break(label, args) => self.check_break(place, *label, args),
            Exit::Continue(label, args) => self.check_continue(place, *label, args),
            Exit::LoopIf { condition, body_args, merge_args } => {
                self.check_bool(place, *condition);
                self.check_loop_if(place, body_args, merge_args);
            }
            Exit::Passthrough => self.check_passthrough(place),
            Exit::Return(args) => self.check_return(place, args),
            Exit::Discard => self.need_stages(place, "discard", &[Stage::Fragment]),
            Exit::Trap(_) => {}
        }
    }

    fn check_diverging(&mut self, place: Place, exit: &Exit) {
        match exit {
            Exit::If { condition, then, otherwise, .. } => {
                self.check_bool(place, *condition);
                self.check_arguments(place, &[], *then, "the arm");
                self.check_arguments(place, &[], *otherwise, "the arm");
            }
            Exit::Loop { args, condition, .. } => self.check_arguments(place, args, *condition, "the condition"),
            Exit::DoLoop { args, body, .. } => self.check_arguments(place, args, *body, "the body"),
            Exit::Switch { selector, cases, args, merge } => self.check_switch(place, *selector, cases, args, *merge),
            Exit::Labelled { body, .. } => self.check_arguments(place, &[], *body, "the body"),
            Exit::NextBlock { merge } => self.check_arguments(place, &[], *merge, "the merge block"),
            _ => {}
        }
    }

    fn check_bool(&mut self, place: Place, condition: Value) {
        let ty = self.cx.module.type_of(self.body, condition);
        if ty != Type::BOOL {
            let text = self.cx.type_text(ty);
            self.error(place, format!("the condition has type {text}, not bool"));
        }
    }

    fn check_switch(&mut self, place: Place, selector: Value, cases: &[Case], args: &Args, merge: Block) {
        let ty = self.cx.module.type_of(self.body, selector);
        let kind = &self.cx.types[ty];
        if !matches!(kind, TypeKind::Scalar(_)) || !Domain::WORD.contains(kind) {
            let text = self.cx.type_text(ty);
            self.error(place, format!("the selector has type {text}, which is no integer of 32 or 64 bits"));
        }
        let mut seen: FxHashSet<Const> = FxHashSet::default();
        let mut defaults = 0;
        for (i, case) in cases.iter().enumerate() {
            defaults += u32::from(case.is_default);
            if case.values.is_empty() && !case.is_default {
                self.error(place, format!("no value selects case {i}"));
            }
            for &value in &case.values {
                if value >= self.cx.module.consts.next_id() {
                    self.error(place, format!("a value of case {i} is {value}, which does not exist"));
                } else if self.cx.module.consts[value].ty != ty {
                    self.error(place, format!("a value of case {i} does not have the selector's type"));
                } else if !seen.insert(value) {
                    self.error(place, format!("case {i} repeats a value"));
                }
            }
            self.check_arguments(place, &[], case.block, "the case");
        }
        if defaults > 1 {
            self.error(place, "more than one default case".into());
        }
        if defaults == 0 {
            self.check_arguments(place, args, merge, "the merge block");
        } else if !args.is_empty() {
            self.error(place, "values for no case, but there is a default case".into());
        }
    }

    /// Checks arguments against the inputs of their target block.
    fn check_arguments(&mut self, place: Place, args: &[Value], to: Block, what: &str) {
        let body = self.body;
        let inputs = &body.blocks[to].inputs;
        if inputs.len() != args.len() {
            let message = format!("{what} {to} has {} inputs, but gets {} values", inputs.len(), args.len());
            self.error(place, message);
            return;
        }
        for (i, (&input, &arg)) in inputs.iter().zip(args).enumerate() {
            if input.as_u32() as usize >= body.local_count() {
                continue;
            }
            let (want, have) = (body.local_type(input), self.cx.module.type_of(body, arg));
            if want != have {
                let (want, have) = (self.cx.type_text(want), self.cx.type_text(have));
                self.error(place, format!("input {i} of {what} {to} has type {want}, but gets {have}"));
            }
        }
    }

    fn merge_of(&self, owner: Block) -> Block {
        self.body.blocks[owner].exit.merge_block().unwrap_or(owner)
    }

    fn check_merge(&mut self, place: Place, args: &Args) {
        let Some(&frame) = self.frames.last() else { return };
        match frame.kind {
            BlockKind::Then | BlockKind::Otherwise | BlockKind::LabelledBody => {
                self.check_arguments(place, args, self.merge_of(frame.owner), "the merge block");
            }
            kind => self.error(place, format!("`merge` does not end {}", describe(kind))),
        }
    }

    fn check_break(&mut self, place: Place, label: Block, args: &Args) {
        let Some(frame) = self.frame_of(label) else {
            self.error(place, format!("`break` names {label}, whose construct is not around it"));
            return;
        };
        match (&self.body.blocks[label].exit, frame.kind) {
            (Exit::Loop { .. }, BlockKind::Condition) => {
                self.error(place, format!("`break` names {label} from within its condition"));
            }
            (Exit::Loop { .. } | Exit::DoLoop { .. } | Exit::Switch { .. } | Exit::Labelled { .. }, _) => {
                self.check_arguments(place, args, self.merge_of(label), "the merge block");
            }
            _ => self.error(place, format!("`break` names {label}, which ends with something that it cannot leave")),
        }
    }

    fn check_continue(&mut self, place: Place, label: Block, args: &Args) {
        let Some(frame) = self.frame_of(label) else {
            self.error(place, format!("`continue` names {label}, whose construct is not around it"));
            return;
        };
        match (&self.body.blocks[label].exit, frame.kind) {
            (Exit::Loop { .. } | Exit::DoLoop { .. }, BlockKind::Condition) => {
                self.error(place, format!("`continue` names {label} from within its condition"));
            }
            (Exit::Loop { next: Some(next), .. }, BlockKind::LoopBody) => {
                self.check_arguments(place, args, *next, "the continue block");
            }
            (Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. }, _) => {
                self.check_arguments(place, args, *condition, "the condition");
            }
            _ => self.error(place, format!("`continue` names {label}, which ends with no loop")),
        }
    }

    fn check_loop_if(&mut self, place: Place, body_args: &Args, merge_args: &Args) {
        let Some(&frame) = self.frames.last() else { return };
        match (&self.body.blocks[frame.owner].exit, frame.kind) {
            (Exit::Loop { body, merge, .. } | Exit::DoLoop { body, merge, .. }, BlockKind::Condition) => {
                self.check_arguments(place, body_args, *body, "the body");
                self.check_arguments(place, merge_args, *merge, "the merge block");
            }
            (_, kind) => self.error(place, format!("`loop_if` does not end {}", describe(kind))),
        }
    }

    fn check_passthrough(&mut self, place: Place) {
        let Some(&frame) = self.frames.last() else { return };
        match (&self.body.blocks[frame.owner].exit, frame.kind) {
            (Exit::Switch { cases, .. }, BlockKind::Case(i)) => {
                if i as usize + 1 >= cases.len() {
                    self.error(place, "`passthrough` ends the last case".into());
                }
            }
            (_, kind) => self.error(place, format!("`passthrough` does not end {}", describe(kind))),
        }
    }

    fn check_return(&mut self, place: Place, args: &Args) {
        let results = &self.cx.module.funcs[self.func].results;
        if args.len() != results.len() {
            let message = format!("`return` gives {} values, the function has {} results", args.len(), results.len());
            self.error(place, message);
            return;
        }
        for (i, (&arg, result)) in args.iter().zip(results).enumerate() {
            let have = self.cx.module.type_of(self.body, arg);
            if have != result.ty {
                let (have, want) = (self.cx.type_text(have), self.cx.type_text(result.ty));
                self.error(place, format!("result {i} has type {want}, but `return` gives {have}"));
            }
        }
    }
}

fn describe(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Entry => "a function",
        BlockKind::Then | BlockKind::Otherwise => "an arm of `if`",
        BlockKind::Condition => "a loop's condition",
        BlockKind::LoopBody => "a loop's body",
        BlockKind::Next => "a loop's continue block",
        BlockKind::Case(_) => "a case",
        BlockKind::LabelledBody => "the body of `labelled`",
        BlockKind::Merge => "a merge block",
    }
}
