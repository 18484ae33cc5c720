//! `cargo xtask pages`: the page of registers and that of a flow analysis, opened in headless Chromium.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Failure, build, built, root, skip, target_folder};

/// Writes into the page itself what a reader would see: lines of code beside their line of the drawing, copies that are
/// marked and have an arrow, and bars within the drawing.
const REGISTERS: &str = "<script>
const box = e => e.getBoundingClientRect(), said = [];
document.querySelectorAll('.function').forEach(f => {
    const svg = f.querySelector('svg'), lines = [...f.querySelectorAll('li')];
    const rows = [...svg.querySelectorAll('.row')].map(e => box(e).top);
    const apart = rows.map((y, i) => Math.abs(y - box(lines[i + 1]).top)).filter(d => d > 1).length;
    const inside = e => { const a = box(e), b = box(svg);
        return a.width > 3 && a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom; };
    const arrows = [...svg.querySelectorAll('.head')], copies = [...f.querySelectorAll('li.copy')];
    const beside = arrows.filter((e, i) => Math.abs(box(e).top + 4 - box(copies[i]).top - 9) <= 1).length;
    const places = new Set([...f.querySelectorAll('li span')].map(e => box(e).left)).size;
    said.push([f.previousElementSibling.previousElementSibling.textContent, lines.length, rows.length, apart, copies.length,
        arrows.length, beside, [...svg.querySelectorAll('text')].length, [...svg.querySelectorAll('rect')].every(inside),
        svg.querySelectorAll('rect').length > 2, places].join(' '));
});
document.body.innerHTML = '<pre>' + said.map(s => 'SEEN ' + s).join('\\n') + '</pre>';
</script>";

/// Steps back through an analysis, and writes into the page what a reader would see at the end, at the beginning, and
/// in the text at the step that evaluates `iterate`.
const STEPS: &str = "<script>
const said = [], rows = () => [...document.querySelectorAll('tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim());
said.push(...rows());
let marked = '';
while (+slider.value > 1) {
    move(-1);
    if ($('said').textContent.startsWith('iterate')) marked = document.querySelector('mark').textContent.split('\\n')[0];
}
said.push($('count').textContent, $('said').textContent, marked);
document.body.innerHTML = '<pre>' + said.map(s => 'SEEN ' + s.replaceAll('<', '&lt;')).join('\\n') + '</pre>';
</script>";

/// The analysis of the Mandelbrot set for the user's procedures, as extracted by [`STEPS`].
const MANDELBROT: [&str; 11] = [
    "the program ↦ closure1",
    "c:*, (ℝ . ℝ), ℝ, ℝ ↦ (ℝ . ℝ)",
    "magnitude, ℝ, ℝ ↦ ℝ",
    "mandelbrot? [c:0: (ℝ . ℝ)], ℝ, ℝ ↦ 𝔹",
    "step, ℝ, ℝ ↦ closure2",
    "iterate, ℝ, closure2, ℝ, ℝ ↦ (ℝ . ℝ)",
    "step [c: (ℝ . ℝ)], ℝ, ℝ ↦ (ℝ . ℝ)",
    "c:+, (ℝ . ℝ), ℝ, ℝ ↦ (ℝ . ℝ)",
    "step 1 of 16",
    "the program is met for the first time.",
    "(define (iterate count f x)",
];

/// Writes the pages and renders them in the browser; the pictures are left in `target/pages`.
///
/// # Errors
/// If something is misplaced; in continuous integration also if there is no Chromium.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("pages");
    fs::create_dir_all(&folder)?;
    build(&["planish-cli"])?;
    // Name, lines, rows between them, number of those that are separated; copies, arrows, number of those beside their
    // copy; columns; bars inside, several; columns of source positions.
    let registers = ["gcd f0 9 8 0 3 3 3 3 true true 1", "fib f1 8 7 0 0 0 0 3 true true 1"];
    look(&folder, "alloc.html", &["-O1", "--verify", "xtask/pages/two.wat"], REGISTERS, &registers)?;
    look(&folder, "mandelbrot.analysis.html", &["examples/vl/mandelbrot.vl"], STEPS, &MANDELBROT)
}

/// Writes a page by the command, and compares the output of its script.
fn look(folder: &Path, name: &str, args: &[&str], script: &str, expected: &[&str]) -> Result<(), Failure> {
    let (page, scripted) = (folder.join(name), folder.join(format!("scripted.{name}")));
    let mut planish = Command::new(built("planish"));
    planish.arg("compile").args(args);
    if !planish.arg("-o").arg(&page).current_dir(root()).status()?.success() {
        return Err(Failure::Broken(format!("{name} is not written")));
    }
    let text = fs::read_to_string(&page)?;
    fs::write(&scripted, format!("{text}{script}"))?;
    let Some(dom) = chromium(&["--dump-dom"], &scripted) else {
        return skip("there is no `chromium` that starts; on Debian: apt-get install chromium");
    };
    let picture = folder.join(name).with_extension("png");
    chromium(&["--window-size=1000,700", &format!("--screenshot={}", picture.display())], &page);
    let seen: Vec<&str> = dom.lines().filter_map(|line| line.split("SEEN ").nth(1)?.split("</pre>").next()).collect();
    if seen != expected {
        return Err(Failure::Broken(format!("{name} shows {seen:#?}, not {expected:#?}\n{dom}")));
    }
    println!("{name} shows what it should: {}", picture.display());
    Ok(())
}

/// The browser's output, if it is installed.
fn chromium(options: &[&str], page: &Path) -> Option<String> {
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]).args(options).arg(page);
    let output = browser.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
