//! Byte-addressed memory: a view of a buffer in a module, the heap in asm.js.
//!
//! A view checks by itself whether an access lies within the memory, four times as fast as a helper that does it first and
//! then has a trap's name for it. In asm.js an address that is known, in range and aligned is read and written at once;
//! others go through helpers, which trap.

use planish_ir::entity::{Memory, Node, Value};
use planish_ir::module::MemoryData;
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::types::Scalar;

use crate::function::Emitter;
use crate::slices::is_slice;
use crate::text::{Kind, Text, binary, binds, call, unary};

/// Names of an access: that of the heap's view and the suffix of `DataView`'s methods; `width` in bytes.
struct Access {
    view: &'static str,
    method: &'static str,
    width: u32,
}

fn access(arg: MemArg, scalar: Scalar, is_load: bool) -> Option<Access> {
    let access = |view, method, width| Some(Access { view, method, width });
    match (scalar, arg.width) {
        (Scalar::F32, Width::B32) => access("f32", "Float32", 4),
        (Scalar::F64, Width::B64) => access("f64", "Float64", 8),
        (Scalar::F16 | Scalar::F32 | Scalar::F64, _) => None,
        (_, Width::B8) if is_load && !arg.signed => access("u8", "Uint8", 1),
        (_, Width::B8) => access("i8", "Int8", 1),
        (_, Width::B16) if is_load && !arg.signed => access("u16", "Uint16", 2),
        (_, Width::B16) => access("i16", "Int16", 2),
        (Scalar::U32, Width::B32) => access("i32", "Uint32", 4),
        (Scalar::I64 | Scalar::U64, Width::B32) if is_load && !arg.signed => access("i32", "Uint32", 4),
        (_, Width::B32) => access("i32", "Int32", 4),
        (Scalar::U64, Width::B64) => access("", "BigUint64", 8),
        (_, Width::B64) => access("", "BigInt64", 8),
        (_, Width::B128) => None,
    }
}

impl Emitter<'_> {
    /// An op on memories; `None` if the dialect has no expression for it.
    pub(crate) fn machine(&mut self, node: Node, args: &[Text]) -> Option<Text> {
        let data = *self.body.node(node);
        let (low, high) = data.imm.as_pair();
        let is_slice = |memory: u32| is_slice(self.context.slices, Memory::from_u32(memory));
        match data.op {
            Op::MemorySize | Op::MemoryGrow | Op::MemoryFill | Op::MemoryInit if is_slice(low) => return None,
            Op::MemoryCopy if is_slice(low) || is_slice(high) => return None,
            _ => {}
        }
        let of_memory = |this: &Self, i: u32| this.module.memories.get(Memory::from_u32(i)).cloned();
        match data.op {
            Op::MemoryLoad => self.load(node, args),
            Op::MemoryStore => self.store(node, args),
            Op::MemorySize if self.is_asm() => {
                let pages = of_memory(self, low)?.min_pages;
                Some(Text::primary(pages.to_string(), Kind::Fixnum))
            }
            Op::MemorySize => {
                let view = &self.context.views[low as usize];
                let bytes = Text::primary(format!("{view}.byteLength"), Kind::Fixnum);
                Some(binary(">>>", binds::SHIFT, &bytes, &Text::primary("16", Kind::Fixnum), Kind::Fixnum))
            }
            // The heap stays as large as it is.
            Op::MemoryGrow if self.is_asm() => {
                let pages = of_memory(self, low)?.min_pages;
                let text = format!("{} ? -1 : {pages}", args[0].at(binds::CONDITIONAL + 1));
                Some(Text::new(text, binds::CONDITIONAL, Kind::Int))
            }
            Op::MemoryGrow => {
                let limit = of_memory(self, low)?.max_pages.unwrap_or(MAX_PAGES).min(MAX_PAGES);
                let name = &self.context.growths[low as usize];
                let limit = Text::primary(limit.to_string(), Kind::Fixnum);
                Some(call(name, &[args[0].clone().unsigned(), limit], Kind::Signed))
            }
            Op::MemoryFill if !self.is_asm() => {
                let view = self.view(low);
                let [at, length] = [0, 2].map(|i| args[i].clone().unsigned());
                Some(self.op_writer().helper("fill", &[view, at, args[1].clone(), length], Kind::Int))
            }
            Op::MemoryCopy if !self.is_asm() => {
                let [to, from] = [low, high].map(|i| self.view(i));
                let [at, source, length] = [0, 1, 2].map(|i| args[i].clone().unsigned());
                Some(self.op_writer().helper("copy", &[to, at, from, source, length], Kind::Int))
            }
            Op::MemoryInit if !self.is_asm() => {
                let (view, data) = (self.view(low), self.context.data[high as usize].clone());
                let [at, offset, length] = [0, 1, 2].map(|i| args[i].clone().unsigned());
                let data = Text::primary(data, Kind::Int);
                Some(self.op_writer().helper("init", &[view, at, data, offset, length], Kind::Int))
            }
            Op::DataDrop if !self.is_asm() => {
                Some(Text::new(format!("{} = new Uint8Array(0)", self.context.data[low as usize]), 0, Kind::Int))
            }
            _ => None,
        }
    }

    fn view(&self, memory: u32) -> Text {
        Text::primary(self.context.views[memory as usize].clone(), Kind::Int)
    }

    /// The address of an access, if it is known and lies within the memory for ever.
    fn known(&self, address: Value, arg: MemArg, width: u32) -> Option<u32> {
        let bits = address.as_const().and_then(|c| self.module.consts.as_bits(c))?;
        let at = bits + u64::from(arg.offset);
        let pages = self.module.memories.get(arg.memory)?.min_pages;
        (at + u64::from(width) <= u64::from(pages) * MemoryData::PAGE as u64).then_some(at as u32)
    }

    /// The place of an access, as a number that is in range.
    fn place(&mut self, node: Node, address: &Text, width: u32) -> Text {
        let arg = self.body.node(node).imm.as_mem_arg();
        if let Some(at) = self.known(self.body.args(node)[0], arg, width) {
            return Text::primary(at.to_string(), Kind::Fixnum);
        }
        let number = |n: u32| Text::primary(n.to_string(), Kind::Fixnum);
        if self.is_asm() {
            let bytes = self.context.results;
            let in_range = arg.offset.checked_add(width).is_some_and(|end| end <= bytes);
            let (address, offset) = if in_range {
                (address.clone(), arg.offset)
            } else {
                // Never in range, whatever the address is.
                (Text::new(format!("{} | -1", address.at(binds::OR)), binds::OR, Kind::Signed), 0)
            };
            let text = self.op_writer().helper("within", &[address, number(offset), number(width)], Kind::Int);
            return text.signed();
        }
        let at = address.clone().unsigned();
        match arg.offset {
            0 => at,
            offset => binary("+", binds::SUM, &at, &number(offset), Kind::Int),
        }
    }

    fn load(&mut self, node: Node, args: &[Text]) -> Option<Text> {
        let arg = self.body.node(node).imm.as_mem_arg();
        if is_slice(self.context.slices, arg.memory) {
            return self.element(node, &args[0], true);
        }
        let result = self.body.result(node)?;
        let scalar = self.scalar_of(result.into(), self.body.node(node).span);
        let narrow = scalar.bits() == 64 && scalar.is_integer() && arg.width != Width::B64;
        let access = access(arg, scalar, true)?;
        let place = self.place(node, &args[0], access.width);
        if self.is_asm() {
            return Some(self.load_asm(&access, &place, scalar));
        }
        let view = &self.context.views[arg.memory.as_u32() as usize];
        let end = if access.width == 1 { "" } else { ", true" };
        let text = Text::primary(format!("{view}.get{}({}{end})", access.method, place.text), Kind::Int);
        Some(match scalar {
            Scalar::F16 | Scalar::F32 => text.of_kind(Kind::Float),
            Scalar::F64 => text.of_kind(Kind::Double),
            _ if narrow => {
                let big = format!("BigInt({})", text.text);
                let big = if scalar == Scalar::U64 { format!("BigInt.asUintN(64, {big})") } else { big };
                Text::primary(big, Kind::Big)
            }
            Scalar::I64 | Scalar::U64 => text.of_kind(Kind::Big),
            Scalar::Bool => binary("!==", binds::EQUALITY, &text, &Text::primary("0", Kind::Fixnum), Kind::Truth),
            Scalar::U32 if access.method == "Uint32" => text.of_kind(Kind::Unsigned),
            _ => text.of_kind(Kind::Signed).integer(scalar),
        })
    }

    /// Of an aligned address that is known; else by a helper, which bytes and halves of them need not.
    fn load_asm(&mut self, access: &Access, place: &Text, scalar: Scalar) -> Text {
        let known: Option<u32> = place.text.parse().ok();
        let aligned = known.is_some_and(|at| at % access.width == 0);
        if access.width < 4 {
            return self.load_narrow(access, place);
        }
        let text = if aligned {
            self.needs.insert(access.view);
            Text::primary(format!("{}[{}]", access.view, known.unwrap_or(0) / access.width), Kind::Int)
        } else {
            let name = match access.view {
                "f32" => "load_f32",
                "f64" => "load_f64",
                _ => "load_i32",
            };
            self.op_writer().helper(name, std::slice::from_ref(place), Kind::Int)
        };
        match scalar {
            Scalar::F32 => self.op_writer().helper("fround", &[text], Kind::Float),
            Scalar::F64 => unary("+", &text, Kind::Double),
            _ => text.signed(),
        }
    }

    fn load_narrow(&mut self, access: &Access, place: &Text) -> Text {
        let by = |n: &str| Text::primary(n.to_owned(), Kind::Fixnum);
        if access.width == 1 {
            self.needs.insert(access.view);
            return Text::primary(format!("{}[{}]", access.view, place.text), Kind::Int).signed();
        }
        // All four bytes are not always there: a half at the very end is read by bytes.
        let both = self.op_writer().helper("load_half", std::slice::from_ref(place), Kind::Int).signed();
        if access.view == "u16" {
            return both;
        }
        let up = binary("<<", binds::SHIFT, &both, &by("16"), Kind::Signed);
        binary(">>", binds::SHIFT, &up, &by("16"), Kind::Signed)
    }

    fn store(&mut self, node: Node, args: &[Text]) -> Option<Text> {
        let arg = self.body.node(node).imm.as_mem_arg();
        if is_slice(self.context.slices, arg.memory) {
            let element = self.element(node, &args[0], false)?;
            return Some(Text::new(format!("{} = {}", element.text, args[1].text), 0, args[1].kind));
        }
        let value = self.body.args(node)[1];
        let scalar = self.scalar_of(value, self.body.node(node).span);
        let access = access(arg, scalar, false)?;
        let place = self.place(node, &args[0], access.width);
        let mut value = args[1].clone();
        if self.is_asm() {
            return Some(self.store_asm(&access, &place, value));
        }
        if scalar.is_integer() && scalar.bits() == 64 && arg.width != Width::B64 {
            value = Text::primary(format!("Number(BigInt.asIntN(32, {}))", value.text), Kind::Signed);
        }
        if scalar == Scalar::Bool {
            value = unary("+", &value, Kind::Fixnum);
        }
        let view = &self.context.views[arg.memory.as_u32() as usize];
        let end = if access.width == 1 { "" } else { ", true" };
        Some(Text::primary(format!("{view}.set{}({}, {}{end})", access.method, place.text, value.text), Kind::Int))
    }

    fn store_asm(&mut self, access: &Access, place: &Text, value: Text) -> Text {
        let known: Option<u32> = place.text.parse().ok();
        let aligned = known.is_some_and(|at| at % access.width == 0);
        if aligned && access.width >= 4 {
            self.needs.insert(access.view);
            let at = known.unwrap_or(0) / access.width;
            return Text::new(format!("{}[{at}] = {}", access.view, value.text), 0, value.kind);
        }
        if access.width == 1 {
            self.needs.insert(access.view);
            return Text::new(format!("{}[{}] = {}", access.view, place.text, value.text), 0, value.kind);
        }
        let name = match access.view {
            "f32" => "store_f32",
            "f64" => "store_f64",
            "i16" => "store_half",
            _ => "store_i32",
        };
        self.op_writer().helper(name, &[place.clone(), value], Kind::Int)
    }
}

/// Pages that a buffer may grow to.
const MAX_PAGES: u32 = 1 << 14;
