//! Larger stacks for recursive code of dependencies.

use std::sync::Mutex;

/// Runs `work` on a thread with a stack of `bytes` bytes, or on the caller's thread on targets without threads.
///
/// ```
/// assert_eq!(planish_ir::stack::with_stack(8 << 20, || 6 * 7), 42);
/// ```
///
/// # Panics
/// If `work` panics.
pub fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let take = || work.lock().ok().and_then(|mut work| work.take());
    let done = std::thread::scope(|scope| {
        let run = || take().map(|work| work());
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run).ok()?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    done.unwrap_or_else(|| take().expect("no thread has taken it")())
}
