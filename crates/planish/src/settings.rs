//! Settings of a compilation by name, as the command and the bindings to other languages have them.

use planish_flatten::{Leaf, OpSet, Visible};
use planish_ir::module::Stage;
use planish_opt::{LEVELS, LIMITS, PASSES, widen};

#[cfg(feature = "shaders")]
use planish_back_hlsl::ShaderModel;
#[cfg(feature = "shaders")]
use planish_back_msl::Version as MslVersion;
#[cfg(feature = "shaders")]
use planish_back_spirv::Version as SpirvVersion;
#[cfg(feature = "shaders")]
use planish_front_glsl::{WebGl, version::Version};

use crate::compiler::Options;
use crate::emit::{EmitOptions, check_triple};
use crate::flattener::{Flattener, parse_ops};
use crate::flip::FrameHeight;
use crate::kind::{Target, suggest};
use crate::levels::{Level, Levels};
use crate::optimizer::Optimizer;
use crate::prelude::{PRELUDES, Prelude};

/// Everything about a compilation but the program and its targets. The fields are what the parts of the library take; [`Settings::set`]
/// sets them by the names that the options of `planish compile` have, and `planish compile --help` describes them.
///
/// # Example
/// ```
/// use planish::Settings;
/// let mut settings = Settings::default();
/// settings.set("level", "2").unwrap();
/// settings.set("define", "COUNT=4").unwrap();
/// settings.set("minify", "true").unwrap();
/// assert!(settings.emit.minify);
/// assert_eq!(settings.set("minfy", "true").unwrap_err(), "there is no setting `minfy`; did you mean `minify`?");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Options of reading.
    pub read: Options,
    /// The levels of warnings.
    pub levels: Levels,
    /// Fragment shaders count rows from the other end of a picture of this height.
    pub flip_frag_coord: Option<FrameHeight>,
    /// The passes.
    pub optimizer: Optimizer,
    /// The functions to flatten.
    pub flattener: Flattener,
    /// Whether `fused` has been set: what a graph holds does not depend on the target then.
    pub fused: bool,
    /// Whether comments of functions, structs and variables are kept.
    pub comments: bool,
    /// Whether the output has the lines of the source ([`EmitOptions::debug_info`] is filled in when it is known).
    pub debug_info: bool,
    /// Options of writing.
    pub emit: EmitOptions,
}

impl Default for Settings {
    /// As the command has them: level 1.
    fn default() -> Self {
        let mut settings = Settings {
            read: Options::default(),
            levels: Levels::default(),
            flip_frag_coord: None,
            optimizer: Optimizer::level("1").expect("it is a level"),
            flattener: Flattener::default(),
            fused: false,
            comments: false,
            debug_info: false,
            emit: EmitOptions { optimize: true, ..EmitOptions::default() },
        };
        settings.flattener.options.visible = Visible::TEXT;
        settings
    }
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name: that of the long option of `planish compile`, or `level` for `-O`.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: SettingKind,
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// The kind of the value of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingKind {
    /// `true` or `false`.
    Flag,
    /// A text; the last one holds.
    One,
    /// A text; several are added up.
    Many,
}

type Done = Result<(), String>;

macro_rules! setting {
    (flag $name:literal, $set:expr) => {
        Setting {
            name: $name,
            kind: SettingKind::Flag,
            set: |settings, text| {
                let set: fn(&mut Settings, bool) = $set;
                set(settings, flag($name, text)?);
                Ok(())
            },
        }
    };
    ($kind:ident $name:literal, $set:expr) => {
        Setting { name: $name, kind: SettingKind::$kind, set: $set }
    };
}

/// Every setting of this build.
pub const SETTINGS: &[Setting] = &[
    setting!(One "from", |s, text| text.parse().map(|kind| s.read.from = Some(kind))),
    setting!(One "stage", |s, text| stage(text).map(|stage| s.read.stage = Some(stage))),
    setting!(Many "define", |s, text| {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        s.read.defines.push((name.into(), value.into()));
        Ok(())
    }),
    setting!(Many "prelude", |s, text| prelude(text).map(|prelude| s.read.preludes.push(prelude))),
    #[cfg(feature = "shaders")]
    setting!(One "webgl", |s, text| webgl(text).map(|webgl| s.read.webgl = webgl)),
    #[cfg(feature = "shaders")]
    setting!(One "default-version", |s, text| version(text).map(|version| s.read.default_version = version)),
    setting!(Many "leaf", |s, text| leaf(s, text)),
    setting!(Many "warn", |s, text| level_of_warnings(s, text, Level::Warn)),
    setting!(Many "allow", |s, text| level_of_warnings(s, text, Level::Allow)),
    setting!(Many "deny", |s, text| level_of_warnings(s, text, Level::Deny)),
    setting!(Many "override", |s, text| {
        pair(text, "override", "NAME=VALUE").map(|(name, value)| s.read.overrides.push((name.into(), value.into())))
    }),
    setting!(One "flip-frag-coord", |s, text| text.parse().map(|height| s.flip_frag_coord = Some(height))),
    setting!(One "level", |s, text| level(s, text)),
    setting!(One "passes", |s, text| passes(s, text)),
    setting!(flag "fast-math", |s, on| {
        s.optimizer.options.fast_math = on;
        s.flattener.options.fast_math = on;
    }),
    setting!(flag "inline-all", |s, on| s.optimizer.options.inline_all = on),
    setting!(flag "vectorize", |s, on| s.optimizer.options.vectorize = on),
    setting!(Many "limit", |s, text| limit(s, text)),
    setting!(One "flatten", |s, text| flatten(s, text)),
    setting!(flag "expand-lerp", |s, on| s.flattener.options.expand_lerp = on),
    setting!(One "fused", |s, text| fused(s, text)),
    setting!(One "ops", |s, text| parse_ops(text).map(|ops| s.set_ops(ops)).map_err(|unknown| unknown.to_string())),
    setting!(flag "comments", |s, on| s.comments = on),
    setting!(flag "debug-info", |s, on| s.debug_info = on),
    #[cfg(feature = "shaders")]
    setting!(One "glsl-version", |s, text| version(text).map(|version| s.emit.version = Some(version))),
    setting!(flag "vulkan", |s, on| s.emit.vulkan = on),
    setting!(flag "minify", |s, on| s.emit.minify = on),
    setting!(flag "flip-y", |s, on| s.emit.flip_y = on),
    setting!(flag "adjust-depth", |s, on| s.emit.adjust_depth = on),
    setting!(One "group", |s, text| {
        let group = text.parse().map_err(|_| format!("`{text}` is no group: a number from 0 on is wanted"));
        group.map(|group| s.emit.group = Some(group))
    }),
    setting!(Many "bind", |s, text| parse_place(text).map(|place| s.emit.bindings.extend([place]))),
    setting!(Many "location", |s, text| parse_location(text).map(|location| s.emit.locations.extend([location]))),
    #[cfg(feature = "shaders")]
    setting!(One "spirv-version", |s, text| {
        let version = SpirvVersion::from_name(text).ok_or(format!("there is no SPIR-V {text}; use 1.0 to 1.6"));
        version.map(|version| s.emit.spirv_version = version)
    }),
    #[cfg(feature = "shaders")]
    setting!(One "msl-version", |s, text| {
        let version = MslVersion::parse(text).ok_or(format!("there is no MSL {text}; use 2.0 to 2.4, or 3.0 to 3.2"));
        version.map(|version| s.emit.msl_version = version)
    }),
    setting!(Many "msl-index", |s, text| {
        let (name, number) = pair(text, "msl-index", "NAME=NUMBER")?;
        let number = number.parse().map_err(|_| wanted("msl-index", "NAME=NUMBER", text))?;
        s.emit.msl_indices.insert(name.into(), number);
        Ok(())
    }),
    setting!(flag "msl-argument-buffers", |s, on| s.emit.msl_argument_buffers = on),
    #[cfg(feature = "shaders")]
    setting!(One "shader-model", |s, text| {
        let model = ShaderModel::parse(text);
        let model = model.ok_or(format!("there is no shader model {text}; use 5.0, 5.1, 6.0 to 6.6"));
        model.map(|model| s.emit.shader_model = model)
    }),
    setting!(Many "uniform", |s, text| {
        let (name, value) = pair(text, "uniform", "NAME=VALUE")?;
        s.emit.defaults.insert(name.into(), value.into());
        Ok(())
    }),
    setting!(Many "hint", |s, text| match text.split_once('=') {
        Some((name, "color" | "colour")) => {
            s.emit.colors.push(name.into());
            Ok(())
        }
        _ => Err(wanted("hint", "NAME=color", text)),
    }),
    setting!(One "target", |s, text| triple(text).map(|()| s.emit.triple = Some(text.into()))),
    setting!(One "prefix", |s, text| {
        s.emit.prefix = text.into();
        Ok(())
    }),
    setting!(One "lanes", |s, text| parse_lanes(text).map(|lanes| s.emit.lanes = Some(lanes))),
    setting!(flag "approximate", |s, on| s.emit.approximate = on),
];

impl Settings {
    /// Sets a setting of [`SETTINGS`] by its name; `_` is as good as `-`.
    ///
    /// # Errors
    /// An unknown name, or a value that is none of the setting's, in words for the user.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let known = name.replace('_', "-");
        match SETTINGS.iter().find(|setting| setting.name == known) {
            Some(setting) => (setting.set)(self, value),
            None => Err(format!("there is no setting `{name}`{}", suggest(&known, SETTINGS.iter().map(|s| s.name)))),
        }
    }

    /// The ops that a graph may hold.
    pub fn set_ops(&mut self, ops: OpSet) {
        self.emit.ops = Some(ops.clone());
        self.flattener.options.ops = Some(ops);
    }

    /// The same for one target: what is not set, and differs from target to target.
    #[must_use]
    pub fn for_target(&self, target: Target) -> Settings {
        let mut own = self.clone();
        if target.is_graph() {
            own.fuse_for_graphs();
        }
        // Names are a third of some modules.
        let wants_small = matches!(target, Target::Wasm | Target::Wat) && !self.debug_info;
        own.emit.minify |= wants_small && self.optimizer.is_for_size();
        if own.emit.prefix.is_empty() && (target.is_object() || target == Target::C) {
            own.emit.prefix = "program".into();
        }
        own
    }

    /// Uses all operations that a graph supports, unless they have been set.
    pub fn fuse_for_graphs(&mut self) {
        if !self.fused {
            self.flattener.options.visible = Visible::ALL;
            self.flattener.options.pack = true;
        }
    }

    /// The flattener, with the limits and ops of the other settings.
    pub fn flattener(&self) -> Flattener {
        let mut flattener = self.flattener.clone();
        flattener.options.limits = self.optimizer.options.limits;
        if let Some(ops) = &flattener.options.ops {
            flattener.options.visible = flattener.options.visible.among(ops);
        }
        flattener
    }
}

fn wanted(setting: &str, form: &str, text: &str) -> String {
    format!("`{setting}` takes {form}, not `{text}`")
}

fn pair<'t>(text: &'t str, setting: &str, form: &str) -> Result<(&'t str, &'t str), String> {
    text.split_once('=').ok_or_else(|| wanted(setting, form, text))
}

fn flag(setting: &str, text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| wanted(setting, "`true` or `false`", text))
}

fn stage(text: &str) -> Result<Stage, String> {
    let of_text = || Stage::ALL.into_iter().filter(|stage| stage.file_extension().is_some());
    of_text().find(|stage| stage.name() == text || stage.file_extension() == Some(text)).ok_or_else(|| {
        let names: Vec<&str> = of_text().map(Stage::name).collect();
        let (last, first) = names.split_last().expect("there are stages");
        format!("there is no stage `{text}`; there are {} and {last}", first.join(", "))
    })
}

fn prelude(text: &str) -> Result<Prelude, String> {
    Prelude::from_name(text).ok_or_else(|| {
        let names = || PRELUDES.iter().map(|(name, _)| *name);
        let there = names().collect::<Vec<_>>().join(" and ");
        format!("there is no prelude `{text}`{}; there are {there}", suggest(text, names()))
    })
}

#[cfg(feature = "shaders")]
fn webgl(text: &str) -> Result<WebGl, String> {
    Ok(match text {
        "any" => WebGl::Rules,
        "1" => WebGl::One,
        "2" => WebGl::Two,
        _ => return Err(format!("there is no WebGL `{text}`; there are any, 1 and 2")),
    })
}

/// A GLSL version as `300es`, `es300`, `300 es`, `450`.
#[cfg(feature = "shaders")]
fn version(text: &str) -> Result<Version, String> {
    let known = "there are 100es, 300es, 310es, 320es and 110 to 460";
    Version::parse(text).ok_or_else(|| format!("`{text}` is no GLSL version; {known}"))
}

fn leaf(settings: &mut Settings, text: &str) -> Done {
    let wanted = || format!("`{text}` is no leaf: write FUNCTION, or FUNCTION:barrier");
    let leaf = Leaf::parse(text).ok_or_else(wanted)?;
    settings.read.leaves.push(leaf.name.clone());
    settings.emit.leaves.push(leaf.name.clone());
    settings.flattener.options.leaves.push(leaf);
    Ok(())
}

/// Names of warnings with commas between them.
fn level_of_warnings(settings: &mut Settings, text: &str, level: Level) -> Done {
    text.split(',').filter(|name| !name.is_empty()).try_for_each(|name| settings.levels.set(name.trim(), level))
}

fn level(settings: &mut Settings, text: &str) -> Done {
    let Some(optimizer) = Optimizer::level(text) else {
        return Err(format!("there is no optimization level `{text}`; there are {}", LEVELS.join(", ")));
    };
    settings.optimizer.passes = optimizer.passes;
    settings.optimizer.options.goal = optimizer.options.goal;
    settings.emit.optimize = text != "0";
    Ok(())
}

fn passes(settings: &mut Settings, text: &str) -> Done {
    let pass = |name: &str| {
        let no_pass = || format!("there is no pass `{name}`{}", suggest(name, PASSES.iter().map(|pass| pass.name)));
        PASSES.iter().find(|pass| pass.name == name).ok_or_else(no_pass)
    };
    settings.optimizer.passes = text.split(',').filter(|name| !name.is_empty()).map(pass).collect::<Result<_, _>>()?;
    Ok(())
}

fn limit(settings: &mut Settings, text: &str) -> Done {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    let found = LIMITS.iter().find(|limit| limit.name == name.replace('-', "_"));
    let no_limit = || format!("there is no limit `{name}`{}", suggest(name, LIMITS.iter().map(|limit| limit.name)));
    let limit = found.ok_or_else(no_limit)?;
    let value = value.parse().map_err(|_| format!("`{value}` is no value of `{name}`: a number"))?;
    limit.set(&mut settings.optimizer.options.limits, value);
    Ok(())
}

/// Functions with commas between them; none for the entry points.
fn flatten(settings: &mut Settings, text: &str) -> Done {
    let functions: Vec<String> = text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    settings.emit.function = match &functions[..] {
        [one] => Some(one.clone()),
        _ => None,
    };
    settings.flattener.entry_points = functions.is_empty();
    settings.flattener.functions = functions;
    Ok(())
}

fn fused(settings: &mut Settings, text: &str) -> Done {
    let (mut visible, mut pack) = (Visible::NONE, false);
    for name in text.split(',').filter(|name| !name.is_empty()) {
        match name {
            "mad" => visible.mad = true,
            "lerp" => visible.lerp = true,
            "dot" => visible.dot = true,
            "hadd" => visible.hadd = true,
            "hmin" => visible.hmin = true,
            "hmax" => visible.hmax = true,
            "pack" => pack = true,
            _ => return Err(format!("`{name}` is none of mad, lerp, dot, hadd, hmin, hmax and pack")),
        }
    }
    settings.flattener.options.visible = visible;
    settings.flattener.options.pack = pack;
    settings.fused = true;
    Ok(())
}

/// Group and binding of a resource, as `albedo=0:3`.
///
/// # Errors
/// The form that is wanted.
pub fn parse_place(text: &str) -> Result<(String, (u32, u32)), String> {
    let wanted = "a name, a group and a binding are wanted, as in `albedo=0:3`";
    let (name, (group, binding)) = text
        .split_once('=')
        .and_then(|(name, at)| Some((name, at.split_once(':')?)))
        .filter(|(name, _)| !name.is_empty())
        .ok_or(wanted)?;
    match (group.parse(), binding.parse()) {
        (Ok(group), Ok(binding)) => Ok((name.to_owned(), (group, binding))),
        _ => Err(wanted.into()),
    }
}

/// The location of a varying, as `position=0`.
///
/// # Errors
/// The form that is wanted.
pub fn parse_location(text: &str) -> Result<(String, u32), String> {
    let wanted = "a name and a number are wanted, as in `position=0`";
    let (name, at) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(wanted)?;
    at.parse().map(|at| (name.to_owned(), at)).map_err(|_| wanted.into())
}

/// Number of invocations in a batch.
///
/// # Errors
/// The numbers that are possible.
pub fn parse_lanes(text: &str) -> Result<u8, String> {
    let known = |n: &u8| widen::LANES.contains(n);
    text.parse().ok().filter(known).ok_or_else(|| "4, 8 or 16 are possible".into())
}

fn triple(text: &str) -> Done {
    check_triple(text).map_err(|reason| {
        let examples = "`x86_64-unknown-linux-gnu`, `aarch64-apple-darwin`, `x86_64-pc-windows-msvc`";
        format!("no object files for `{text}`: {reason}; names are as in {examples}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_has_one_name() {
        for (at, setting) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS[..at].iter().all(|other| other.name != setting.name), "{}", setting.name);
        }
    }

    #[test]
    fn flags_are_true_or_false() {
        for setting in SETTINGS.iter().filter(|setting| setting.kind == SettingKind::Flag) {
            let mut settings = Settings::default();
            let changed = |settings: &Settings| format!("{settings:?}") != format!("{:?}", Settings::default());
            settings.set(setting.name, "true").expect("a flag");
            assert!(changed(&settings), "{} does nothing", setting.name);
            settings.set(setting.name, "false").expect("a flag");
            assert!(!changed(&settings), "{} cannot be undone", setting.name);
            let message = settings.set(setting.name, "yes").expect_err("neither");
            assert_eq!(message, format!("`{}` takes `true` or `false`, not `yes`", setting.name));
        }
    }

    #[test]
    fn values_are_checked() {
        let set = |name: &str, value: &str| Settings::default().set(name, value).err();
        let wrong = [
            ("from", "gsl", "unknown language `gsl`; did you mean `glsl`?"),
            (
                "stage",
                "tess",
                "there is no stage `tess`; there are vertex, tessellation_control, tessellation_evaluation, geometry, fragment, compute, task, mesh, ray_generation, intersection, any_hit, closest_hit, miss and callable",
            ),
            ("level", "9", "there is no optimization level `9`; there are 0, 1, 2, s"),
            ("limit", "unrol_iterations=8", "there is no limit `unrol_iterations`; did you mean `unroll_iterations`?"),
            ("override", "COUNT", "`override` takes NAME=VALUE, not `COUNT`"),
            ("bind", "a=1", "a name, a group and a binding are wanted, as in `albedo=0:3`"),
            ("lanes", "5", "4, 8 or 16 are possible"),
            ("fused", "mul", "`mul` is none of mad, lerp, dot, hadd, hmin, hmax and pack"),
            ("deny", "unused-variabel", "there is no warning `unused-variabel`; did you mean `unused-variable`?"),
        ];
        for (name, value, message) in wrong {
            assert_eq!(set(name, value).as_deref(), Some(message), "{name}");
        }
        assert_eq!(set("glsl_version", "300es"), None);
    }

    #[test]
    fn a_level_keeps_what_else_is_set() {
        let mut settings = Settings::default();
        settings.set("limit", "unroll-iterations=3").unwrap();
        settings.set("fast-math", "true").unwrap();
        settings.set("level", "s").unwrap();
        assert_eq!(settings.optimizer.options.limits.unroll_iterations, 3);
        assert!(settings.optimizer.options.fast_math && settings.optimizer.is_for_size());
    }
}
