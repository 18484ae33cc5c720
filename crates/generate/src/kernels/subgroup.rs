//! Operations on the invocations of a subgroup that are active.

use super::Generator;
use super::expressions::value;
use super::tree::Expr;
use super::types::Number::{self, *};
use super::types::value_name;

impl Generator<'_, '_> {
    /// A result of an operation on subgroups; `None` if there is none of this type. Sums and products of floats are exact, whatever
    /// their order.
    pub(super) fn of_subgroup(&mut self, number: Number, n: u8, depth: usize) -> Option<Expr> {
        let depth = depth + 1;
        if number == Bool && n == 1 {
            return Some(self.vote(depth));
        }
        if !matches!(number, I32 | U32 | F32 | F64 | Bool) {
            return None;
        }
        match self.choices.below(8) {
            0 if number == U32 && n == 1 => Some(self.ballot(depth)),
            0 | 1 => {
                let x = self.value(number, n, depth);
                let lane = self.choices.below(16);
                Some(match self.choices.below(4) {
                    0 => value(number, n, &format!("subgroupBroadcast($, {lane}u)"), vec![x.into()]),
                    1 => value(number, n, "subgroupBroadcastFirst($)", vec![x.into()]),
                    2 => value(number, n, &format!("subgroupQuadBroadcast($, {}u)", lane % 4), vec![x.into()]),
                    _ => {
                        let name = self.choices.pick(&[
                            "subgroupQuadSwapHorizontal",
                            "subgroupQuadSwapVertical",
                            "subgroupQuadSwapDiagonal",
                        ]);
                        value(number, n, &format!("{name}($)"), vec![x.into()])
                    }
                })
            }
            2 | 3 => {
                let x = self.value(number, n, depth);
                let by = self.value(U32, 1, depth);
                let name = self.choices.pick(&[
                    "subgroupShuffle",
                    "subgroupShuffleXor",
                    "subgroupShuffleUp",
                    "subgroupShuffleDown",
                ]);
                let mask = if name == "subgroupShuffle" { 31 } else { self.choices.pick(&[1, 3, 7, 15]) };
                Some(value(number, n, &format!("{name}($, $ & {mask}u)"), vec![x.into(), by.into()]))
            }
            _ => Some(self.reduction(number, n, depth)),
        }
    }

    fn vote(&mut self, depth: usize) -> Expr {
        match self.choices.below(6) {
            0 => value(Bool, 1, "subgroupElect()", vec![]),
            1 | 2 => {
                let number = self.choices.pick(&[I32, U32, F32, Bool]);
                let n = 1 + self.choices.below(4) as u8;
                let x = self.value(number, n, depth);
                value(Bool, 1, "subgroupAllEqual($)", vec![x.into()])
            }
            3 => {
                let x = self.value(U32, 4, depth);
                value(Bool, 1, "subgroupInverseBallot($)", vec![x.into()])
            }
            4 => {
                let x = self.value(Bool, 1, depth);
                let bit = self.value(U32, 1, depth);
                let inner = vec![x.into(), bit.into()];
                value(Bool, 1, "subgroupBallotBitExtract(subgroupBallot($), $ & 31u)", inner)
            }
            _ => {
                let name = self.choices.pick(&["subgroupAny", "subgroupAll"]);
                let x = self.value(Bool, 1, depth);
                value(Bool, 1, &format!("{name}($)"), vec![x.into()])
            }
        }
    }

    fn ballot(&mut self, depth: usize) -> Expr {
        let x = self.value(Bool, 1, depth);
        let name = self.choices.pick(&[
            "subgroupBallotBitCount",
            "subgroupBallotInclusiveBitCount",
            "subgroupBallotExclusiveBitCount",
            "",
            "gl_SubgroupInvocationID + uint",
        ]);
        if name.is_empty() {
            let component = self.choices.pick(&["x", "y"]);
            return value(U32, 1, &format!("subgroupBallot($).{component}"), vec![x.into()]);
        }
        let operand = if name.starts_with("gl") { "$" } else { "subgroupBallot($)" };
        value(U32, 1, &format!("({name}({operand}))"), vec![x.into()])
    }

    fn reduction(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        let ops: &[&str] = match number {
            Bool => &["And", "Or", "Xor"],
            F32 | F64 => &["Add", "Min", "Max", "Mul"],
            _ => &["Add", "Min", "Max", "Mul", "And", "Or", "Xor"],
        };
        let op = self.choices.pick(ops);
        let x = match op {
            "Add" | "Min" | "Max" if number.is_float() => {
                let small = self.value(I32, n, depth);
                value(number, n, &format!("{}($ % 64)", value_name(number, n)), vec![small.into()])
            }
            "Mul" if number.is_float() => {
                let small = self.value(I32, n, depth);
                value(number, n, &format!("{}(1 + ($ & 1))", value_name(number, n)), vec![small.into()])
            }
            _ => self.value(number, n, depth),
        };
        let form = self.choices.pick(&["", "", "Inclusive", "Exclusive", "Clustered"]);
        let size = self.choices.pick(&["1", "2", "4", "8", "16", "32"]);
        let rest = if form == "Clustered" { format!(", {size}u") } else { String::new() };
        value(number, n, &format!("subgroup{form}{op}(${rest})"), vec![x.into()])
    }
}
