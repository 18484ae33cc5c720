//! `planish run --pixel`, `--trace`, `--heat`.

use crate::common::{Folder, text};

const SHADER: &str = "#version 300 es
precision highp float;
in vec2 uv;
out vec4 color;
struct Light { vec3 position; float power; };
float wave(float x, int n) {
    float sum = 0.0;
    for (int i = 0; i < n; i++) sum += x * float(i);
    return sum;
}
void main() {
    Light lights[2];
    lights[1].position.zy = uv;
    lights[1].power = wave(uv.x, 2);
    if (uv.y > 0.5)
        discard;
    color = vec4(lights[1].power, uv, 1.0);
}
";

const LISTING: &str = "a.frag:13: lights[1].position.zy = uv;
    lights[1].position.zy = [0.25,0.25]
a.frag:14: lights[1].power = wave(uv.x, 2);
    wave(0.25, 2)
  a.frag:8: for (int i = 0; i < n; i++) sum += x * float(i);
      true
      sum = 0.0
      i = 1
      true
      sum = 0.25
      i = 2
      false
  a.frag:9: return sum;
      return 0.25
a.frag:14: lights[1].power = wave(uv.x, 2);
    lights[1].power = 0.25
a.frag:15: if (uv.y > 0.5)
    false
a.frag:17: color = vec4(lights[1].power, uv, 1.0);
    color = [0.25,0.25,0.25,1.0]
    return
";

#[test]
fn a_pixel_tells_what_it_does() {
    let folder = Folder::new("trace");
    folder.write("a.frag", SHADER);
    let run = |args: &[&str]| folder.planish(&[&["run", "a.frag", "--size=2x2"], args].concat(), "");
    let output = run(&["--pixel=0,1", "--trace"]);
    let listing = text(&output.stdout);
    let (events, end) = listing.rsplit_once("{\"pixel\"").expect("it ends with the pixel");
    assert_eq!(events, LISTING, "{}", text(&output.stderr));
    assert!(end.starts_with(":[0,1],\"value\":[0.25,0.25,0.25,1.0],\"cost\":"), "{end}");
    let output = run(&["--pixel=0,1"]);
    assert_eq!(text(&output.stdout), format!("{{\"pixel\"{end}"));
    let output = run(&["--pixel=1,0", "--trace"]);
    assert!(text(&output.stdout).ends_with("    true\na.frag:16: discard;\n    discard\ndiscarded\n"), "{output:?}");
    let output = run(&["--pixel=0,1", "--trace", "--message-format=json"]);
    let objects: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let store = serde_json::json!({"depth": 1, "what": "store", "values": [[0.25, 0.25]], "name": "lights[1].position.zy",
        "file": "a.frag", "line": 13, "column": 5});
    assert_eq!(objects[0], store);
    assert_eq!(objects.len(), 15);
}

#[test]
fn costs_are_a_picture() {
    let folder = Folder::new("heat");
    folder.write("a.frag", SHADER);
    let output = folder.planish(&["run", "a.frag", "--heat", "--size=8x8", "-o", "heat.png"], "");
    let message = text(&output.stderr);
    assert!(message.starts_with("64 pixels: ") && message.contains("nodes of the IR each"), "{message}");
    assert!(std::fs::read(folder.path().join("heat.png")).expect("is there").starts_with(b"\x89PNG"));
}

#[test]
fn what_has_no_pixels_is_refused() {
    let folder = Folder::new("trace-wrong");
    folder.write("a.frag", SHADER);
    folder.write("endless.frag", "precision highp float;\nuniform float x;\nvoid main() { float a = 0.0; while (x < 2.0) a += 1.0; gl_FragColor = vec4(a); }\n");
    folder.write("a.comp", "#version 310 es\nlayout(local_size_x = 1) in;\nvoid main() {}\n");
    let error = |args: &[&str], status| {
        let output = folder.planish(&[&["run"], args].concat(), "");
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    assert!(
        error(&["a.frag", "--pixel=2,0", "--size=2x2"], 2)
            .contains("the pixel 2,0 is outside of the picture, which has 2x2")
    );
    assert!(error(&["a.frag", "--pixel=2"], 2).contains("write X,Y"));
    assert!(error(&["a.frag", "--trace"], 2).contains("--pixel"));
    assert!(error(&["a.frag", "--heat"], 2).contains("Give -o FILE.png"));
    assert!(error(&["a.comp", "--pixel=0,0"], 2).contains("--pixel is for fragment shaders"));
    let message = error(&["endless.frag", "--pixel=0,0", "--trace", "--fuel=10000"], 1);
    assert!(message.contains("error[E1303]"), "{message}");
}
