//! The same as the tables, by Criterion: `cargo bench`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use planish_bench_wasm::{engines, workloads};

fn run(c: &mut Criterion) {
    for workload in workloads::all("").expect("the table is committed") {
        let mut group = c.benchmark_group(format!("run/{}", workload.name));
        group.sample_size(10);
        for engine in engines::for_running() {
            let program = engine.load(&workload.wasm).expect("every engine takes it");
            let mut instance = program.instantiate().expect("it imports nothing");
            group.bench_function(engine.name(), |b| {
                b.iter(|| assert_eq!(instance.run(workload.size).expect("no workload traps"), workload.sum));
            });
        }
    }
}

fn load(c: &mut Criterion) {
    for (name, wasm) in workloads::real() {
        let mut group = c.benchmark_group(format!("load/{name}"));
        group.sample_size(10).throughput(Throughput::Bytes(wasm.len() as u64));
        for engine in engines::for_loading() {
            group.bench_function(engine.name(), |b| b.iter(|| engine.load(&wasm).expect("every engine takes it")));
        }
    }
}

fn instantiate(c: &mut Criterion) {
    for workload in workloads::all("").expect("the table is committed") {
        let mut group = c.benchmark_group(format!("instantiate/{}", workload.name));
        for engine in engines::for_running() {
            let program = engine.load(&workload.wasm).expect("every engine takes it");
            group.bench_function(engine.name(), |b| b.iter(|| program.instantiate().expect("it imports nothing")));
        }
    }
}

criterion_group!(benches, run, load, instantiate);
criterion_main!(benches);
