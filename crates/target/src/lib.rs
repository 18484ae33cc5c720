//! The parts that back ends share: how a target reports the ops that it has ([`legal`]).

pub mod legal;
