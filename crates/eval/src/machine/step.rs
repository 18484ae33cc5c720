//! Dispatch of one node by the class of its op.

use planish_ir::entity::Value;
use planish_ir::function::{Body, TrapKind};
use planish_ir::meaning::Shape;
use planish_ir::ops::{Class, Op};

use super::{Machine, blend, pure};
use crate::program::{Code, Inst, Operand};
use crate::stop::Stop;

impl<'m> Machine<'m> {
    /// Executes a node in the running lanes; returns true if it began a call.
    pub(super) fn step(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<bool, Stop> {
        match inst.op.info().class {
            Class::Access => self.access(body, code, inst)?,
            Class::Memory => self.memory(code, inst)?,
            Class::Call => return self.call(code, inst),
            Class::Texture => self.image_op(body, code, inst)?,
            Class::Machine => self.machine_op(code, inst)?,
            Class::Token => self.token(code, inst)?,
            Class::Stage => self.stage(body, code, inst)?,
            Class::Subgroup => self.subgroup(body, code, inst)?,
            Class::Unary if is_increment(inst.op) => self.increment(body, code, inst)?,
            Class::Unary if inst.op == Op::ArrayLength => self.array_length(body, code, inst)?,
            Class::Unary if inst.op.info().effect == planish_ir::ops::Effect::Quad => self.derivative(code, inst)?,
            Class::Unary
            | Class::Binary
            | Class::Compare
            | Class::BuiltIn
            | Class::Construct
            | Class::Extract
            | Class::Simd => {
                self.pure(body, code, inst)?;
            }
            Class::Custom => self.custom(body, code, inst)?,
        }
        Ok(false)
    }

    /// An op on values.
    fn pure(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let n = self.n;
        let at = self.cx.regs + inst.out.0 as usize * n;
        let len = inst.out.1 as usize * n;
        let cx = self.cx;
        let instance = &self.instances[self.at];
        let program = &instance.program;
        let (consts, vars, globals) = (&program.consts[..], &self.vars[cx.vars..], &instance.globals[..]);
        let job = pure::Job { module: program.module, body, inst, args: code.args(inst), n, active: &cx.active };
        let few = cx.count * 8 < n;
        let result = if cx.full || !cx.sticky {
            let (low, high) = self.regs.split_at_mut(at);
            let view = super::View { regs: low, consts, vars, globals, base: cx.regs, n };
            job.run(view, few, &mut high[..len])
        } else {
            self.scratch.clear();
            self.scratch.resize(len, 0);
            let view = super::View { regs: &self.regs, consts, vars, globals, base: cx.regs, n };
            let result = job.run(view, few, &mut self.scratch);
            for c in 0..inst.out.1 as usize {
                blend(&mut self.regs[at + c * n..][..n], &self.scratch[c * n..][..n], &cx.active, false);
            }
            result
        };
        match result {
            Ok(()) => Ok(()),
            Err(pure::Failure::Trap(kind, lanes)) => {
                if lanes.without(&self.helpers).is_empty() {
                    return Ok(());
                }
                Err(Stop::Trap { kind, span: self.span() })
            }
            Err(pure::Failure::NoMeaning) => {
                let message = format!("`{}` cannot be evaluated on these operands", inst.op.name());
                Err(Stop::unsupported(message, self.span()))
            }
        }
    }

    /// An op of the user's own, if its operands are values and the host has given it a meaning.
    fn custom(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let module = self.instances[self.at].program.module;
        let row = module.custom_of(inst.op, inst.imm);
        let is_value = |&arg: &Value| module.types.components(module.type_of(body, arg)).is_some();
        if row.is_some_and(|row| row.meaning.is_some()) && body.args(inst.node).iter().all(is_value) {
            return self.pure(body, code, inst);
        }
        let name = row.map_or("?", |row| &row.name);
        let message = match row.is_some_and(|row| row.spirv.is_some()) {
            true => format!("the instruction `{name}` of SPIR-V cannot be evaluated"),
            false => format!("the op `{name}` cannot be evaluated: the host gives it no meaning on these operands"),
        };
        Err(Stop::unsupported(message, self.span()))
    }

    /// Writes result column `c` in the running lanes.
    pub(super) fn write(&mut self, inst: &Inst, c: usize, column: &[u64]) {
        let at = self.cx.regs + (inst.out.0 as usize + c) * self.n;
        blend(&mut self.regs[at..at + self.n], column, &self.cx.active, self.cx.full);
    }

    /// Writes component `c` of the results in one lane.
    #[inline]
    pub(super) fn write_lane(&mut self, inst: &Inst, c: usize, lane: usize, bits: u64) {
        let at = self.cx.regs + (inst.out.0 as usize + c) * self.n;
        self.regs[at + lane] = bits;
    }

    /// Component `c` of an operand in one lane.
    #[inline]
    pub(super) fn read(&self, operand: Operand, c: usize, lane: usize) -> u64 {
        self.view().get(operand, c, lane)
    }

    /// A trap in one lane: an error, unless the lane is a helper.
    pub(super) fn lane_trap(&self, kind: TrapKind, lane: usize) -> Result<(), Stop> {
        if self.helpers.has(lane) { Ok(()) } else { Err(Stop::Trap { kind, span: self.span() }) }
    }

    /// Unique tokens: increasing numbers.
    fn token(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        for lane in self.cx.active.lanes() {
            let result = match (inst.op, code.args(inst)) {
                (Op::TokenEqual, &[a, b]) => (self.read(a, 0, lane) == self.read(b, 0, lane)).into(),
                (Op::TokenLess, &[a, b]) => (self.read(a, 0, lane) < self.read(b, 0, lane)).into(),
                _ => {
                    self.next_token += 1;
                    self.next_token
                }
            };
            self.write_lane(inst, 0, lane, result);
        }
        Ok(())
    }

    /// Barriers and interlocks, which are no-ops in lockstep, and ops of fragments.
    fn stage(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        match inst.op {
            Op::ControlBarrier | Op::MemoryBarrier | Op::BeginInterlock | Op::EndInterlock => Ok(()),
            Op::Demote => {
                self.helpers = self.helpers.or(&self.cx.active);
                Ok(())
            }
            Op::IsHelper => {
                for lane in self.cx.active.lanes() {
                    self.write_lane(inst, 0, lane, self.helpers.has(lane).into());
                }
                Ok(())
            }
            // There is one sample in the center of the pixel: all positions but explicit offsets are the same.
            Op::InterpolateAtCentroid | Op::InterpolateAtSample => self.load(code, inst),
            Op::InterpolateAtOffset => self.interpolate_at_offset(code, inst),
            Op::SubpassLoad => self.image_op(body, code, inst),
            op if op.is_reference() => Err(Stop::unsupported("addresses of buffers are a device's", self.span())),
            _ => Err(Stop::unsupported(format!("`{}` has no meaning outside its stage", inst.op.name()), self.span())),
        }
    }
}

fn is_increment(op: Op) -> bool {
    matches!(op, Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement)
}
