//! The parts that back ends share: how a target reports the ops that it has ([`legal`], [`ops`]), structured control flow
//! ([`structure`]), jumps that a target cannot make ([`jumps`]), values that are written where they are read ([`expressions`]), values that share a variable ([`flow`],
//! [`coalesce`]), copies that happen at once ([`copies`]), types of numbers that a target lacks ([`scalars`]), and the state of an instance that is used ([`instance`]).

pub mod coalesce;
pub mod copies;
pub mod expressions;
pub mod flow;
pub mod instance;
pub mod jumps;
pub mod legal;
pub mod ops;
pub mod scalars;
pub mod structure;
