//! The engine: state shared by all modules and stores of an embedder.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use planish_ir::host::FuncType;
use planish_ir::module::MemoryData;
use rustc_hash::FxHashMap;

/// The means by which an engine runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// By the virtual machine, on every host. Functions are translated at their first call.
    #[default]
    Vm,
    /// By machine code of the processor, compiled when a module is created; by the virtual machine on hosts without
    /// one ([`Engine::strategy`]).
    Native,
    /// By the virtual machine at first, and by machine code when another thread has compiled it, which happens when a function
    /// is called often ([`Config::tier_threshold`]); by the virtual machine alone on hosts without machine code, and with
    /// fuel ([`Config::consume_fuel`]), so that calls can be resumed.
    Tiered,
}

/// The programs whose machine code uses vectors of 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum WideVectors {
    /// None.
    Never,
    /// Those that run several invocations at a time: shaders on lanes.
    #[default]
    OnLanes,
    /// All that have no operation that is missing there, even if they have no such vectors: for tests of the code generator.
    Always,
}

/// Configuration of an [`Engine`].
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) strategy: Strategy,
    pub(crate) interruptible: bool,
    pub(crate) tier_threshold: u32,
    pub(crate) tiers_in_background: bool,
    pub(crate) signals_based_traps: bool,
    pub(crate) wide_vectors: WideVectors,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) fuel: bool,
    pub(crate) stack_words: usize,
    pub(crate) memory_pages: u32,
    pub(crate) table_elements: u32,
}

impl Default for Config {
    /// No fuel, a stack of 1 MiB, memories of up to 4 GiB, tables of up to ten million elements.
    fn default() -> Self {
        let (strategy, interruptible) = (Strategy::Vm, false);
        Config {
            strategy,
            interruptible,
            tier_threshold: 2000,
            tiers_in_background: true,
            signals_based_traps: true,
            wide_vectors: WideVectors::default(),
            cache: None,
            fuel: false,
            stack_words: 1 << 17,
            memory_pages: MemoryData::MAX_PAGES,
            table_elements: 10_000_000,
        }
    }
}

impl Config {
    /// The means by which programs run.
    pub fn strategy(&mut self, strategy: Strategy) -> &mut Self {
        self.strategy = strategy;
        self
    }

    /// Whether another thread can stop programs: [`crate::Store::interrupt_handle`].
    pub fn interruptible(&mut self, enable: bool) -> &mut Self {
        self.interruptible = enable;
        self
    }

    /// With [`Strategy::Tiered`]: calls of a function and iterations of its loops after which machine code of its module is
    /// made; 2,000 by default. As many iterations of a loop that is on the virtual machine when there is machine code are
    /// needed to have it go on there.
    pub fn tier_threshold(&mut self, calls: u32) -> &mut Self {
        self.tier_threshold = calls;
        self
    }

    /// With [`Strategy::Tiered`]: whether another thread makes machine code, as it does by default, or the thread that runs
    /// the program, which waits for it. Where there are no threads, that is what happens.
    pub fn tiers_in_background(&mut self, enable: bool) -> &mut Self {
        self.tiers_in_background = enable;
        self
    }

    /// Whether machine code leaves the bounds of memories to the processor, if the system allows it (Linux, Android and
    /// macOS); by default it does. Each memory then reserves 4 GiB and 32 MiB of addresses, whose pages beyond its size cannot
    /// be accessed, and the process gets a handler of `SIGSEGV` and `SIGBUS`, which passes on all faults but those of machine
    /// code to the handler that was there before the first such engine. Without it, code compares every index with the size.
    pub fn signals_based_traps(&mut self, enable: bool) -> &mut Self {
        self.signals_based_traps = enable;
        self
    }

    /// The programs whose machine code uses vectors of 256 bits, where the processor has them (x86-64 with AVX2). Results are the
    /// same, bit for bit.
    pub fn wide_vectors(&mut self, programs: WideVectors) -> &mut Self {
        self.wide_vectors = programs;
        self
    }

    /// A directory that keeps machine code from one process to the next, by content, options and version. Several processes
    /// may share it; its owner alone may write to it, since what lies there is executed. Above 256 MiB the oldest code is
    /// deleted. If it cannot be used, code is made without: [`Engine::cache_error`].
    pub fn cache(&mut self, directory: impl Into<PathBuf>) -> &mut Self {
        self.cache = Some(directory.into());
        self
    }

    /// Whether programs consume fuel: about one unit an instruction.
    pub fn consume_fuel(&mut self, enable: bool) -> &mut Self {
        self.fuel = enable;
        self
    }

    /// Bytes of the stack that holds the frames of a store's calls. Deeper calls trap; all do if that much memory is
    /// not available.
    pub fn stack_size(&mut self, bytes: usize) -> &mut Self {
        self.stack_words = (bytes / 8).max(64);
        self
    }

    /// Maximum size of a memory in pages of 64 KiB; overrides the module's own limit.
    pub fn memory_limit(&mut self, pages: u32) -> &mut Self {
        self.memory_pages = pages.min(MemoryData::MAX_PAGES);
        self
    }

    /// Maximum number of elements of a table; overrides the module's own limit.
    pub fn table_limit(&mut self, elements: u32) -> &mut Self {
        self.table_elements = elements;
        self
    }
}

/// State shared by all modules and stores of an embedder. Cloning is cheap and returns the same engine.
#[derive(Clone, Debug)]
pub struct Engine(Arc<EngineInner>);

impl Default for Engine {
    /// With the default [`Config`].
    fn default() -> Self {
        Engine::new(&Config::default())
    }
}

#[derive(Debug)]
struct EngineInner {
    config: Config,
    types: RwLock<FuncTypes>,
    #[cfg(planish_native)]
    native: Option<crate::native::Native>,
}

/// The types of functions, by number. Those that modules share are never forgotten.
#[derive(Debug, Default)]
struct FuncTypes {
    /// `None` for a type that the host cannot name.
    types: Vec<Option<Arc<FuncType>>>,
    numbers: FxHashMap<Arc<FuncType>, u32>,
    /// Numbers that no module has any more.
    free: Vec<u32>,
}

/// The numbers of types that are local to a module, which are free when it is dropped.
#[derive(Debug)]
pub(crate) struct OwnTypes {
    engine: Engine,
    numbers: Vec<u32>,
}

impl OwnTypes {
    /// None so far.
    pub(crate) fn new(engine: &Engine) -> Self {
        OwnTypes { engine: engine.clone(), numbers: Vec::new() }
    }

    /// A number for a function type that is equal to no other. `ty` is its type in the host's view, if the host can call
    /// such functions.
    pub(crate) fn add(&mut self, ty: Option<FuncType>) -> u32 {
        let mut types = self.engine.0.types.write().unwrap_or_else(PoisonError::into_inner);
        let ty = ty.map(Arc::new);
        let number = match types.free.pop() {
            Some(number) => {
                types.types[number as usize] = ty;
                number
            }
            None => {
                types.types.push(ty);
                types.types.len() as u32 - 1
            }
        };
        self.numbers.push(number);
        number
    }
}

impl Drop for OwnTypes {
    fn drop(&mut self) {
        let mut types = self.engine.0.types.write().unwrap_or_else(PoisonError::into_inner);
        for &number in &self.numbers {
            types.types[number as usize] = None;
        }
        types.free.append(&mut self.numbers);
    }
}

impl Engine {
    /// An engine.
    pub fn new(config: &Config) -> Self {
        let config = config.clone();
        #[cfg(planish_native)]
        let native = match config.strategy {
            Strategy::Tiered if config.fuel => None,
            Strategy::Native | Strategy::Tiered => crate::native::Native::new(&config).ok(),
            Strategy::Vm => None,
        };
        Engine(Arc::new(EngineInner {
            config,
            types: RwLock::default(),
            #[cfg(planish_native)]
            native,
        }))
    }

    /// The means by which it runs programs: as configured, if the host allows it.
    pub fn strategy(&self) -> Strategy {
        #[cfg(planish_native)]
        if self.0.native.is_some() {
            return self.0.config.strategy;
        }
        Strategy::Vm
    }

    /// Whether memories have guard pages: [`Config::signals_based_traps`], if the host allows it.
    pub fn signals_based_traps(&self) -> bool {
        #[cfg(planish_native)]
        return self.0.native.as_ref().is_some_and(|native| native.guard_pages);
        #[cfg(not(planish_native))]
        false
    }

    /// Why code is not kept, although [`Config::cache`] asks for it.
    pub fn cache_error(&self) -> Option<&str> {
        #[cfg(planish_native)]
        return self.0.native.as_ref()?.cache.as_ref()?.as_ref().err().map(String::as_str);
        #[cfg(not(planish_native))]
        None
    }

    /// Number of modules whose code was taken from the cache.
    pub fn cache_hits(&self) -> u64 {
        #[cfg(planish_native)]
        if let Some(Ok(cache)) = self.0.native.as_ref().and_then(|native| native.cache.as_ref()) {
            return cache.hits();
        }
        0
    }

    /// Whether programs can run as machine code on this host.
    ///
    /// # Errors
    /// Why not.
    pub fn supports_native() -> Result<(), String> {
        #[cfg(planish_native)]
        return crate::native::Native::new(Config::default().signals_based_traps(false)).map(drop);
        #[cfg(not(planish_native))]
        if cfg!(feature = "native") {
            Err("machine code runs on x86-64 and aarch64 with a system of the Unix family".into())
        } else {
            Err("this build has no code generator: the feature `native` is off".into())
        }
    }

    /// Whether code of programs that run several invocations at a time has vectors of 256 bits ([`Config::wide_vectors`]).
    pub fn has_wide_vectors(&self) -> bool {
        #[cfg(planish_native)]
        if let Some(native) = self.native() {
            return self.config().wide_vectors != WideVectors::Never && native.has_wide_vectors();
        }
        false
    }

    /// The code generator, if programs run as machine code.
    #[cfg(planish_native)]
    pub(crate) fn native(&self) -> Option<&crate::native::Native> {
        self.0.native.as_ref()
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The number of a function type, the same for equal types.
    pub(crate) fn type_id(&self, ty: &FuncType) -> u32 {
        let mut types = self.0.types.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = types.numbers.get(ty) {
            return number;
        }
        let (number, ty) = (types.types.len() as u32, Arc::new(ty.clone()));
        types.types.push(Some(Arc::clone(&ty)));
        types.numbers.insert(ty, number);
        number
    }

    /// The function type with a number; `None` if the host cannot name it.
    pub(crate) fn func_type(&self, number: u32) -> Option<Arc<FuncType>> {
        let types = self.0.types.read().unwrap_or_else(PoisonError::into_inner);
        types.types[number as usize].clone()
    }

    /// Whether it is the same engine.
    pub fn same(a: &Engine, b: &Engine) -> bool {
        Arc::ptr_eq(&a.0, &b.0)
    }
}
