//! Runs the compiler over many programs on several threads. A panic is a failure with a name; a hang ends the run with a
//! name.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The stack that a main thread usually has.
const STACK: usize = 8 << 20;

thread_local! {
    /// Location and message of this thread's last panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The item a worker is processing, and the start time.
type Place = Mutex<Option<(Instant, String)>>;

/// Calls `action` for every item, on `jobs` threads. The results are in the order of the items.
///
/// An item that takes longer than `patience` ends the process, with its name in the message.
///
/// # Panics
/// If `action` does; actions that may panic are wrapped in [`guarded`].
pub fn run<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    patience: Duration,
    name: impl Fn(&T) -> String + Sync,
    action: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    remember_panics();
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let done = AtomicBool::new(false);
    let places: Vec<Place> = (0..jobs.max(1)).map(|_| Mutex::new(None)).collect();
    let work = |place: &Place| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            *place.lock().expect("never held over a panic") = Some((Instant::now(), name(item)));
            let result = action(item);
            *results[at].lock().expect("each is written once") = Some(result);
            *place.lock().expect("never held over a panic") = None;
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let start = |place| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(place));
        let workers: Vec<_> = places.iter().map(|place| start(place).expect("a thread starts")).collect();
        scope.spawn(|| watch(&places, patience, &done));
        let ends: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        if ends.iter().any(Result::is_err) {
            panic!("a worker panicked outside of what is guarded");
        }
    });
    let taken =
        |result: Mutex<Option<R>>| result.into_inner().expect("no worker panicked").expect("every item is done");
    results.into_iter().map(taken).collect()
}

/// Ends the process when a worker has processed one item for too long.
fn watch(places: &[Place], patience: Duration, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        for place in places {
            if let Some((since, name)) = &*place.lock().expect("never held over a panic")
                && since.elapsed() > patience
            {
                eprintln!("error: the compiler has been at {name} for {} seconds", patience.as_secs());
                std::process::exit(1);
            }
        }
    }
}

/// The result of `action`, or the location and message of its panic. Only within [`run`].
pub fn guarded<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|_| PANIC.with(|text| text.borrow().clone()))
}

fn remember_panics() {
    std::panic::set_hook(Box::new(|info| {
        let why = info.payload_as_str().unwrap_or("no message").lines().next().unwrap_or_default().to_string();
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        PANIC.with(|text| *text.borrow_mut() = why + &place);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_panics_have_a_place() {
        let items: Vec<u32> = (0..100).collect();
        let action = |&n: &u32| guarded(|| if n == 41 { panic!("no {n}") } else { n * 2 });
        let results = run(&items, 4, Duration::from_secs(60), u32::to_string, action);
        let _ = std::panic::take_hook();
        assert!(results.iter().enumerate().all(|(i, r)| i == 41 || *r == Ok(i as u32 * 2)));
        let message = results[41].clone().expect_err("it panicked");
        assert!(message.starts_with("no 41 (") && message.contains("pool.rs:"), "{message}");
    }
}
