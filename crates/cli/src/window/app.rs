//! The window: its events become wishes, pictures are shown.

use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, WindowEvent};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use super::{Frame, Message, Shared};
use crate::Stop;

/// The window's surface, which pixels are copied to.
type Surface = softbuffer::Surface<Rc<Window>, Rc<Window>>;

/// The state of the window.
pub(super) struct App {
    shared: Arc<Shared>,
    size: [u32; 2],
    open: Option<(Rc<Window>, Surface)>,
    frame: Option<Frame>,
    /// The end by the worker; `None` if the user closed the window.
    pub(super) ended: Option<Option<Result<(), Stop>>>,
}

impl App {
    pub(super) fn new(shared: Arc<Shared>, size: [u32; 2]) -> Self {
        App { shared, size, open: None, frame: None, ended: None }
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), String> {
        let [width, height] = self.size;
        let attributes =
            Window::default_attributes().with_title("planish").with_inner_size(PhysicalSize::new(width, height));
        let window = Rc::new(event_loop.create_window(attributes).map_err(|error| error.to_string())?);
        let context = softbuffer::Context::new(Rc::clone(&window)).map_err(|error| error.to_string())?;
        let surface = Surface::new(&context, Rc::clone(&window)).map_err(|error| error.to_string())?;
        let size = window.inner_size();
        self.resize([size.width, size.height]);
        self.open = Some((window, surface));
        Ok(())
    }

    fn resize(&mut self, [width, height]: [u32; 2]) {
        // A minimized window has no size on some systems; it keeps its last picture.
        if width > 0 && height > 0 {
            self.shared.change(|wishes| wishes.size = [width, height]);
        }
    }

    /// Copies the last picture to the window.
    fn show(&mut self) -> Result<(), String> {
        let (Some((window, surface)), Some(frame)) = (&mut self.open, &self.frame) else { return Ok(()) };
        let size = window.inner_size();
        let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
            return Ok(());
        };
        surface.resize(width, height).map_err(|error| error.to_string())?;
        let mut buffer = surface.buffer_mut().map_err(|error| error.to_string())?;
        crop(frame, [size.width, size.height], &mut buffer);
        buffer.present().map_err(|error| error.to_string())
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) {
        if event.state != ElementState::Pressed || event.repeat {
            return;
        }
        match event.logical_key.as_ref() {
            Key::Named(NamedKey::Escape) => event_loop.exit(),
            Key::Named(NamedKey::Space) => self.shared.change(|wishes| wishes.paused = !wishes.paused),
            Key::Character("r" | "R") => self.shared.change(|wishes| wishes.restart = true),
            Key::Character("s" | "S") => self.shared.change(|wishes| wishes.save = true),
            _ => {}
        }
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, why: &str) {
        self.ended = Some(Some(Err(Stop::usage(format!("the window failed: {why}")))));
        event_loop.exit();
    }
}

/// Copies the part of a picture that a window of this size shows, its top left corner first; the rest is black. The sizes differ after
/// a resize, until the next picture.
fn crop(frame: &Frame, [width, height]: [u32; 2], buffer: &mut [u32]) {
    let [own_width, own_height] = frame.size;
    buffer.fill(0);
    let columns = own_width.min(width) as usize;
    for row in 0..own_height.min(height) as usize {
        let from = &frame.pixels[row * own_width as usize..][..columns];
        buffer[row * width as usize..][..columns].copy_from_slice(from);
    }
}

impl ApplicationHandler<Message> for App {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn user_event(&mut self, event_loop: &ActiveEventLoop, message: Message) {
        match message {
            Message::Ready => {
                if let Err(why) = self.open(event_loop) {
                    self.fail(event_loop, &why);
                }
            }
            Message::Frame(frame) => {
                if let Some((window, _)) = &self.open {
                    if self.frame.as_ref().is_none_or(|last| last.title != frame.title) {
                        window.set_title(&frame.title);
                    }
                    window.request_redraw();
                }
                self.frame = Some(frame);
            }
            Message::Ended(result) => {
                self.ended = Some(result);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => event_loop.exit(),
            WindowEvent::Resized(size) => self.resize([size.width, size.height]),
            WindowEvent::RedrawRequested => {
                let shown = self.show();
                self.shared.change(|wishes| wishes.in_flight = false);
                if let Err(why) = shown {
                    self.fail(event_loop, &why);
                }
            }
            WindowEvent::KeyboardInput { event, .. } => self.key(event_loop, &event),
            WindowEvent::CursorMoved { position, .. } => {
                self.shared.change(|wishes| wishes.mouse.move_to([position.x, position.y], wishes.size));
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                self.shared.change(|wishes| match state {
                    ElementState::Pressed => wishes.mouse.press(),
                    ElementState::Released => wishes.mouse.release(),
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_another_size_is_cropped_or_framed() {
        let frame = Frame { size: [2, 2], pixels: vec![1, 2, 3, 4], title: String::new() };
        let mut wider = [9; 6];
        crop(&frame, [3, 2], &mut wider);
        assert_eq!(wider, [1, 2, 0, 3, 4, 0]);
        let mut lower = [9; 2];
        crop(&frame, [2, 1], &mut lower);
        assert_eq!(lower, [1, 2]);
    }
}
