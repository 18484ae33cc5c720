//! Options of both checks.

use xtask::Failure;

/// The user's options.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Only programs with one of these in their names.
    pub(crate) only: Vec<String>,
    /// Maximum number of programs of each package.
    pub(crate) sample: Option<usize>,
    /// Threads and processes at a time; 0 for as many as there are cores.
    pub(crate) jobs: usize,
    /// Write the page.
    pub(crate) bless: bool,
    /// Leave the listings of these programs in files.
    pub(crate) show: bool,
    /// Measure the time.
    pub(crate) time: bool,
    /// Number of seeds besides the usual order.
    pub(crate) seeds: Option<u64>,
}

impl Options {
    /// Reads the options of the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, mut value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            let mut value = || {
                value.take().or_else(|| args.next().cloned()).ok_or(Failure::Usage(format!("`{name}` wants a value")))
            };
            match name {
                "--only" => options.only.push(value()?),
                "--show" => {
                    options.only.push(value()?);
                    options.show = true;
                }
                "--sample" => options.sample = Some(number(name, &value()?)?.max(1) as usize),
                "--jobs" => options.jobs = number(name, &value()?)? as usize,
                "--seeds" => options.seeds = Some(number(name, &value()?)?),
                "--bless" => options.bless = true,
                "--time" => options.time = true,
                _ => return Err(Failure::Usage(format!("there is no option `{arg}`"))),
            }
        }
        if options.jobs == 0 {
            options.jobs = std::thread::available_parallelism().map_or(2, |n| n.get());
        }
        if options.bless && (options.sample.is_some() || !options.only.is_empty()) {
            return Err(Failure::Usage("`--bless` writes a page about all programs, not about some".into()));
        }
        Ok(options)
    }
}

fn number(name: &str, value: &str) -> Result<u64, Failure> {
    value.parse().map_err(|_| Failure::Usage(format!("`{name}` wants a number, not `{value}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_options_in_both_spellings() {
        let parse = |line: &str| Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = parse("--only three --show=ogl --sample 5 --jobs=3 --seeds 0").expect("is right");
        let wanted = Options {
            only: vec!["three".into(), "ogl".into()],
            sample: Some(5),
            jobs: 3,
            show: true,
            seeds: Some(0),
            ..Options::default()
        };
        assert_eq!(options, wanted);
        assert!(matches!(parse("--sample many"), Err(Failure::Usage(_))));
        assert!(matches!(parse("--bless --only ogl"), Err(Failure::Usage(_))));
        assert!(matches!(parse("--faster"), Err(Failure::Usage(_))));
    }
}
