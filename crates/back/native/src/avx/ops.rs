//! The table of vector instructions.

use super::encode::Encoding;

/// The places of an instruction's operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Result, first operand, second operand, which may be in memory.
    Three,
    /// Result, operand, which may be in memory.
    Two,
    /// Two operands of which the second may be in memory; flags are the result.
    Flags,
    /// Result, operand and the field of the opcode; the constant is the second operand.
    Shift(u8),
    /// Result, which may be in memory, operand.
    Reverse,
    /// Result, two operands, mask.
    Blend,
    /// Result, operand, number of bits.
    Count,
}

/// A vector instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Vex {
    pub(super) encoding: Encoding,
    pub(super) form: Form,
}

const fn of(prefix: u8, map: u8, wide: bool, opcode: u8, form: Form) -> Vex {
    Vex { encoding: Encoding { prefix, map, wide, opcode }, form }
}

/// No prefix, and those by their bytes.
const NO: u8 = 0;
const P66: u8 = 1;
const PF3: u8 = 2;
const PF2: u8 = 3;

macro_rules! table {
    ($($name:ident = $prefix:ident $map:literal $wide:literal $opcode:literal $form:expr;)*) => {
        $(pub(super) const $name: Vex = of($prefix, $map, $wide, $opcode, $form);)*
    };
}

use Form::{Blend, Count, Flags, Reverse, Shift, Three, Two};

table! {
    ADDPS = NO 1 false 0x58 Three;
    ADDPD = P66 1 false 0x58 Three;
    ADDSS = PF3 1 false 0x58 Three;
    ADDSD = PF2 1 false 0x58 Three;
    MULPS = NO 1 false 0x59 Three;
    MULPD = P66 1 false 0x59 Three;
    MULSS = PF3 1 false 0x59 Three;
    MULSD = PF2 1 false 0x59 Three;
    SUBPS = NO 1 false 0x5c Three;
    SUBPD = P66 1 false 0x5c Three;
    SUBSS = PF3 1 false 0x5c Three;
    SUBSD = PF2 1 false 0x5c Three;
    DIVPS = NO 1 false 0x5e Three;
    DIVPD = P66 1 false 0x5e Three;
    DIVSS = PF3 1 false 0x5e Three;
    DIVSD = PF2 1 false 0x5e Three;
    MINPS = NO 1 false 0x5d Three;
    MINPD = P66 1 false 0x5d Three;
    MAXPS = NO 1 false 0x5f Three;
    MAXPD = P66 1 false 0x5f Three;
    SQRTPS = NO 1 false 0x51 Two;
    SQRTPD = P66 1 false 0x51 Two;
    SQRTSS = PF3 1 false 0x51 Three;
    SQRTSD = PF2 1 false 0x51 Three;
    CMPPS = NO 1 false 0xc2 Three;
    CMPPD = P66 1 false 0xc2 Three;
    AND = NO 1 false 0x54 Three;
    ANDN = NO 1 false 0x55 Three;
    OR = NO 1 false 0x56 Three;
    XOR = NO 1 false 0x57 Three;
    ROUNDPS = P66 3 false 0x08 Two;
    ROUNDPD = P66 3 false 0x09 Two;
    ROUNDSS = P66 3 false 0x0a Three;
    ROUNDSD = P66 3 false 0x0b Three;
    SHUFPS = NO 1 false 0xc6 Three;
    UNPCKLPS = NO 1 false 0x14 Three;
    UNPCKHPS = NO 1 false 0x15 Three;
    UNPCKLPD = P66 1 false 0x14 Three;
    PERMILPS = P66 3 false 0x04 Two;
    PSHUFB = P66 2 false 0x00 Three;
    INSERTPS = P66 3 false 0x21 Three;
    PINSRD = P66 3 false 0x22 Three;
    PINSRQ = P66 3 true 0x22 Three;
    PEXTRD = P66 3 false 0x16 Reverse;
    PEXTRQ = P66 3 true 0x16 Reverse;
    BROADCASTSS = P66 2 false 0x18 Two;
    BROADCASTSD = P66 2 false 0x19 Two;
    PBROADCASTD = P66 2 false 0x58 Two;
    PBROADCASTQ = P66 2 false 0x59 Two;
    INSERTF128 = P66 3 false 0x18 Three;
    EXTRACTF128 = P66 3 false 0x19 Reverse;
    PERMQ = P66 3 true 0x00 Two;
    BLENDVPS = P66 3 false 0x4a Blend;
    PBLENDD = P66 3 false 0x02 Three;
    PBLENDW = P66 3 false 0x0e Three;
    PADDD = P66 1 false 0xfe Three;
    PADDQ = P66 1 false 0xd4 Three;
    PSUBD = P66 1 false 0xfa Three;
    PSUBQ = P66 1 false 0xfb Three;
    PMULLD = P66 2 false 0x40 Three;
    PMINSD = P66 2 false 0x39 Three;
    PMAXSD = P66 2 false 0x3d Three;
    PMINUD = P66 2 false 0x3b Three;
    PMAXUD = P66 2 false 0x3f Three;
    PABSD = P66 2 false 0x1e Two;
    PCMPEQD = P66 1 false 0x76 Three;
    PCMPGTD = P66 1 false 0x66 Three;
    PCMPEQQ = P66 2 false 0x29 Three;
    PCMPGTQ = P66 2 false 0x37 Three;
    PSLLD = P66 1 false 0xf2 Three;
    PSRLD = P66 1 false 0xd2 Three;
    PSRAD = P66 1 false 0xe2 Three;
    PSLLQ = P66 1 false 0xf3 Three;
    PSRLQ = P66 1 false 0xd3 Three;
    PSLLD_IMM = P66 1 false 0x72 Shift(6);
    PSRLD_IMM = P66 1 false 0x72 Shift(2);
    PSRAD_IMM = P66 1 false 0x72 Shift(4);
    PSLLQ_IMM = P66 1 false 0x73 Shift(6);
    PSRLQ_IMM = P66 1 false 0x73 Shift(2);
    CVTDQ2PS = NO 1 false 0x5b Two;
    CVTTPS2DQ = PF3 1 false 0x5b Two;
    CVTDQ2PD = PF3 1 false 0xe6 Two;
    CVTTPD2DQ = P66 1 false 0xe6 Two;
    CVTPS2PD = NO 1 false 0x5a Two;
    CVTPD2PS = P66 1 false 0x5a Two;
    CVTSS2SD = PF3 1 false 0x5a Three;
    CVTSD2SS = PF2 1 false 0x5a Three;
    CVTSI2SS = PF3 1 false 0x2a Three;
    CVTSI2SS_64 = PF3 1 true 0x2a Three;
    CVTSI2SD = PF2 1 false 0x2a Three;
    CVTSI2SD_64 = PF2 1 true 0x2a Three;
    CVTTSS2SI = PF3 1 false 0x2c Two;
    CVTTSS2SI_64 = PF3 1 true 0x2c Two;
    CVTTSD2SI = PF2 1 false 0x2c Two;
    CVTTSD2SI_64 = PF2 1 true 0x2c Two;
    MOVAPS = NO 1 false 0x28 Two;
    LOADUPS = NO 1 false 0x10 Two;
    STOREUPS = NO 1 false 0x11 Reverse;
    LOADSS = PF3 1 false 0x10 Two;
    STORESS = PF3 1 false 0x11 Reverse;
    LOADSD = PF2 1 false 0x10 Two;
    STORESD = PF2 1 false 0x11 Reverse;
    MOVD_TO = P66 1 false 0x6e Two;
    MOVQ_TO = P66 1 true 0x6e Two;
    MOVD_FROM = P66 1 false 0x7e Reverse;
    MOVQ_FROM = P66 1 true 0x7e Reverse;
    PTEST = P66 2 false 0x17 Flags;
    UCOMISS = NO 1 false 0x2e Flags;
    UCOMISD = P66 1 false 0x2e Flags;
    MOVMSKPS = NO 1 false 0x50 Two;
    MOVMSKPD = P66 1 false 0x50 Two;
    PMOVMSKB = P66 1 false 0xd7 Two;
    PMOVSXDQ = P66 2 false 0x25 Two;
    PMOVZXDQ = P66 2 false 0x35 Two;
    SHLX = P66 2 false 0xf7 Count;
    SHLX_64 = P66 2 true 0xf7 Count;
    SARX = PF3 2 false 0xf7 Count;
    SARX_64 = PF3 2 true 0xf7 Count;
    SHRX = PF2 2 false 0xf7 Count;
    SHRX_64 = PF2 2 true 0xf7 Count;
}
