//! Functions on several threads: chunks of the iterations of a loop.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use planish_ir::arena::Id;
use planish_ir::types::Scalar;
use planish_opt::cost::NATIVE;
use planish_opt::split_iterations::{self, Split};
use planish_vm::{Config, Engine, Strategy, Val};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use smallvec::SmallVec;

use super::instances::{Instances, Slices, bits_of};
use super::{Errors, Function, Params, Slice, Staged, Stopped, for_processors};

/// Iterations of a chunk. Results depend on it, so it is the same on each machine.
const CHUNK: u32 = 1 << 15;

/// A function whose first loop runs on several threads, in chunks of 32,768 iterations, if those are independent.
///
/// The results of the chunks are combined in their order, so the bits are the same for any number of threads. They are those of [`Compiled`](super::Compiled) but
/// for reductions in another order ([`reassociate`](super::reassociate)).
///
/// The threads are those of the rayon pool that calls: `pool.install(|| f.call(x))` runs on a pool of the caller's.
///
/// ```
/// use planish::stage::{In, Out, Rep, function};
///
/// let f = function("scale", |a: Rep<f32>, x: In<[f32]>, y: Out<[f32]>| x.iter().map(move |x| a * x).write_to(y))?;
/// let f = f.compile_parallel()?;
/// assert_eq!(f.refusal(), None);
/// let (x, mut y) = (vec![1.0; 100_000], vec![0.0; 100_000]);
/// assert_eq!(f.call(2.0, &x, &mut y)?, 100_000);
/// assert!(y.iter().all(|&y| y == 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parallel<A, R> {
    instances: Instances,
    split: Result<Split, String>,
    signature: PhantomData<fn(A) -> R>,
}

impl<A: Params, R: Staged> Function<A, R> {
    /// Compiles the function for this host, to run on several threads.
    ///
    /// # Errors
    /// As [`Function::compile`].
    pub fn compile_parallel(&self) -> Result<Parallel<A, R>, Errors> {
        self.compile_parallel_on(&Engine::new(Config::default().strategy(Strategy::Native)))
    }

    /// Compiles the function on an engine of the caller's, to run on several threads.
    ///
    /// # Errors
    /// As [`Function::compile`].
    pub fn compile_parallel_on(&self, engine: &Engine) -> Result<Parallel<A, R>, Errors> {
        let mut optimizer = self.optimizer();
        let is_native = engine.strategy() == Strategy::Native;
        if is_native {
            optimizer.options.costs = Some((&NATIVE).into());
        }
        let mut module = self.optimized_by(&optimizer);
        // Functions may have other numbers than before.
        let func = module.entry_points.first().expect("the function is one").func;
        let split = split_iterations::run(&mut module, func).map_err(|(span, reason)| match self.map().place(span) {
            Some(place) => format!("{place}: {reason}"),
            None => reason.to_owned(),
        });
        if is_native {
            for_processors(&mut optimizer);
        }
        let instances = Instances::optimized(engine, module, &optimizer, self.outline())?;
        Ok(Parallel { instances, split, signature: PhantomData })
    }
}

impl<A: Params, R: Staged> Parallel<A, R> {
    /// The place and the reason, if the function runs on one thread.
    pub fn refusal(&self) -> Option<&str> {
        self.split.as_ref().err().map(String::as_str)
    }

    /// Calls the function with its parameters as a tuple.
    ///
    /// # Errors
    /// A trap, of the first iteration that has one. What later iterations have written to slices may then be there.
    pub fn call_with(&self, args: A::Host<'_>) -> Result<R::Host, Stopped> {
        let (args, mut slices) = self.instances.arguments(|bits, slices| A::pass(args, bits, slices))?;
        let in_chunks = match &self.split {
            Ok(split) => self.in_chunks(split, &args, &mut slices)?,
            Err(_) => None,
        };
        let results = match in_chunks {
            Some(results) => results,
            None => self.instances.run_last(&self.instances.name, &args, slices)?,
        };
        Ok(R::from_host_bits(&mut results.iter().map(bits_of)))
    }

    /// The results of a call; `None` if the whole is one chunk, or its slices cannot be shared.
    fn in_chunks(&self, split: &Split, args: &[Val], slices: &mut Slices<'_>) -> Result<Option<Vec<Val>>, Stopped> {
        let bounds = |first: u32, slices: &mut Slices<'_>| -> Result<Vec<u32>, Stopped> {
            let args: Vec<Val> = args.iter().copied().chain([Val::I32(first as i32)]).collect();
            let types = vec![Scalar::U32; 1 + split.written.len()];
            let results = self.instances.run(&split.bounds, &args, again(slices), &types)?;
            Ok(results.iter().map(|result| bits_of(result) as u32).collect())
        };
        let count = bounds(0, slices)?[0];
        if count <= CHUNK {
            return Ok(None);
        }
        let firsts: Vec<u32> = (0..count).step_by(CHUNK as usize).chain([count]).collect();
        let places: Result<Vec<Vec<u32>>, Stopped> = firsts.iter().map(|&first| bounds(first, slices)).collect();
        let places = places?;
        let Some(chunks) = shared(split, &places, slices) else { return Ok(None) };
        let chunks: Vec<(usize, Slices<'_>)> = chunks.into_iter().enumerate().collect();
        let partial: Vec<Result<Vec<Val>, Stopped>> = (chunks.into_par_iter())
            .map(|(k, slices)| {
                let words = [firsts[k], firsts[k + 1]].into_iter().chain(places[k][1..].iter().copied());
                let args: Vec<Val> = args.iter().copied().chain(words.map(|word| Val::I32(word as i32))).collect();
                self.instances.run(&split.chunk, &args, slices, &split.partial)
            })
            .collect();
        let mut partial = partial.into_iter();
        let mut all = partial.next().expect("there are two chunks at least")?;
        for next in partial {
            let args: Vec<Val> = all.into_iter().chain(next?).collect();
            all = self.instances.run(&split.combine, &args, SmallVec::new(), &split.partial)?;
        }
        let args: Vec<Val> = args.iter().copied().chain([Val::I32(count as i32)]).chain(all).collect();
        self.instances.run_last(&split.finish, &args, again(slices)).map(Some)
    }
}

/// The same slices for a shorter time.
fn again<'s>(slices: &'s mut Slices<'_>) -> Slices<'s> {
    let again = |(number, slice): &'s mut (usize, Slice<'_>)| match slice {
        Slice::In(bytes) => (*number, Slice::In(bytes)),
        Slice::Out(bytes) => (*number, Slice::Out(bytes)),
    };
    slices.iter_mut().map(again).collect()
}

/// The slices of each chunk: those that it reads whole, of those that it writes the part that is its own. `None` if such a part does not
/// lie in the slice behind the one before.
fn shared<'s>(split: &Split, places: &[Vec<u32>], slices: &'s mut Slices<'_>) -> Option<Vec<Slices<'s>>> {
    let mut chunks: Vec<Slices<'s>> = places[1..].iter().map(|_| SmallVec::new()).collect();
    for (number, slice) in slices.iter_mut() {
        let is_it = |memory: &planish_ir::entity::Memory| memory.index() == *number;
        if let Some(place) = split.written.iter().position(is_it) {
            let Slice::Out(bytes) = slice else { return None };
            let mut rest: &'s mut [u8] = bytes;
            let mut at = 0;
            for (chunk, pair) in chunks.iter_mut().zip(places.windows(2)) {
                let Range { start, end } = pair[0][1 + place] as usize..pair[1][1 + place] as usize;
                let (_, behind) = rest.split_at_mut_checked(start.checked_sub(at)?)?;
                let (part, behind) = behind.split_at_mut_checked(end.checked_sub(start)?)?;
                chunk.push((*number, Slice::Out(part)));
                (rest, at) = (behind, end);
            }
        } else if split.read.iter().any(is_it) {
            let bytes: &'s [u8] = match slice {
                Slice::In(bytes) => bytes,
                Slice::Out(bytes) => bytes,
            };
            chunks.iter_mut().for_each(|chunk| chunk.push((*number, Slice::In(bytes))));
        }
    }
    Some(chunks)
}

impl<A, R> fmt::Debug for Parallel<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel")
            .field("name", &self.instances.name)
            .field("split", &self.split)
            .finish_non_exhaustive()
    }
}
