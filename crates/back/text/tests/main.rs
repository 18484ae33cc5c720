//! Tests of what text back ends share, with small languages of their own, in one program.

mod abilities;
mod runs;
mod tiny;
