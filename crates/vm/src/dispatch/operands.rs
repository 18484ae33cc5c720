//! Locations of operands and results. Handlers are written once for each shape, as functions of these types;
//! [`crate::encode`] chooses among the shapes.

use super::{Handler, Ip, State, half, half_signed, register, set, upper};

/// The accumulator for a type of number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Bank {
    /// [`State::int`].
    Int,
    /// [`State::single`].
    Single,
    /// [`State::double`].
    Double,
}

/// Two handlers of one instruction: the first writes its result to the accumulator and to its register, the second to
/// the accumulator only. Without a result they are the same; those of a jump are forward and backward.
pub(crate) type Pair = [Handler; 2];

/// The handlers of an instruction by the operand taken from the accumulator: none, the first, the second, the third.
pub(crate) type Forms = &'static [Pair];

/// A number in its register representation: its bits, zero-extended.
pub(crate) trait Number: Copy {
    /// Words of an instruction with a constant.
    const IMMEDIATE_WORDS: usize;
    /// From a register.
    fn get(bits: u64) -> Self;
    /// Into a register.
    fn put(self) -> u64;
    /// The constant of an instruction.
    ///
    /// # Safety
    /// The instruction has one.
    unsafe fn immediate(ip: Ip) -> Self;
    /// A constant of 32 bits, sign-extended.
    fn constant(value: i32) -> Self;
    /// A constant of 16 bits.
    fn small(value: i16) -> Self {
        Self::constant(value.into())
    }
    /// From the accumulator.
    fn take(m: &State) -> Self;
    /// Into the accumulator.
    fn leave(self, m: &mut State);
}

/// Bits that are no float.
macro_rules! integers {
    ($($t:ident |$bits:ident| $get:expr, |$x:ident| $put:expr, |$c:ident| $constant:expr;)*) => { $(
        impl Number for $t {
            const IMMEDIATE_WORDS: usize = 2;
            #[inline(always)]
            fn get($bits: u64) -> Self { $get }
            #[inline(always)]
            fn put(self) -> u64 { let $x = self; $put }
            #[inline(always)]
            unsafe fn immediate(ip: Ip) -> Self { Self::constant(upper(ip)) }
            #[inline(always)]
            fn constant($c: i32) -> Self { $constant }
            #[inline(always)]
            fn take(m: &State) -> Self { Self::get(m.int) }
            #[inline(always)]
            fn leave(self, m: &mut State) { m.int = self.put(); }
        }
    )* };
}

integers! {
    i32 |b| b as i32, |x| x as u32 as u64, |c| c;
    u32 |b| b as u32, |x| x as u64, |c| c as u32;
    i64 |b| b as i64, |x| x as u64, |c| c.into();
    u64 |b| b, |x| x, |c| c as i64 as u64;
    bool |b| b as u32 != 0, |x| x.into(), |c| c != 0;
}

impl Number for f32 {
    const IMMEDIATE_WORDS: usize = 2;
    #[inline(always)]
    fn get(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits().into()
    }
    #[inline(always)]
    unsafe fn immediate(ip: Ip) -> Self {
        f32::from_bits(upper(ip) as u32)
    }
    fn constant(_: i32) -> Self {
        unreachable!("no float has an integer as a constant")
    }
    #[inline(always)]
    fn take(m: &State) -> Self {
        m.single
    }
    #[inline(always)]
    fn leave(self, m: &mut State) {
        m.single = self;
    }
}

impl Number for f64 {
    const IMMEDIATE_WORDS: usize = 3;
    #[inline(always)]
    fn get(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    unsafe fn immediate(ip: Ip) -> Self {
        f64::from_bits(*ip.add(2))
    }
    fn constant(_: i32) -> Self {
        unreachable!("no float has an integer as a constant")
    }
    #[inline(always)]
    fn take(m: &State) -> Self {
        m.double
    }
    #[inline(always)]
    fn leave(self, m: &mut State) {
        m.double = self;
    }
}

/// Location of an operand.
pub(crate) trait Source {
    /// The operand.
    ///
    /// # Safety
    /// The instruction at `ip` has such an operand.
    unsafe fn get<T: Number>(ip: Ip, m: &State) -> T;
    /// Words of an instruction with it.
    fn words<T: Number>() -> usize {
        2
    }
}

/// In the register that 16-bit operand number `I` names.
pub(crate) struct Slot<const I: usize>;
/// In the accumulator.
pub(crate) struct Acc;
/// A constant in the instruction: the upper half of the first operand word, or the second one.
pub(crate) struct Constant;
/// A constant that is 16-bit operand number 1.
pub(crate) struct Small;
/// A constant that is a word of the instruction.
pub(crate) struct Word<const I: usize>;
/// A constant in the upper half of the second operand word.
pub(crate) struct UpperHalf;

impl<const I: usize> Source for Slot<I> {
    #[inline(always)]
    unsafe fn get<T: Number>(ip: Ip, m: &State) -> T {
        T::get(register(ip, m, I))
    }
}

impl Source for Acc {
    #[inline(always)]
    unsafe fn get<T: Number>(_: Ip, m: &State) -> T {
        T::take(m)
    }
}

impl Source for Constant {
    #[inline(always)]
    unsafe fn get<T: Number>(ip: Ip, _: &State) -> T {
        T::immediate(ip)
    }
    #[inline(always)]
    fn words<T: Number>() -> usize {
        T::IMMEDIATE_WORDS
    }
}

impl Source for Small {
    #[inline(always)]
    unsafe fn get<T: Number>(ip: Ip, _: &State) -> T {
        T::small(half_signed(ip, 1))
    }
}

impl<const I: usize> Source for Word<I> {
    #[inline(always)]
    unsafe fn get<T: Number>(ip: Ip, _: &State) -> T {
        T::get(*ip.add(I))
    }
    #[inline(always)]
    fn words<T: Number>() -> usize {
        I + 1
    }
}

impl Source for UpperHalf {
    #[inline(always)]
    unsafe fn get<T: Number>(ip: Ip, _: &State) -> T {
        T::constant((*ip.add(2) >> 32) as i32)
    }
}

/// Location of a result.
pub(crate) trait Sink {
    /// Writes a result.
    ///
    /// # Safety
    /// The instruction at `ip` has such a result.
    unsafe fn put<T: Number>(ip: Ip, m: &mut State, value: T);
}

/// The accumulator, and the register that 16-bit operand number `I` names.
pub(crate) struct Out<const I: usize>;
/// The accumulator only.
pub(crate) struct Pass;

impl<const I: usize> Sink for Out<I> {
    #[inline(always)]
    unsafe fn put<T: Number>(ip: Ip, m: &mut State, value: T) {
        value.leave(m);
        set(ip, m, I, value.put());
    }
}

impl Sink for Pass {
    #[inline(always)]
    unsafe fn put<T: Number>(_: Ip, m: &mut State, value: T) {
        value.leave(m);
    }
}

/// Address of a memory access. Computed in 64 bits on every host: the largest address and the largest offset together
/// have 33. Sums wrap, offsets do not.
pub(crate) trait Place {
    /// Words of an instruction with it.
    const WORDS: usize;
    /// The address.
    ///
    /// # Safety
    /// The instruction at `ip` has such an address.
    unsafe fn place(ip: Ip, m: &State) -> u64;
}

/// At an operand, and an offset.
pub(crate) struct At<A>(A);
/// At a constant.
pub(crate) struct AtConstant;
/// At the sum of an operand and register number 1, and an offset of 16 bits.
pub(crate) struct AtSum<A>(A);
/// At the sum of an operand and a constant, and an offset.
pub(crate) struct AtPlus<A>(A);

impl<A: Source> Place for At<A> {
    const WORDS: usize = 2;
    #[inline(always)]
    unsafe fn place(ip: Ip, m: &State) -> u64 {
        u64::from(A::get::<u32>(ip, m)) + u64::from(upper(ip) as u32)
    }
}

impl Place for AtConstant {
    const WORDS: usize = 3;
    #[inline(always)]
    unsafe fn place(ip: Ip, _: &State) -> u64 {
        *ip.add(2)
    }
}

impl<A: Source> Place for AtSum<A> {
    const WORDS: usize = 2;
    #[inline(always)]
    unsafe fn place(ip: Ip, m: &State) -> u64 {
        u64::from(A::get::<u32>(ip, m).wrapping_add(register(ip, m, 1) as u32)) + half(ip, 3) as u64
    }
}

impl<A: Source> Place for AtPlus<A> {
    const WORDS: usize = 3;
    #[inline(always)]
    unsafe fn place(ip: Ip, m: &State) -> u64 {
        u64::from(A::get::<u32>(ip, m).wrapping_add(*ip.add(2) as u32)) + u64::from(upper(ip) as u32)
    }
}

/// At the sum of an operand, shifted, and register number 2 or a constant: `a amount c _`, and a word with the offset and,
/// in its upper half, the constant.
pub(crate) struct AtScaled<A, const CONSTANT: bool>(A);

impl<A: Source, const CONSTANT: bool> Place for AtScaled<A, CONSTANT> {
    const WORDS: usize = 3;
    #[inline(always)]
    unsafe fn place(ip: Ip, m: &State) -> u64 {
        let c = if CONSTANT { (*ip.add(2) >> 32) as u32 } else { register(ip, m, 2) as u32 };
        let index = A::get::<u32>(ip, m).wrapping_shl(half(ip, 1) as u32);
        u64::from(index.wrapping_add(c)) + u64::from(*ip.add(2) as u32)
    }
}
