//! `cargo xtask pages`: the page of registers, opened in headless Chromium.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Failure, root, skip, target_folder};

/// Says in the page itself what a reader would see: lines of code that stand beside their line of the drawing, copies that are
/// marked and have an arrow, and bars within the drawing.
const JUDGE: &str = "<script>
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
document.body.innerHTML = '<pre>' + said.map(s => 'JUDGED ' + s).join('\\n') + '</pre>';
</script>";

/// Writes the page of two functions, and looks at it in the browser; the pictures stay in `target/pages`.
///
/// # Errors
/// If something is not where it should be; in continuous integration, too, if there is no Chromium.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("pages");
    fs::create_dir_all(&folder)?;
    let (page, judged) = (folder.join("alloc.html"), folder.join("judged.html"));
    let mut planish = Command::new(env!("CARGO"));
    planish.args(["run", "--quiet", "--package", "planish-cli", "--", "compile", "-O1", "--verify"]);
    planish.arg(root().join("xtask/pages/two.wat")).arg("-o").arg(&page).current_dir(root());
    if !planish.status()?.success() {
        return Err(Failure::Broken("the page is not written".into()));
    }
    let text = fs::read_to_string(&page)?;
    fs::write(&judged, format!("{text}{JUDGE}"))?;
    let Some(dom) = chromium(&["--dump-dom"], &judged) else {
        return skip("there is no `chromium` that starts; on Debian: apt-get install chromium");
    };
    chromium(&["--window-size=1000,700", &format!("--screenshot={}", folder.join("alloc.png").display())], &page);
    let seen: Vec<&str> = dom.lines().filter_map(|line| line.split("JUDGED ").nth(1)?.split("</pre>").next()).collect();
    // Name, lines, rows between them, of those apart; copies, arrows, of those beside; columns; bars inside, several;
    // columns of places in the source.
    let expected = ["gcd f0 9 8 0 3 3 3 3 true true 1", "fib f1 8 7 0 0 0 0 3 true true 1"];
    if seen != expected {
        return Err(Failure::Broken(format!("the page shows {seen:#?}, not {expected:#?}\n{dom}")));
    }
    println!("the page of registers shows what it should: {}", folder.join("alloc.png").display());
    Ok(())
}

/// What the browser prints, if it is there.
fn chromium(options: &[&str], page: &Path) -> Option<String> {
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]).args(options).arg(page);
    let output = browser.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
