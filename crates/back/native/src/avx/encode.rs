//! Instructions as bytes: VEX and the integer instructions of x86-64, labels, and constants behind the code.

/// Number of a register in its class.
pub(super) type Reg = u8;

/// The stack pointer.
pub(super) const RSP: Reg = 4;
/// The frame pointer.
pub(super) const RBP: Reg = 5;

/// An address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) base: Base,
    /// A register and the binary logarithm of its factor.
    pub(super) index: Option<(Reg, u8)>,
    pub(super) disp: i32,
}

/// The origin of an address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    Reg(Reg),
    /// A constant by its number.
    Constant(u32),
}

/// The operand of an instruction that may be in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rm {
    Reg(Reg),
    Memory(Address),
}

/// A place in code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(pub(super) u32);

/// Prefix, opcode map, `W` and opcode of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Encoding {
    pub(super) prefix: u8,
    pub(super) map: u8,
    pub(super) wide: bool,
    pub(super) opcode: u8,
}

/// Code that is being written.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// By label: its offset.
    labels: Vec<Option<u32>>,
    /// Distances of four bytes to labels, and to constants.
    jumps: Vec<(usize, Label)>,
    constants: Vec<(usize, u32)>,
}

impl Buffer {
    pub(super) fn new_label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Puts a label here.
    pub(super) fn bind(&mut self, label: Label) {
        debug_assert!(self.labels[label.0 as usize].is_none(), "a label has one place");
        self.labels[label.0 as usize] = Some(self.bytes.len() as u32);
    }

    pub(super) fn here(&self) -> u32 {
        self.bytes.len() as u32
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn all(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// `ModRM`, `SIB` and displacement; `trailing` bytes of an immediate follow.
    fn operand(&mut self, reg: u8, rm: Rm, trailing: usize) {
        let reg = (reg & 7) << 3;
        let address = match rm {
            Rm::Reg(rm) => return self.byte(0xc0 | reg | rm & 7),
            Rm::Memory(address) => address,
        };
        let base = match address.base {
            Base::Reg(base) => base,
            Base::Constant(constant) => {
                self.byte(reg | 5);
                self.constants.push((self.bytes.len(), constant));
                // The distance is from the end of the instruction.
                return self.all(&(-(trailing as i32)).to_le_bytes());
            }
        };
        let disp = address.disp;
        let short = i8::try_from(disp).is_ok();
        let mode = match (disp, short) {
            (0, _) if base & 7 != RBP => 0,
            (_, true) => 0x40,
            _ => 0x80,
        };
        match address.index {
            Some((index, scale)) => {
                debug_assert!(index != RSP, "it is no index");
                self.all(&[mode | reg | 4, scale << 6 | (index & 7) << 3 | base & 7]);
            }
            None if base & 7 == RSP => self.all(&[mode | reg | 4, 0x24]),
            None => self.byte(mode | reg | base & 7),
        }
        match mode {
            0 => {}
            0x40 => self.byte(disp as u8),
            _ => self.all(&disp.to_le_bytes()),
        }
    }

    /// The upper bits of index and base.
    fn extensions(rm: Rm) -> (bool, bool) {
        match rm {
            Rm::Reg(rm) => (false, rm > 7),
            Rm::Memory(Address { base, index, .. }) => {
                (index.is_some_and(|(index, _)| index > 7), matches!(base, Base::Reg(base) if base > 7))
            }
        }
    }

    /// An instruction with the prefix VEX, on 256 bits or 128.
    pub(super) fn vex(&mut self, of: Encoding, long: bool, reg: u8, second: Reg, rm: Rm, imm: Option<u8>) {
        let (x, b) = Self::extensions(rm);
        let last = (!second & 15) << 3 | u8::from(long) << 2 | of.prefix;
        let bit = |set: bool, at: u8| u8::from(!set) << at;
        if !x && !b && of.map == 1 && !of.wide {
            self.all(&[0xc5, bit(reg > 7, 7) | last]);
        } else {
            self.all(&[0xc4, bit(reg > 7, 7) | bit(x, 6) | bit(b, 5) | of.map, u8::from(of.wide) << 7 | last]);
        }
        self.byte(of.opcode);
        self.operand(reg, rm, usize::from(imm.is_some()));
        self.bytes.extend(imm);
    }

    /// An integer instruction: an optional prefix byte, opcode bytes, register, operand. `small`: the operands are bytes.
    pub(super) fn int(
        &mut self,
        (prefix, opcode): (u8, &[u8]),
        wide: bool,
        reg: u8,
        rm: Rm,
        (trailing, small): (usize, bool),
    ) {
        if prefix != 0 {
            self.byte(prefix);
        }
        let (x, b) = Self::extensions(rm);
        let rex = u8::from(wide) << 3 | u8::from(reg > 7) << 2 | u8::from(x) << 1 | u8::from(b);
        // Without a prefix, bytes 4 to 7 are other registers.
        let of_byte = small && (reg > 3 || matches!(rm, Rm::Reg(4..)));
        if rex != 0 || of_byte {
            self.byte(0x40 | rex);
        }
        self.all(opcode);
        self.operand(reg, rm, trailing);
    }

    /// `add`, `or`, `and`, `sub`, `xor`, `cmp` with a constant, by their numbers.
    pub(super) fn int_constant(&mut self, number: u8, wide: bool, rm: Rm, imm: i32) {
        if let Ok(byte) = i8::try_from(imm) {
            self.int((0, &[0x83]), wide, number, rm, (1, false));
            self.byte(byte as u8);
        } else {
            self.int((0, &[0x81]), wide, number, rm, (4, false));
            self.all(&imm.to_le_bytes());
        }
    }

    pub(super) fn move_constant(&mut self, to: Reg, bits: u64) {
        let rex = u8::from(to > 7);
        if bits == 0 {
            return self.int((0, &[0x31]), false, to, Rm::Reg(to), (0, false));
        }
        if let Ok(low) = u32::try_from(bits) {
            if rex != 0 {
                self.byte(0x40 | rex);
            }
            self.byte(0xb8 | to & 7);
            self.all(&low.to_le_bytes());
        } else if let Ok(low) = i32::try_from(bits as i64) {
            self.int((0, &[0xc7]), true, 0, Rm::Reg(to), (4, false));
            self.all(&low.to_le_bytes());
        } else {
            self.all(&[0x48 | rex, 0xb8 | to & 7]);
            self.all(&bits.to_le_bytes());
        }
    }

    /// A jump, under a condition if there is one.
    pub(super) fn jump(&mut self, condition: Option<u8>, to: Label) {
        match condition {
            Some(condition) => self.all(&[0x0f, 0x80 | condition]),
            None => self.byte(0xe9),
        }
        self.jumps.push((self.bytes.len(), to));
        self.all(&[0; 4]);
    }

    pub(super) fn call(&mut self, to: Label) {
        self.byte(0xe8);
        self.jumps.push((self.bytes.len(), to));
        self.all(&[0; 4]);
    }

    /// Writes constants of 32 bytes after the code, and all distances.
    pub(super) fn finish(&mut self, constants: &[[u8; 32]]) {
        for (at, label) in std::mem::take(&mut self.jumps) {
            let to = self.labels[label.0 as usize].expect("a label that is named has a place");
            let distance = to as i32 - (at as i32 + 4);
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(32), 0xcc);
        let start = self.bytes.len();
        self.bytes.extend(constants.iter().flatten());
        for (at, constant) in std::mem::take(&mut self.constants) {
            let field: &mut [u8; 4] = (&mut self.bytes[at..at + 4]).try_into().expect("four bytes");
            let trailing = i32::from_le_bytes(*field);
            let to = (start + 32 * constant as usize) as i32;
            *field = (to - (at as i32 + 4) + trailing).to_le_bytes();
        }
    }
}
