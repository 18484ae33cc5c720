//! Slices that the host passes: typed arrays, whose elements are read and written in place.
//!
//! An address is that of a byte, and a multiple of the size of a number. It becomes an index by a shift, which engines make one operation
//! with the shift that made the address; a `DataView` takes addresses, but costs 20 times a call of a short function to make.

use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Memory, Node, Value};
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::Module;
use planish_ir::ops::MemArg;
use planish_ir::source::Span;

use crate::function::Emitter;
use crate::items::Item;
use crate::text::{Kind, Text, binary, binds};

/// The typed array of numbers.
pub(crate) const fn array_type(number: HostNumber) -> &'static str {
    match number {
        HostNumber::I8 => "Int8Array",
        HostNumber::U8 => "Uint8Array",
        HostNumber::I16 => "Int16Array",
        HostNumber::U16 => "Uint16Array",
        HostNumber::I32 => "Int32Array",
        HostNumber::U32 => "Uint32Array",
        HostNumber::I64 => "BigInt64Array",
        HostNumber::U64 => "BigUint64Array",
        HostNumber::F32 => "Float32Array",
        HostNumber::F64 => "Float64Array",
    }
}

/// Kind of the array's elements as text.
const fn kind_of(number: HostNumber) -> Kind {
    match number {
        HostNumber::U8 | HostNumber::U16 => Kind::Fixnum,
        HostNumber::I8 | HostNumber::I16 | HostNumber::I32 => Kind::Signed,
        HostNumber::U32 => Kind::Unsigned,
        HostNumber::I64 | HostNumber::U64 => Kind::Big,
        HostNumber::F32 => Kind::Float,
        HostNumber::F64 => Kind::Double,
    }
}

/// The slice that a parameter of a function is the length of.
pub(crate) fn of_param(slices: &[SliceParam], func: Func, param: usize) -> Option<&SliceParam> {
    slices.iter().find(|slice| slice.func == func && slice.param == param)
}

/// Whether a memory is a slice.
pub(crate) fn is_slice(slices: &[SliceParam], memory: Memory) -> bool {
    slices.iter().any(|slice| slice.memory == memory)
}

/// Refuses slices where there are none (asm.js).
pub(crate) fn refuse(module: &Module, slices: &[SliceParam], errors: &mut Vec<Diagnostic>) {
    if let Some(slice) = slices.first() {
        let text = "asm.js has no memory of the caller's";
        errors.push(Diagnostic::error(ErrorCode::E0604, module.funcs[slice.func].span, text));
    }
}

impl Emitter<'_> {
    /// Sets the length of a slice from its array.
    pub(crate) fn begin_slice(&mut self, slice: &SliceParam, array: &str, len: String) {
        let text = |text: String| Text::primary(text, Kind::Fixnum);
        let args =
            [text(array.to_owned()), text(format!("{:?}", array_type(slice.number))), text(slice.count.to_string())];
        let value = self.op_writer().helper("length_of", &args, Kind::Unsigned).text;
        self.arrays.insert(slice.memory, array.to_owned());
        self.push(Item::Assign { name: len, value, declared: Some("const") });
    }

    /// The element of a slice at an address, as what can be read and assigned. An error if it is none.
    pub(crate) fn element(&mut self, node: Node, address: &Text, is_load: bool) -> Option<Text> {
        let span = self.body.node(node).span;
        let arg = self.body.node(node).imm.as_mem_arg();
        let slice = self.context.slices.iter().find(|slice| slice.memory == arg.memory)?;
        let Some(array) = self.arrays.get(&arg.memory).cloned() else {
            self.error(ErrorCode::E0604, span, "a slice is reached by the function that takes it only");
            return None;
        };
        let value = if is_load { self.body.result(node).map(Value::from)? } else { self.body.args(node)[1] };
        let scalar = self.scalar_of(value, span);
        let number = slice.number;
        // A store may leave out upper bits, a load has to know their meaning.
        let has_bits = match is_load {
            true => arg.signed == number.extends_sign() || arg.width.bytes() * 8 == scalar.bits(),
            false => true,
        };
        let is_same =
            scalar == number.scalar() || scalar.is_integer() && number.scalar().is_integer() && scalar.bits() == 32;
        if arg.width != number.width() || !is_same || !has_bits {
            self.error(ErrorCode::E0604, span, format!("a slice of {} has no other numbers", number.name()));
            return None;
        }
        let index = self.index(self.body.args(node)[0], address, arg, span)?;
        let text = Text::primary(format!("{array}[{}]", index.text), kind_of(number));
        Some(if is_load && scalar.bits() == 32 && scalar.is_integer() { text.integer(scalar) } else { text })
    }

    /// The index of the number at an address.
    fn index(&mut self, address: Value, text: &Text, arg: MemArg, span: Span) -> Option<Text> {
        let number = |n: u64| Text::primary(n.to_string(), Kind::Fixnum);
        let width = u64::from(arg.width.bytes());
        let known = address.as_const().and_then(|c| self.module.consts.as_bits(c));
        let offset = u64::from(arg.offset);
        if !(known.unwrap_or(0) + offset).is_multiple_of(width) {
            self.error(ErrorCode::E0604, span, "an element of a typed array begins at a multiple of its size");
            return None;
        }
        if let Some(at) = known {
            return Some(number((at + offset) / width));
        }
        let at = match width.trailing_zeros() {
            0 => text.clone().unsigned(),
            shift => binary(">>>", binds::SHIFT, text, &number(shift.into()), Kind::Unsigned),
        };
        Some(match offset / width {
            0 => at,
            more => binary("+", binds::SUM, &at, &number(more), Kind::Int),
        })
    }
}
