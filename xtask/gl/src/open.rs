//! Opening the GPU: an EGL context of Mesa's surfaceless platform.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;

use khronos_egl as egl;

use crate::draw::Object;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// `EGL_PLATFORM_SURFACELESS_MESA`, of the extension `EGL_MESA_platform_surfaceless`.
const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;

/// The shading language of a context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Api {
    /// OpenGL ES 3: GLSL ES 1.00, 3.00, 3.10, 3.20.
    Es,
    /// Desktop OpenGL with its compatibility profile: GLSL 1.10 to 4.x.
    Desktop,
}

/// Why there is no GPU.
#[derive(Debug)]
pub enum OpenError {
    /// There is no EGL library, or it is older than 1.5.
    NoLibrary(String),
    /// EGL is available, but cannot create such a context.
    NoContext(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::NoLibrary(why) => write!(f, "libEGL 1.5 does not load: {why}"),
            OpenError::NoContext(why) => write!(f, "EGL gives no surfaceless context: {why}"),
        }
    }
}

impl Error for OpenError {}

/// A GPU with a context of its own. It stays on the thread that opened it.
pub struct Gpu {
    pub(crate) gl: glow::Context,
    pub(crate) made: RefCell<Vec<Object>>,
    context: egl::Context,
    display: egl::Display,
    egl: Egl,
}

impl Gpu {
    /// Opens a context on EGL's default driver. To get Mesa's software renderer on a machine with a graphics card, set
    /// `LIBGL_ALWAYS_SOFTWARE=1` in the environment.
    pub fn open(api: Api) -> Result<Gpu, OpenError> {
        // SAFETY: libEGL.so.1 is the system's EGL, whose functions have the types defined by EGL 1.5.
        let egl = unsafe { Egl::load_required() }.map_err(|e| OpenError::NoLibrary(e.to_string()))?;
        let no_context = |e: egl::Error| OpenError::NoContext(e.to_string());
        // SAFETY: the surfaceless platform's default display is a null pointer.
        let display =
            unsafe { egl.get_platform_display(PLATFORM_SURFACELESS, egl::DEFAULT_DISPLAY, &[egl::ATTRIB_NONE]) }
                .map_err(no_context)?;
        egl.initialize(display).map_err(no_context)?;
        let context = create_context(&egl, display, api).map_err(no_context)?;
        egl.make_current(display, None, None, Some(context)).map_err(no_context)?;
        let loader = |name: &str| egl.get_proc_address(name).map_or(std::ptr::null(), |f| f as *const _);
        // SAFETY: the context is current on this thread, and EGL resolves OpenGL's functions by name.
        let gl = unsafe { glow::Context::from_loader_function(loader) };
        Ok(Gpu { gl, made: RefCell::default(), context, display, egl })
    }

    /// The renderer and its version: `llvmpipe (LLVM 15.0.6, 256 bits), OpenGL ES 3.2 Mesa 22.3.6`.
    pub fn renderer(&self) -> String {
        use glow::HasContext;
        self.enter();
        // SAFETY: the context is current; both names are of strings that every context has.
        let [renderer, version] =
            [glow::RENDERER, glow::VERSION].map(|name| unsafe { self.gl.get_parameter_string(name) });
        format!("{renderer}, {version}")
    }

    /// Makes the context current: there may be several on one thread.
    pub(crate) fn enter(&self) {
        let current = self.egl.make_current(self.display, None, None, Some(self.context));
        current.expect("a context that was current once can be again");
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // The display is shared by all contexts of the process, so it is not terminated.
        let _ = self.egl.make_current(self.display, None, None, None);
        let _ = self.egl.destroy_context(self.display, self.context);
    }
}

fn create_context(egl: &Egl, display: egl::Display, api: Api) -> Result<egl::Context, egl::Error> {
    let (bound, renderable) = match api {
        Api::Es => (egl::OPENGL_ES_API, egl::OPENGL_ES3_BIT),
        Api::Desktop => (egl::OPENGL_API, egl::OPENGL_BIT),
    };
    egl.bind_api(bound)?;
    let wanted = [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, renderable, egl::NONE];
    let config = egl.choose_first_config(display, &wanted)?.ok_or(egl::Error::BadConfig)?;
    let es = [egl::CONTEXT_MAJOR_VERSION, 3, egl::NONE];
    let profile = [
        egl::CONTEXT_MAJOR_VERSION,
        3,
        egl::CONTEXT_MINOR_VERSION,
        3,
        egl::CONTEXT_OPENGL_PROFILE_MASK,
        egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
        egl::NONE,
    ];
    let attributes = if api == Api::Es { &es[..] } else { &profile[..] };
    egl.create_context(display, config, None, attributes)
}
