//! The mouse as uniforms have it: pixels from the lower left.

/// Position and button of the mouse.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Mouse {
    /// The pixel that it is on.
    at: [f32; 2],
    /// The pixel where it was last with the button pressed.
    drag: [f32; 2],
    /// The pixel of the last click.
    click: [f32; 2],
    pressed: bool,
    /// The button has been pressed since the last picture.
    pub(super) clicked: bool,
}

impl Mouse {
    /// Moves it to a place counted from the top left of a window.
    pub(super) fn move_to(&mut self, [x, y]: [f64; 2], [width, height]: [u32; 2]) {
        let inside = |place: f64, size: u32| place.floor().clamp(0.0, f64::from(size.max(1) - 1));
        let top = f64::from(height.max(1) - 1);
        self.at = [inside(x, width) as f32, (top - inside(y, height)) as f32];
        if self.pressed {
            self.drag = self.at;
        }
    }

    /// Presses the button.
    pub(super) fn press(&mut self) {
        (self.pressed, self.clicked) = (true, true);
        (self.drag, self.click) = (self.at, self.at);
    }

    /// Releases the button.
    pub(super) fn release(&mut self) {
        self.pressed = false;
    }

    /// The four components of a uniform. As on Shadertoy, the last two are the place of the last click: z is negative when the button
    /// is released, w but for the first picture after the click. The first two are the place of the mouse; `dragged`: where it was
    /// last with the button pressed.
    pub(super) fn uniform(&self, dragged: bool) -> [f32; 4] {
        let [x, y] = if dragged { self.drag } else { self.at };
        let sign = |on: bool| if on { 1.0 } else { -1.0 };
        [x, y, self.click[0] * sign(self.pressed), self.click[1] * sign(self.clicked)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_the_bottom() {
        let mut mouse = Mouse::default();
        mouse.move_to([3.7, 0.0], [10, 20]);
        assert_eq!(mouse.uniform(false)[..2], [3.0, 19.0]);
        mouse.move_to([-5.0, 19.5], [10, 20]);
        assert_eq!(mouse.uniform(false)[..2], [0.0, 0.0]);
    }

    #[test]
    fn a_drag_keeps_the_click_and_its_signs() {
        let mut mouse = Mouse::default();
        mouse.move_to([4.0, 9.0], [10, 10]);
        assert_eq!(mouse.uniform(true)[..2], [0.0, 0.0]);
        mouse.move_to([4.0, 8.0], [10, 10]);
        mouse.press();
        assert_eq!(mouse.uniform(true), [4.0, 1.0, 4.0, 1.0]);
        mouse.clicked = false;
        mouse.move_to([6.0, 7.0], [10, 10]);
        assert_eq!(mouse.uniform(true), [6.0, 2.0, 4.0, -1.0]);
        mouse.release();
        mouse.move_to([9.0, 7.0], [10, 10]);
        assert_eq!(mouse.uniform(true), [6.0, 2.0, -4.0, -1.0]);
        assert_eq!(mouse.uniform(false)[..2], [9.0, 2.0]);
    }
}
