//! State of a program besides registers: memories, tables, segments, variables. Shared by the interpreters of the
//! tests.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::TrapKind;
use planish_ir::meaning::{Fault, Operand, evaluate};
use planish_ir::module::{ElemItem, MemoryData, Module, Offset};
use planish_ir::ops::{Imm, MemArg, Op};
use planish_ir::types::{Scalar, TypeKind, Types};
use planish_machine::isa::{Kind, operands_of};

const PAGE: usize = MemoryData::PAGE;

pub(crate) struct World<'m> {
    pub(crate) module: &'m Module,
    pub(crate) memories: Vec<Vec<u8>>,
    pub(crate) tables: Vec<Vec<u64>>,
    vars: Vec<Vec<u64>>,
    data: Vec<Vec<u8>>,
    elems: Vec<Vec<u64>>,
    pub(crate) types: Types,
    tokens: u64,
}

impl<'m> World<'m> {
    pub(crate) fn new(module: &'m Module) -> World<'m> {
        let mut vars = vec![];
        for (_, var) in module.vars.iter() {
            let size = planish_ir::meaning::Shape::components(&module.types, var.ty).unwrap_or(0);
            let mut words = vec![];
            if let Some(c) = var.initializer {
                module.consts.flatten(c, &mut words);
            }
            words.resize(size, 0);
            vars.push(words);
        }
        let mut types = Types::new();
        Scalar::ALL.into_iter().for_each(|s| {
            types.scalar(s);
        });
        types.intern(TypeKind::V128);
        World {
            module,
            memories: module.memories.values().map(|m| vec![0; m.min_pages as usize * PAGE]).collect(),
            tables: module.tables.values().map(|t| vec![0; t.min as usize]).collect(),
            vars,
            data: module.data.values().map(|d| d.bytes.to_vec()).collect(),
            elems: vec![],
            types,
            tokens: 0,
        }
    }

    /// The components of a variable.
    pub(crate) fn var_mut(&mut self, var: Var) -> &mut [u64] {
        &mut self.vars[var.index()]
    }

    /// Puts the segments in place, once the variables have their first values.
    pub(crate) fn place_segments(&mut self) {
        let reference = |item: &ElemItem| match item {
            ElemItem::Null => 0,
            ElemItem::Func(func) => u64::from(func.as_u32()) + 1,
            ElemItem::Var(var) => self.vars[var.index()][0],
        };
        self.elems = self.module.elems.values().map(|e| e.items.iter().map(reference).collect()).collect();
        for (id, elem) in self.module.elems.iter() {
            if let Some((table, offset)) = elem.active {
                let (at, items) = (self.offset(offset), std::mem::take(&mut self.elems[id.index()]));
                self.tables[table.index()][at..at + items.len()].copy_from_slice(&items);
            }
        }
        for (id, data) in self.module.data.iter() {
            if let Some((memory, offset)) = data.active {
                let (at, bytes) = (self.offset(offset), std::mem::take(&mut self.data[id.index()]));
                self.memories[memory.index()][at..at + bytes.len()].copy_from_slice(&bytes);
            }
        }
    }

    fn offset(&self, offset: Offset) -> usize {
        match offset {
            Offset::Const(n) => n as usize,
            Offset::Var(var) => self.vars[var.index()][0] as usize,
        }
    }

    fn load_var(&self, imm: Imm, index: u64, kind: Kind) -> Vec<u64> {
        let (var, component) = imm.as_pair();
        let words = kind.words(64) as usize;
        self.vars[Var::from_u32(var).index()][component as usize + index as usize..][..words].to_vec()
    }

    fn store_var(&mut self, imm: Imm, index: u64, words: &[u64]) {
        let (var, component) = imm.as_pair();
        let at = component as usize + index as usize;
        self.vars[Var::from_u32(var).index()][at..at + words.len()].copy_from_slice(words);
    }

    /// The function behind an element of a table.
    pub(crate) fn element(&self, table: usize, index: u64, ty: Type) -> Result<Func, TrapKind> {
        let reference = *self.tables[table].get(index as u32 as usize).ok_or(TrapKind::OutOfBoundsTable)?;
        let func = reference.checked_sub(1).ok_or(TrapKind::UninitializedElement)?;
        let func = Func::from_u32(func as u32);
        if self.module.funcs[func].ty == ty { Ok(func) } else { Err(TrapKind::IndirectCallType) }
    }

    /// The type of a kind of number.
    fn type_of(&mut self, kind: Kind) -> Type {
        match kind.scalar() {
            Some(scalar) => self.types.scalar(scalar),
            None => self.types.intern(TypeKind::V128),
        }
    }

    /// An operation; each operand is its words of 64 bits.
    pub(crate) fn operation(
        &mut self,
        (op, imm): (Op, Imm),
        (operand, result): (Kind, Kind),
        args: &[Vec<u64>],
    ) -> Result<Vec<u64>, TrapKind> {
        let word = |i: usize| args.get(i).map_or(0, |a| a[0]);
        let words = [word(0), word(1), word(2)];
        Ok(vec![match op {
            Op::Load => return Ok(self.load_var(imm, word(0), result)),
            Op::Store => {
                self.store_var(imm, word(1), &args[0]);
                return Ok(vec![]);
            }
            Op::RefFunc => imm.0 + 1,
            Op::RefIsNull => u64::from(word(0) == 0),
            Op::NewToken => {
                self.tokens += 1;
                self.tokens
            }
            Op::TokenEqual => u64::from(word(0) == word(1)),
            Op::TokenLess => u64::from(word(0) < word(1)),
            Op::MemoryLoad => return self.memory_load(imm.as_mem_arg(), word(0), result),
            Op::MemoryStore => {
                self.memory_store(imm.as_mem_arg(), word(0), &args[1])?;
                return Ok(vec![]);
            }
            _ if op.info().class == planish_ir::ops::Class::Machine => return self.bulk(op, imm, words),
            _ => return self.pure(op, imm, (operand, result), args),
        }])
    }

    fn pure(
        &mut self,
        op: Op,
        imm: Imm,
        (operand, result): (Kind, Kind),
        args: &[Vec<u64>],
    ) -> Result<Vec<u64>, TrapKind> {
        let result = self.type_of(result);
        let mut left = args;
        let mut words: Vec<(Type, Vec<u64>)> = vec![];
        for operand in operands_of(&self.types, (op, imm), operand, args.len()) {
            let (own, rest) = left.split_at(operand.count);
            words.push((operand.ty.unwrap_or_else(|| self.type_of(operand.kind)), own.concat()));
            left = rest;
        }
        let operands: Vec<Operand<'_>> = words.iter().map(|&(ty, ref bits)| Operand { ty, bits }).collect();
        let mut out = vec![];
        match evaluate(&self.types, op, imm, &operands, result, &mut out) {
            Ok(()) => Ok(out),
            Err(Fault::Trap(kind)) => Err(kind),
            Err(Fault::NoMeaning) => panic!("{} of {operand:?} has no meaning", op.text()),
        }
    }

    fn memory_load(&self, arg: MemArg, address: u64, result: Kind) -> Result<Vec<u64>, TrapKind> {
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let memory = &self.memories[arg.memory.index()];
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let mut bytes = [0; 16];
        bytes[..at.len()].copy_from_slice(&memory[at]);
        let bits = u128::from_le_bytes(bytes);
        if result == Kind::V128 {
            return Ok(vec![bits as u64, (bits >> 64) as u64]);
        }
        let unused = 64 - 8 * arg.width.bytes();
        let mut bits = bits as u64;
        if arg.signed {
            bits = ((bits << unused) as i64 >> unused) as u64;
        }
        Ok(vec![if result.bits(64) == 32 { bits & 0xffff_ffff } else { bits }])
    }

    fn memory_store(&mut self, arg: MemArg, address: u64, words: &[u64]) -> Result<(), TrapKind> {
        let start = u64::from(address as u32) + u64::from(arg.offset);
        let memory = &mut self.memories[arg.memory.index()];
        let at = range(start, arg.width.bytes().into(), memory.len()).ok_or(TrapKind::OutOfBoundsMemory)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let len = at.len();
        memory[at].copy_from_slice(&bytes[..len]);
        Ok(())
    }

    fn bulk(&mut self, op: Op, imm: Imm, words: [u64; 3]) -> Result<Vec<u64>, TrapKind> {
        let [a, b, n] = words.map(|w| u64::from(w as u32));
        let (low, high) = imm.as_pair();
        let (low, high) = (low as usize, high as usize);
        let memory = TrapKind::OutOfBoundsMemory;
        let table = TrapKind::OutOfBoundsTable;
        match op {
            Op::MemorySize => return Ok(vec![(self.memories[low].len() / PAGE) as u64]),
            Op::MemoryGrow => {
                let id = planish_ir::entity::Memory::new(low);
                let pages = self.memories[low].len() / PAGE;
                let most = self.module.memories[id].max_pages.unwrap_or(65536) as usize;
                if pages + a as usize > most {
                    return Ok(vec![0xffff_ffff]);
                }
                self.memories[low].resize((pages + a as usize) * PAGE, 0);
                return Ok(vec![pages as u64]);
            }
            Op::MemoryFill => {
                let at = range(a, n, self.memories[low].len()).ok_or(memory)?;
                self.memories[low][at].fill(b as u8);
            }
            Op::MemoryCopy => {
                let from = range(b, n, self.memories[high].len()).ok_or(memory)?;
                let to = range(a, n, self.memories[low].len()).ok_or(memory)?;
                let bytes = self.memories[high][from].to_vec();
                self.memories[low][to].copy_from_slice(&bytes);
            }
            Op::MemoryInit => {
                let from = range(b, n, self.data[high].len()).ok_or(memory)?;
                let to = range(a, n, self.memories[low].len()).ok_or(memory)?;
                self.memories[low][to].copy_from_slice(&self.data[high][from]);
            }
            Op::DataDrop => self.data[low].clear(),
            Op::ElemDrop => self.elems[low].clear(),
            Op::TableGet => return Ok(vec![*self.tables[low].get(a as usize).ok_or(table)?]),
            Op::TableSet => *self.tables[low].get_mut(a as usize).ok_or(table)? = words[1],
            Op::TableSize => return Ok(vec![self.tables[low].len() as u64]),
            Op::TableGrow => {
                let (id, size) = (planish_ir::entity::Table::new(low), self.tables[low].len());
                let most = self.module.tables[id].max.unwrap_or(1 << 20) as usize;
                if size + b as usize > most {
                    return Ok(vec![0xffff_ffff]);
                }
                self.tables[low].resize(size + b as usize, words[0]);
                return Ok(vec![size as u64]);
            }
            Op::TableFill => {
                let at = range(a, n, self.tables[low].len()).ok_or(table)?;
                self.tables[low][at].fill(words[1]);
            }
            Op::TableCopy => {
                let from = range(b, n, self.tables[high].len()).ok_or(table)?;
                let to = range(a, n, self.tables[low].len()).ok_or(table)?;
                let items = self.tables[high][from].to_vec();
                self.tables[low][to].copy_from_slice(&items);
            }
            Op::TableInit => {
                let from = range(b, n, self.elems[high].len()).ok_or(table)?;
                let to = range(a, n, self.tables[low].len()).ok_or(table)?;
                self.tables[low][to].copy_from_slice(&self.elems[high][from]);
            }
            other => panic!("{} is not known here", other.text()),
        }
        Ok(vec![])
    }
}

fn range(start: u64, len: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}
