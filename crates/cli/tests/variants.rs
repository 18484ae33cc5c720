//! `planish compile --variants`: all combinations of the values of macros and specialization constants.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::common::{Folder, text};

const SHADER: &str = "#version 300 es
#extension GL_GOOGLE_include_directive : enable
precision highp float;
#include <lib.glsl>
in vec2 uv;
out vec4 color;
#ifdef FOG
uniform float density;
#endif
void main() {
    color = vec4(uv, float(LIGHTS), 1.0);
#ifdef FOG
    color = mix(color, vec4(0.5), density);
#endif
#if LIGHTS == 2 && defined(FOG)
    color = undeclared;
#endif
}
";

const VALUES: &str = "[define]\nFOG = [false, true]\nLIGHTS = [0, 1, 2]\nUNUSED = [false, 'text']\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("uber.frag", SHADER);
    folder.write("lib.glsl", "float unused_function(float x) { return x; }\n");
    folder.write("v.toml", VALUES);
    folder
}

const COMPILE: [&str; 8] = [
    "compile",
    "uber.frag",
    "--variants=v.toml",
    "--emit=wgsl,spirv",
    "--out-dir=out",
    "-O2",
    "-I.",
    "--depfile=out.d",
];

/// The manifest, with the contents of each file in place of its name.
fn results(folder: &Folder, manifest: &str) -> BTreeMap<String, Vec<(String, Vec<u8>)>> {
    let manifest: Value = serde_json::from_str(&folder.read(manifest)).expect("it is JSON");
    let variants = manifest["variants"].as_object().expect("variants");
    let mut results = BTreeMap::new();
    for (key, stages) in variants {
        let targets =
            stages.as_object().expect("stages").values().flat_map(|targets| targets.as_object().expect("targets"));
        let of_target = |(target, name): (&String, &Value)| {
            let path = folder.path().join("out").join(name.as_str().expect("a name"));
            (target.clone(), std::fs::read(path).expect("it is there"))
        };
        results.insert(key.clone(), targets.map(of_target).collect());
    }
    results
}

#[test]
fn each_combination_is_what_the_command_makes_of_it_alone() {
    let folder = folder("variants");
    let output = folder.planish(&COMPILE, "");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("unknown name `undeclared`"), "{message}");
    assert_eq!(message.matches("error[").count(), 1, "said once: {message}");
    assert!(message.contains("in 2 of 12 variants; the first is FOG=true,LIGHTS=2,UNUSED=false"), "{message}");
    assert_eq!(message.lines().last(), Some("compiled 10 of 12 variants to 10 outputs; 1 error"), "{message}");
    let results = results(&folder, "out/uber.frag.variants.json");
    assert_eq!(results.len(), 10);
    for (key, outputs) in &results {
        let defines = key.split(',').filter(|pair| !pair.ends_with("=false"));
        let defines: Vec<String> = defines.map(|pair| format!("-D{}", pair.replace("=true", ""))).collect();
        for (target, bytes) in outputs {
            let emit = format!("--emit={target}");
            let mut args = vec!["compile", "uber.frag", &emit, "-O2", "-I."];
            args.extend(defines.iter().map(String::as_str));
            assert_eq!(&folder.planish(&args, "").stdout, bytes, "{key} {target}");
        }
    }
    let manifest: Value = serde_json::from_str(&folder.read("out/uber.frag.variants.json")).expect("it is JSON");
    assert_eq!(
        manifest["failed"],
        serde_json::json!(["FOG=true,LIGHTS=2,UNUSED=false", "FOG=true,LIGHTS=2,UNUSED=text"])
    );
    assert_eq!(manifest["values"]["LIGHTS"], serde_json::json!(["0", "1", "2"]));
    let rule = folder.read("out.d").replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(rule, "out/uber.frag.variants.json: uber.frag ./lib.glsl v.toml");
}

#[test]
fn constants_and_stages_are_combined_and_neither_threads_nor_folders_show() {
    let fragment = "#version 450\nlayout(constant_id = 0) const int quality = 1;\nlayout(location = 0) out vec4 color;\nin vec2 uv;\nvoid main() { color = vec4(uv, quality, 1.0); }\n";
    let vertex = "#version 450\nlayout(location = 0) in vec4 at;\nout vec2 uv;\nvoid main() { uv = at.xy * SCALE; gl_Position = at; }\n";
    let mut all = vec![];
    for (name, threads) in [("variants-one", "1"), ("variants-many", "3")] {
        let folder = Folder::new(name);
        folder.write("a.frag", fragment);
        folder.write("a.vert", vertex);
        folder.write(
            "v.toml",
            "[override]\nquality = [1, 2, 3]\n[define]\nSCALE = [1.0, 2.0]\n[[exclude]]\nquality = 3\nSCALE = 2.0\n",
        );
        let args =
            ["compile", "a.vert", "a.frag", "--group-stages", "--variants=v.toml", "--emit=glsl", "--out-dir=out"];
        let output = folder.planish(&[&args[..], &["-j", threads]].concat(), "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let results = results(&folder, "out/a.variants.json");
        assert_eq!(results.len(), 5);
        for (key, stages) in &results {
            let scale = if key.contains("SCALE=2.0") { "* 2.0" } else { "uv = at.xy" };
            assert!(text(&stages[0].1).contains(scale), "{key}: {}", text(&stages[0].1));
            let quality = key.strip_prefix("quality=").and_then(|rest| rest.split(',').next()).expect("a value");
            assert!(text(&stages[1].1).contains(&format!("quality = {quality};")), "{key}: {}", text(&stages[1].1));
        }
        let mut files: Vec<_> = std::fs::read_dir(folder.path().join("out")).expect("is there").flatten().collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        all.push(
            files.iter().map(|f| (f.file_name(), std::fs::read(f.path()).expect("can be read"))).collect::<Vec<_>>(),
        );
    }
    assert_eq!(all[0], all[1]);
    // Three qualities, two scales: equal stages are one file.
    assert_eq!(all[0].len(), 3 + 2 + 1);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let folder = folder("variants-wrong");
    let error = |args: &[&str]| {
        let output = folder.planish(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let with = |more: &[&'static str]| [&COMPILE[..], more].concat();
    folder.write("bad.toml", "[define]\nFOG = true\n");
    assert!(error(&with(&["--variants=none.toml"])).contains("cannot be used multiple times"));
    let compile = |file: &'static str, emit: &'static str| ["compile", "uber.frag", "--out-dir=out", file, emit];
    assert!(error(&compile("--variants=none.toml", "--emit=wgsl")).contains("cannot read none.toml"));
    assert!(
        error(&compile("--variants=bad.toml", "--emit=wgsl")).contains("bad.toml: `FOG` must have a list of values")
    );
    assert!(error(&compile("--variants=v.toml", "--emit=c")).contains("--variants has no c"));
    assert!(error(&compile("--variants=v.toml", "--emit=analysis")).contains("--variants has no analysis"));
    assert!(error(&["compile", "uber.frag", "--variants=v.toml", "--emit=wgsl"]).contains("--out-dir"));
    assert!(error(&with(&["--watch"])).contains("cannot be used with"));
    assert!(error(&with(&["--cache=https://example.org"])).contains("has no TLS"));
    assert!(error(&with(&["--cache=ftp://example.org"])).contains("takes a folder or an http:// URL"));
    folder.write("file", "");
    assert!(error(&with(&["--cache=file"])).contains("cannot make the folder"));
    folder.write("override.toml", "[override]\nquality = [1, 2]\n[define]\nLIGHTS = [1]\n");
    let args = ["compile", "uber.frag", "--out-dir=out", "--variants=override.toml", "--emit=wgsl", "-I."];
    assert!(error(&args).contains("`quality`"));
    assert!(!folder.path().join("out/uber.frag.variants.json").exists());
}

#[test]
fn a_second_run_takes_all_from_the_folder_of_the_cache() {
    let folder = folder("variants-cache");
    folder.write("v.toml", "[define]\nFOG = [false, true]\nLIGHTS = [0, 1]\n");
    let compile = [&COMPILE[..], &["--cache=kept"]].concat();
    let first = folder.planish(&compile, "");
    assert!(text(&first.stderr).ends_with("compiled 4 variants to 8 outputs; 0 of 4 from the cache\n"), "{first:?}");
    let made = results(&folder, "out/uber.frag.variants.json");
    std::fs::remove_dir_all(folder.path().join("out")).expect("can be removed");
    let second = folder.planish(&compile, "");
    assert!(text(&second.stderr).ends_with("; 4 of 4 from the cache\n"), "{second:?}");
    assert_eq!(results(&folder, "out/uber.frag.variants.json"), made);
    // The level, a macro's value and what is included are all part of what is looked for.
    folder.write("lib.glsl", "float unused_function(float x) { return x + 1.0; }\n");
    let third = folder.planish(&compile, "");
    assert!(text(&third.stderr).ends_with("; 0 of 4 from the cache\n"), "{third:?}");
    let level =
        folder.planish(&[&compile[..], &["-O1"]].concat().into_iter().filter(|a| *a != "-O2").collect::<Vec<_>>(), "");
    assert!(text(&level.stderr).ends_with("; 0 of 4 from the cache\n"), "{level:?}");
}

/// A server that keeps what is put, for as long as the process lives; the number of requests, of each method.
fn server() -> (String, Arc<[AtomicUsize; 2]>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one");
    let counts: Arc<[AtomicUsize; 2]> = Arc::default();
    let own = Arc::clone(&counts);
    std::thread::spawn(move || {
        let kept: Arc<Mutex<HashMap<String, Vec<u8>>>> = Arc::default();
        for stream in listener.incoming().flatten() {
            let (kept, own) = (Arc::clone(&kept), Arc::clone(&own));
            std::thread::spawn(move || -> std::io::Result<()> {
                let mut reader = BufReader::new(stream.try_clone()?);
                let mut stream = stream;
                loop {
                    let (mut first, mut length) = (String::new(), 0);
                    if reader.read_line(&mut first)? == 0 {
                        return Ok(());
                    }
                    loop {
                        let mut line = String::new();
                        reader.read_line(&mut line)?;
                        if line.trim().is_empty() {
                            break;
                        }
                        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                            length = value.trim().parse().expect("a number");
                        }
                    }
                    let mut body = vec![0; length];
                    reader.read_exact(&mut body)?;
                    let mut words = first.split(' ');
                    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or("").to_owned());
                    let answer = if method == "PUT" {
                        own[1].fetch_add(1, Relaxed);
                        kept.lock().expect("no panic").insert(path, body);
                        b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n".to_vec()
                    } else {
                        own[0].fetch_add(1, Relaxed);
                        match kept.lock().expect("no panic").get(&path) {
                            Some(bytes) => {
                                let mut answer =
                                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", bytes.len()).into_bytes();
                                answer.extend(bytes);
                                answer
                            }
                            None => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
                        }
                    };
                    stream.write_all(&answer)?;
                }
            });
        }
    });
    (format!("http://{address}/shaders"), counts)
}

#[test]
fn machines_share_a_server() {
    let (url, counts) = server();
    let cache = format!("--cache={url}");
    let mut made = vec![];
    for (name, found) in [("variants-a", 0), ("variants-b", 4)] {
        let folder = folder(name);
        folder.write("v.toml", "[define]\nFOG = [false, true]\nLIGHTS = [0, 1]\n");
        let output = folder.planish(&[&COMPILE[..], &[&cache]].concat(), "");
        let line = format!("compiled 4 variants to 8 outputs; {found} of 4 from the cache\n");
        assert!(text(&output.stderr).ends_with(&line), "{}", text(&output.stderr));
        made.push(results(&folder, "out/uber.frag.variants.json"));
    }
    assert_eq!(made[0], made[1]);
    // Two outputs and a result each; the second time these are asked for.
    let [asked, put] = [counts[0].load(Relaxed), counts[1].load(Relaxed)];
    assert_eq!((asked, put), (4 + 4 * 3, 4 * 3));
    // Without a server it goes on, and says so.
    let folder = folder("variants-off");
    folder.write("v.toml", "[define]\nLIGHTS = [0, 1]\n");
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("it has one");
    let output = folder.planish(&[&COMPILE[..], &[&format!("--cache=http://{closed}")]].concat(), "");
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("warning[W0151]: the cache was not used to the end: "), "{message}");
    assert_eq!(results(&folder, "out/uber.frag.variants.json").len(), 2);
}
