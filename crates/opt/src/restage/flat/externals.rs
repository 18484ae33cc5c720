//! Memory from outside of a function that is being flattened: it is kept in values until the function returns.

use planish_ir::aliasing;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Type, Value, Var};
use planish_ir::function::{Args, Exit};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use crate::restage::engine::Engine;
use crate::restage::slots::{Place, Shape};
use crate::restage::source::{Root, Source, fits, type_fits};
use crate::restage::state::{Delta, Key};

impl Engine<'_, '_, '_> {
    /// Externally visible variables that the function writes are kept in values until it returns.
    pub(in crate::restage) fn promote_externals(&mut self, func: Func, source: &Source, globals: &[Var]) {
        let entry = self.env.is_sole_entry(func);
        for &var in globals {
            let data = &self.b.module.vars[var];
            let is_output = data.space == AddressSpace::Output;
            let keeps = entry && (!is_output || self.env.promotes_outputs(self.b.module, func, var));
            if !self.can_flatten(Root::Var(var), var.into()) {
                continue;
            }
            if keeps {
                self.initialize(var);
            }
            let shape = self.slots.promote(&mut self.b, var);
            if !keeps {
                self.load_external(shape, var.into());
            }
            if !keeps || is_output {
                self.flat_mut().externals.push((shape, var.into()));
            }
        }
        for (i, &input) in source.body.blocks[source.body.entry].inputs.iter().enumerate() {
            let pointer = self.b.param(i);
            let ty = self.b.type_of(pointer);
            let Some((pointee, _)) = self.b.module.types.pointee(ty) else { continue };
            self.check_is_alone(func, i as u32, globals);
            if !self.can_flatten(Root::Param(i as u32), pointer) {
                continue;
            }
            let precision = self.b.precision_of(pointer);
            let shape = self.slots.split(&mut self.b, pointee, precision);
            self.load_external(shape, pointer);
            self.frame_mut().places[input] = Some(Place::new(shape));
            self.flat_mut().externals.push((shape, pointer));
        }
    }

    /// The pointee of a parameter can be a value only if nothing else changes it meanwhile.
    fn check_is_alone(&mut self, func: Func, param: u32, globals: &[Var]) {
        let module = &*self.b.module;
        let me = Root::Param(param);
        let params = (0..module.funcs[func].params.len() as u32).map(Root::Param);
        let mut others = params.chain(globals.iter().map(|&var| Root::Var(var))).filter(|&root| root != me);
        if others.any(|root| aliasing::may_meet(module, func, me, root)) {
            let param = &module.funcs[func].params[param as usize];
            let message =
                format!("`{}` may lead to memory that the function reaches by another path, too", param.name.text);
            let (span, help) = (param.span, "say `noalias` if it does not");
            self.problem(Code::E1107, span, message, "is a pointer that promises nothing", help);
        }
    }

    fn load_external(&mut self, shape: Shape, pointer: Value) {
        for (slot, pointer) in self.slots.pointers(&mut self.b, shape, pointer) {
            let value = self.b.load(pointer);
            self.state.set(Key::Slot(slot), Some(value));
        }
    }

    /// Whether memory can become values; if not, that is a problem.
    pub(in crate::restage) fn can_flatten(&mut self, root: Root, pointer: Value) -> bool {
        let limit = self.context.options.limits.flat_components;
        let fits = match root {
            Root::Var(var) => fits(self.b.module, var, limit),
            Root::Param(_) => {
                let pointee = self.b.module.types.pointee(self.b.type_of(pointer)).map(|p| p.0);
                pointee.is_some_and(|ty| type_fits(&self.b.module.types, ty, limit))
            }
        };
        if fits && self.frame().source.can_promote(root) {
            return true;
        }
        let (name, span) = match root {
            Root::Var(var) => {
                let data = &self.b.module.vars[var];
                (data.name.text.to_string(), data.span)
            }
            Root::Param(i) => {
                let param = &self.b.module.funcs[self.frame().func].params[i as usize];
                (param.name.text.to_string(), param.span)
            }
        };
        let message = format!("`{name}` cannot become values");
        let help = "use a variable of numbers, and choose between values instead of between places";
        self.problem(Code::E1107, span, message, "holds more than numbers, or too many", help);
        false
    }

    /// Writes promoted memory back, and ends the function.
    pub(in crate::restage) fn close_flat_root(&mut self) {
        let types: SmallVec<[Type; 2]> = self.result_types(self.frames[0].func).iter().map(|t| t.0).collect();
        let root = self.stack.pop().expect("the function is on the stack");
        self.state.revert(root.log);
        let (args, delta) = if root.edges.is_empty() {
            let module = &mut *self.b.module;
            let zero = |&ty: &Type| module.consts.zero(&mut module.types, ty).map(Value::from);
            (types.iter().filter_map(zero).collect(), Delta::new())
        } else {
            self.flat_join(&root.edges)
        };
        self.state.apply(&delta);
        for (shape, pointer) in std::mem::take(&mut self.flat_mut().externals) {
            for (slot, pointer) in self.slots.pointers(&mut self.b, shape, pointer) {
                if self.slots.is_written(slot) {
                    let value = self.state.get(Key::Slot(slot)).expect("memory from outside is always in scope");
                    self.b.store(pointer, value);
                }
            }
        }
        let flat = self.flat_mut();
        let mut ends: Vec<(Value, Exit, Span)> = Vec::new();
        ends.extend(std::mem::take(&mut flat.traps).into_iter().map(|(c, kind, span)| (c, Exit::Trap(kind), span)));
        ends.extend(flat.discard.map(|c| (c, Exit::Discard, Span::NONE)));
        for (condition, exit, span) in ends {
            if condition == Const::FALSE.into() {
                continue;
            }
            let [then, otherwise, merge] = [self.b.new_block(), self.b.new_block(), self.b.new_block()];
            self.b.at(span);
            self.b.exit(Exit::If { condition, then, otherwise, merge });
            self.b.exit_block(then, exit);
            self.b.exit_block(otherwise, Exit::Merge(Args::new()));
            self.b.switch_to(merge);
        }
        self.b.exit(Exit::Return(args));
        self.finish();
    }
}
