//! Clocks.

use std::time::SystemTime;

use super::{Answer, Errno, Guest, WasiCtx};
use crate::{host, stat};

/// The clocks of the interface, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clock {
    Realtime,
    Monotonic,
    ProcessTime,
    ThreadTime,
}

impl Clock {
    pub(super) fn of(id: u32) -> Answer<Clock> {
        [Clock::Realtime, Clock::Monotonic, Clock::ProcessTime, Clock::ThreadTime]
            .get(id as usize)
            .copied()
            .ok_or(Errno::Invalid)
    }

    /// Nanoseconds that it shows.
    pub(super) fn now(self, ctx: &WasiCtx) -> Answer<u64> {
        Ok(match self {
            Clock::Realtime => stat::nanoseconds(SystemTime::now()),
            Clock::Monotonic => u64::try_from(ctx.start.elapsed().as_nanos()).unwrap_or(u64::MAX),
            Clock::ProcessTime | Clock::ThreadTime => host::cpu_clock(self == Clock::ThreadTime)?.0,
        })
    }

    fn resolution(self) -> Answer<u64> {
        Ok(match self {
            Clock::Realtime => host::resolutions().0,
            Clock::Monotonic => host::resolutions().1,
            Clock::ProcessTime | Clock::ThreadTime => host::cpu_clock(self == Clock::ThreadTime)?.1,
        })
    }
}

pub(super) fn clock_res_get(_: &mut WasiCtx, guest: &mut Guest<'_>, id: u32, out: u32) -> Answer {
    guest.put_u64(out, Clock::of(id)?.resolution()?)
}

pub(super) fn clock_time_get(ctx: &mut WasiCtx, guest: &mut Guest<'_>, id: u32, _precision: u64, out: u32) -> Answer {
    guest.put_u64(out, Clock::of(id)?.now(ctx)?)
}
