//! `poll_oneoff`: timers and readiness of descriptors.
//!
//! Files, outputs and the embedder's own inputs are always ready. On Unix the process's own input, pipes and devices
//! are polled; elsewhere they count as ready too, so that a read of them blocks.

use std::time::Duration;

use super::clock::Clock;
use super::{Answer, Errno, Guest, WasiCtx};
use crate::descriptor::{Node, Reader};
use crate::rights::Rights;

const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;

/// The event that a program subscribes to.
struct Subscription {
    userdata: u64,
    wait: Answer<Wait>,
    /// The number of its kind: clock, read, write.
    tag: u8,
}

enum Wait {
    /// For so long from now.
    Time(Duration),
    Read(u32),
    Write(u32),
}

/// A subscription's event: number of bytes that can be read or written, and whether the peer has hung up.
#[derive(Clone, Copy, Default, Debug)]
struct Ready {
    bytes: u64,
    hung_up: bool,
}

pub(super) fn poll_oneoff(
    ctx: &mut WasiCtx,
    guest: &mut Guest<'_>,
    subscriptions: u32,
    events: u32,
    count: u32,
    out: u32,
) -> Answer {
    if count == 0 {
        return Err(Errno::Invalid);
    }
    guest.bytes(subscriptions, count.checked_mul(SUBSCRIPTION).ok_or(Errno::Fault)?)?;
    guest.bytes(events, count.checked_mul(EVENT).ok_or(Errno::Fault)?)?;
    guest.u32(out)?;
    let list =
        (0..count).map(|i| subscription(ctx, guest, subscriptions + i * SUBSCRIPTION)).collect::<Answer<Vec<_>>>()?;
    let happened = wait(ctx, &list)?;
    let mut stored = 0;
    for (subscription, happened) in list.iter().zip(happened) {
        if let Some(result) = happened {
            guest.put(events + stored * EVENT, &event(subscription, result))?;
            stored += 1;
        }
    }
    guest.put_u32(out, stored)
}

fn subscription(ctx: &WasiCtx, guest: &Guest<'_>, at: u32) -> Answer<Subscription> {
    let tag = guest.u8(at + 8)?;
    let fd = guest.u32(at + 16)?;
    let wait = match tag {
        0 => {
            let (timeout, flags) = (guest.u64(at + 24)?, guest.u16(at + 40)?);
            time(ctx, guest.u32(at + 16)?, timeout, flags)
        }
        1 => ready_to_be_asked(ctx, fd).map(|()| Wait::Read(fd)),
        2 => ready_to_be_asked(ctx, fd).map(|()| Wait::Write(fd)),
        _ => return Err(Errno::Invalid),
    };
    Ok(Subscription { userdata: guest.u64(at)?, wait, tag })
}

/// The remaining time of a clock's subscription.
fn time(ctx: &WasiCtx, id: u32, timeout: u64, flags: u16) -> Answer<Wait> {
    let clock = Clock::of(id)?;
    if !matches!(clock, Clock::Realtime | Clock::Monotonic) || flags > 1 {
        return Err(Errno::Invalid);
    }
    let nanoseconds = if flags == 1 { timeout.saturating_sub(clock.now(ctx)?) } else { timeout };
    Ok(Wait::Time(Duration::from_nanos(nanoseconds)))
}

fn ready_to_be_asked(ctx: &WasiCtx, fd: u32) -> Answer {
    ctx.descriptors.get(fd)?.allow(Rights::POLL_FD_READWRITE)
}

fn event(subscription: &Subscription, result: Answer<Ready>) -> [u8; EVENT as usize] {
    let mut event = [0; EVENT as usize];
    event[..8].copy_from_slice(&subscription.userdata.to_le_bytes());
    let error = result.err().unwrap_or(Errno::Success);
    event[8..10].copy_from_slice(&(error as u16).to_le_bytes());
    event[10] = subscription.tag;
    let ready = result.unwrap_or_default();
    event[16..24].copy_from_slice(&ready.bytes.to_le_bytes());
    event[24] = ready.hung_up.into();
    event
}

/// Blocks until at least one event has occurred; results are by subscription.
fn wait(ctx: &mut WasiCtx, list: &[Subscription]) -> Answer<Vec<Option<Answer<Ready>>>> {
    let times = list.iter().filter_map(|s| if let Ok(Wait::Time(time)) = s.wait { Some(time) } else { None });
    let first = times.min();
    let begin = std::time::Instant::now();
    let failed = list.iter().any(|s| s.wait.is_err());
    let fds = loop {
        let left = first.map(|first| first.saturating_sub(begin.elapsed()));
        let fds = ask(ctx, list, if failed { Some(Duration::ZERO) } else { left })?;
        // System polls may return early.
        if failed || fds.iter().any(Option::is_some) || first.is_some_and(|first| begin.elapsed() >= first) {
            break fds;
        }
    };
    let elapsed = begin.elapsed();
    let happened = list.iter().zip(fds).map(|(subscription, fd)| match &subscription.wait {
        Err(error) => Some(Err(*error)),
        Ok(Wait::Time(time)) => (elapsed >= *time).then(|| Ok(Ready::default())),
        Ok(_) => fd.map(Ok),
    });
    Ok(happened.collect())
}

/// The event of a descriptor that never blocks, or `None` if it has to be polled.
fn always_ready(ctx: &mut WasiCtx, wait: &Wait) -> Option<Ready> {
    let (Wait::Read(fd) | Wait::Write(fd)) = *wait else { return None };
    let writes = matches!(wait, Wait::Write(_));
    match &mut ctx.descriptors.get_mut(fd).ok()?.node {
        Node::Input(input) if !writes => match input.reader {
            Reader::Own(_) => Some(Ready { bytes: 1, hung_up: false }),
            #[cfg(unix)]
            Reader::Host(_) => None,
        },
        Node::File(open) => {
            let metadata = open.file.metadata().ok()?;
            if cfg!(unix) && !metadata.is_file() {
                return None;
            }
            let position = std::io::Seek::stream_position(&mut open.file).unwrap_or(0);
            let bytes = if writes { 1 } else { metadata.len().saturating_sub(position) };
            Some(Ready { bytes, hung_up: false })
        }
        _ => Some(Ready { bytes: 1, hung_up: false }),
    }
}

/// Polls descriptors, blocking for at most `longest` (`None`: no limit) if none is ready. Results are by subscription.
fn ask(ctx: &mut WasiCtx, list: &[Subscription], longest: Option<Duration>) -> Answer<Vec<Option<Ready>>> {
    let mut ready: Vec<Option<Ready>> =
        list.iter().map(|s| s.wait.as_ref().ok().and_then(|wait| always_ready(ctx, wait))).collect();
    let longest = if ready.iter().any(Option::is_some) { Some(Duration::ZERO) } else { longest };
    ask_host(ctx, list, longest, &mut ready)?;
    Ok(ready)
}

#[cfg(unix)]
fn ask_host(ctx: &WasiCtx, list: &[Subscription], longest: Option<Duration>, ready: &mut [Option<Ready>]) -> Answer {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut places = Vec::new();
    let mut fds = Vec::new();
    for (place, subscription) in list.iter().enumerate() {
        let (fd, flags) = match subscription.wait {
            Ok(Wait::Read(fd)) => (fd, PollFlags::IN),
            Ok(Wait::Write(fd)) => (fd, PollFlags::OUT),
            _ => continue,
        };
        let file = match &ctx.descriptors.get(fd)?.node {
            Node::File(open) => &open.file,
            Node::Input(input) => match &input.reader {
                Reader::Host(file) => file,
                Reader::Own(_) => continue,
            },
            _ => continue,
        };
        if ready[place].is_none() {
            places.push((place, file, flags));
            fds.push(PollFd::new(file, flags));
        }
    }
    let timeout = longest.and_then(|longest| Timespec::try_from(longest).ok());
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    for (asked, (place, file, flags)) in fds.iter().zip(places) {
        let seen = asked.revents();
        if !seen.is_empty() {
            let readable = if flags == PollFlags::IN { rustix::io::ioctl_fionread(file).unwrap_or(1) } else { 1 };
            ready[place] = Some(Ready { bytes: readable, hung_up: seen.contains(PollFlags::HUP) });
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn ask_host(_: &WasiCtx, _: &[Subscription], longest: Option<Duration>, ready: &mut [Option<Ready>]) -> Answer {
    if let (false, Some(longest)) = (ready.iter().any(Option::is_some), longest) {
        std::thread::sleep(longest);
    }
    Ok(())
}
