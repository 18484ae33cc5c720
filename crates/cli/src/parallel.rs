//! Work on several threads whose results come in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

use crate::{STACK_SIZE, Stop};

/// Maps all items on several threads (as many as there are cores, unless a number is given), and passes on the results in the order
/// of the items, up to the first error.
pub(crate) fn in_order<T: Sync, R: Send>(
    items: &[T],
    threads: Option<NonZero<usize>>,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let threads =
        threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get).min(items.len());
    if threads < 2 {
        return items.iter().try_for_each(|item| take(work(item)));
    }
    let (next, (done, results)) = (AtomicUsize::new(0), mpsc::channel());
    let worker = |done: mpsc::Sender<(usize, R)>| {
        while let Some(index) = Some(next.fetch_add(1, Relaxed)).filter(|&i| i < items.len()) {
            if done.send((index, work(&items[index]))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        let spawn = |_| {
            let done = done.clone();
            let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
            thread.spawn_scoped(scope, || worker(done)).map_err(|e| Stop::usage(format!("cannot start a thread: {e}")))
        };
        let workers = (0..threads).map(spawn).collect::<Result<Vec<_>, _>>()?;
        drop(done);
        let (mut pending, mut wanted) = (BTreeMap::new(), 0);
        let taken = results.iter().try_for_each(|(index, result)| {
            pending.insert(index, result);
            while let Some(result) = pending.remove(&wanted) {
                take(result)?;
                wanted += 1;
            }
            Ok(())
        });
        drop(results);
        for thread in workers {
            // The panic is passed on unchanged.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        taken
    })
}
