//! Random pipelines of slices of `Int`, and the same of plain Rust: the items of a module that has that type.

macro_rules! pipelines {
    () => {
        /// A step of a pipeline of integers.
        #[derive(Clone, Debug)]
        pub(crate) enum Step {
            Multiply(Int),
            AddIndex,
            KeepIfLess(Int),
            Take(u32),
            Skip(u32),
            TakeWhileLess(Int),
            SkipWhileLess(Int),
            RunningSum,
            Repeat(u32),
            Count,
            Chain(Vec<Step>),
            ZipSecond,
        }

        /// A step of a sequence.
        #[derive(Clone, Debug)]
        pub(crate) enum First {
            Reverse,
            Take(u32),
            Skip(u32),
            StepBy(u32),
            Windows,
            Chunks,
            Add(Int),
            Index,
            Zip,
        }

        pub(crate) fn firsts(choices: &mut Choices) -> Vec<First> {
            (0..choices.below(3))
                .map(|_| match choices.below(9) {
                    0 => First::Reverse,
                    1 => First::Take(choices.below(9) as u32),
                    2 => First::Skip(choices.below(5) as u32),
                    3 => First::StepBy(choices.below(4) as u32 + 1),
                    4 => First::Windows,
                    5 => First::Chunks,
                    6 => First::Add(choices.below(100) as Int - 50),
                    7 => First::Index,
                    _ => First::Zip,
                })
                .collect()
        }

        pub(crate) fn steps(choices: &mut Choices, depth: u32) -> Vec<Step> {
            (0..choices.below(5))
                .map(|_| match choices.below(if depth > 0 { 12 } else { 11 }) {
                    0 => Step::Multiply(choices.below(7) as Int - 3),
                    1 => Step::AddIndex,
                    2 => Step::KeepIfLess(choices.below(60) as Int - 20),
                    3 => Step::Take(choices.below(8) as u32),
                    4 => Step::Skip(choices.below(4) as u32),
                    5 => Step::TakeWhileLess(choices.below(90) as Int),
                    6 => Step::SkipWhileLess(choices.below(30) as Int - 20),
                    7 => Step::RunningSum,
                    8 => Step::Repeat(choices.below(4) as u32),
                    9 => Step::Count,
                    10 => Step::ZipSecond,
                    _ => Step::Chain(steps(choices, depth - 1)),
                })
                .collect()
        }

        pub(crate) type Number = Rep<Int>;

        pub(crate) fn staged_firsts<'g>(
            seq: Seq<'g, Number>,
            second: &Seq<'g, Number>,
            firsts: &[First],
        ) -> Seq<'g, Number> {
            firsts.iter().fold(seq, |seq, first| match *first {
                First::Reverse => seq.rev(),
                First::Take(n) => seq.take(n),
                First::Skip(n) => seq.skip(n),
                First::StepBy(n) => seq.step_by(n),
                First::Windows => seq.windows::<2>().map(|[a, b]| a - b),
                First::Chunks => seq.chunks::<3>().map(|[a, b, c]| a + b * 3 - c),
                First::Add(n) => seq.map(move |x| x + n),
                First::Index => seq.enumerate().map(|(i, x)| x ^ i.as_::<Int>()),
                First::Zip => seq.zip(second.clone()).map(|(a, b)| a * 2 - b),
            })
        }

        pub(crate) fn plain_firsts(list: Vec<Int>, second: &[Int], firsts: &[First]) -> Vec<Int> {
            firsts.iter().fold(list, |list, first| match *first {
                First::Reverse => list.into_iter().rev().collect(),
                First::Take(n) => list.into_iter().take(n as usize).collect(),
                First::Skip(n) => list.into_iter().skip(n as usize).collect(),
                First::StepBy(n) => list.into_iter().step_by(n as usize).collect(),
                First::Windows => list.windows(2).map(|w| w[0].wrapping_sub(w[1])).collect(),
                First::Chunks => {
                    list.chunks_exact(3).map(|c| c[0].wrapping_add(c[1].wrapping_mul(3)).wrapping_sub(c[2])).collect()
                }
                First::Add(n) => list.into_iter().map(|x| x.wrapping_add(n)).collect(),
                First::Index => list.into_iter().enumerate().map(|(i, x)| x ^ i as Int).collect(),
                First::Zip => list.into_iter().zip(second).map(|(a, b)| a.wrapping_mul(2).wrapping_sub(*b)).collect(),
            })
        }

        pub(crate) fn staged_steps<'g>(
            stream: Stream<'g, Number>,
            source: &Seq<'g, Number>,
            second: &Seq<'g, Number>,
            steps: &[Step],
        ) -> Stream<'g, Number> {
            steps.iter().fold(stream, |stream, step| match step.clone() {
                Step::Multiply(n) => stream.map(move |x| x * n),
                Step::AddIndex => stream.enumerate().map(|(i, x)| x + i.as_::<Int>()),
                Step::KeepIfLess(n) => stream.filter(move |x| x.lt(n)),
                Step::Take(n) => stream.take(n),
                Step::Skip(n) => stream.skip(n),
                Step::TakeWhileLess(n) => stream.take_while(move |x| x.lt(n)),
                Step::SkipWhileLess(n) => stream.skip_while(move |x| x.lt(n)),
                Step::RunningSum => stream.scan(0 as Int, |sum: Number, x| sum + x),
                Step::Repeat(n) => stream.flat_map(move |x| range(0, n).map(move |i| x + i.as_::<Int>()).stream()),
                Step::Count => stream.flat_map(|x| range(0, (x & 3).as_::<u32>()).map(|i| i.as_::<Int>()).stream()),
                Step::Chain(more) => stream.chain(staged_steps(source.clone().stream(), source, second, &more)),
                Step::ZipSecond => stream.zip(second.clone()).map(|(a, b)| a * b),
            })
        }

        pub(crate) fn plain_steps(list: Vec<Int>, source: &[Int], second: &[Int], steps: &[Step]) -> Vec<Int> {
            steps.iter().fold(list, |list, step| match step.clone() {
                Step::Multiply(n) => list.into_iter().map(|x| x.wrapping_mul(n)).collect(),
                Step::AddIndex => list.into_iter().enumerate().map(|(i, x)| x.wrapping_add(i as Int)).collect(),
                Step::KeepIfLess(n) => list.into_iter().filter(|x| *x < n).collect(),
                Step::Take(n) => list.into_iter().take(n as usize).collect(),
                Step::Skip(n) => list.into_iter().skip(n as usize).collect(),
                Step::TakeWhileLess(n) => list.into_iter().take_while(|x| *x < n).collect(),
                Step::SkipWhileLess(n) => list.into_iter().skip_while(|x| *x < n).collect(),
                Step::RunningSum => {
                    let next = |sum: &mut Int, x: Int| {
                        *sum = sum.wrapping_add(x);
                        Some(*sum)
                    };
                    list.into_iter().scan(0, next).collect()
                }
                Step::Repeat(n) => {
                    list.into_iter().flat_map(|x| (0..n as Int).map(move |i| x.wrapping_add(i))).collect()
                }
                Step::Count => list.into_iter().flat_map(|x| 0..x & 3).collect(),
                Step::Chain(more) => {
                    let other = plain_steps(source.to_vec(), source, second, &more);
                    list.into_iter().chain(other).collect()
                }
                Step::ZipSecond => list.into_iter().zip(second).map(|(a, b)| a.wrapping_mul(*b)).collect(),
            })
        }

        /// A number that depends on all elements and on their order.
        pub(crate) fn digest(list: impl IntoIterator<Item = Int>) -> (Int, u32) {
            list.into_iter().fold((7, 0), |(hash, count), x| (hash.wrapping_mul(31).wrapping_add(x), count + 1))
        }

        type Pipeline = Function<(In<[Int]>, In<[Int]>), (Number, Rep<u32>)>;

        /// A pipeline of two slices: the digest of its elements.
        pub(crate) fn pipeline(first: &[First], then: &[Step]) -> Pipeline {
            made(function("pipeline", |a: In<[Int]>, b: In<[Int]>| {
                let second = b.iter();
                let source = staged_firsts(a.iter(), &second, first);
                let stream = staged_steps(source.clone().stream(), &source, &second, then);
                stream.fold((7 as Int, 0u32), |(hash, count): (Number, Rep<u32>), x| (hash * 31 + x, count + 1))
            }))
        }

        /// Two inputs of a pipeline, and its digest.
        pub(crate) fn pipeline_case(
            seed: u64,
            size: Int,
            first: &[First],
            then: &[Step],
        ) -> ([Vec<Int>; 2], (Int, u32)) {
            let a: Vec<Int> = (0..size).map(|i| (i * 37 + seed as Int) % 61 - 20).collect();
            let b: Vec<Int> = (0..size + 2).map(|i| i * 5 % 17 - 4).collect();
            let source = plain_firsts(a.clone(), &b, first);
            let expected = digest(plain_steps(source.clone(), &source, &b, then));
            ([a, b], expected)
        }
    };
}

pub(crate) use pipelines;
