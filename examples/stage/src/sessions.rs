//! A state that is folded over columns, and kept in another one: visits of each user become sessions, which end after half an hour without one.

use planish::stage::{In, Out, Rep, check, function, staged};

use crate::{Error, Shown, shown};

fn plain(users: &[u32], times: &[u32], pause: u32, sessions: &mut [u32]) -> (u32, u32) {
    let (mut session, mut start, mut longest) = (0, 0, 0);
    for i in 0..users.len() {
        if i == 0 || users[i] != users[i - 1] || times[i] - times[i - 1] > pause {
            (session, start) = (session + 1, times[i]);
        }
        sessions[i] = session;
        longest = longest.max(times[i] - start);
    }
    (session, longest)
}

/// The number of sessions and the longest, of events by user and time.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let made = function(
        "sessions",
        staged!(|users: In<[u32]>, times: In<[u32]>, pause: Rep<u32>, sessions: Out<[u32]>| {
            check(users.len() == times.len() && users.len() == sessions.len());
            let mut session = Rep::new(0u32);
            let mut start = Rep::new(0u32);
            let mut longest = Rep::new(0u32);
            let mut user = Rep::new(0u32);
            let mut last = Rep::new(0u32);
            for i in 0..users.len() {
                let time = times.at(i);
                if i == 0 || users.at(i) != user || time - last > pause {
                    session += 1;
                    start = time;
                }
                user = users.at(i);
                last = time;
                sessions.set(i, session);
                longest = longest.max(time - start);
            }
            (session, longest)
        }),
    )?;
    let compiled = made.compile()?;
    let users: Vec<u32> = (0..100_000).map(|i| i / 37).collect();
    let times: Vec<u32> = (0..100_000).map(|i| i % 37 * 600 + i % 37 / 5 * 2000 + i * 7 % 13).collect();
    let (mut found, mut expected) = (vec![0; users.len()], vec![0; users.len()]);
    let result = compiled.call(&users, &times, 1800, &mut found)?;
    if result != plain(&users, &times, 1800, &mut expected) || found != expected || result.0 < 10_000 {
        return Err(format!("other sessions than plain Rust: {result:?}").into());
    }
    let staged = || compiled.call(&users, &times, 1800, &mut found).ok();
    Ok(shown(&made.optimized(), staged, || plain(&users, &times, 1800, &mut expected)))
}
