//! Functions on a Ballista cluster of a scheduler and executors, each a process, on the loopback of this machine.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{CsvReadOptions, SessionConfig, SessionContext};
use planish::stage::{Rep, function, while_};
use planish_datafusion::Udf;
use planish_datafusion::cluster::{logical_codec, physical_codec};

use crate::common::{query, try_query};
use crate::tpch::assert_close;
use crate::tpch::data::{functions, lineitem, q1};

/// More than a query takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // (SIGKILL; it may have ended before.)
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(args: &[&str], log: &Path) -> Process {
    let log = fs::File::create(log).expect("the folder is there");
    let mut command = Command::new(env!("CARGO_BIN_EXE_planish-ballista"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Process(command.spawn().expect("it was built"))
}

/// A port that nothing listens on now.
fn free_port() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are ports");
    listener.local_addr().expect("it is bound").port().to_string()
}

fn wait_for(port: &str) {
    let end = Instant::now() + Duration::from_secs(60);
    let address = (Ipv4Addr::LOCALHOST, port.parse().expect("a port")).into();
    while TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_err() {
        assert!(Instant::now() < end, "nothing listens on port {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A scheduler and executors, and a folder with a table.
struct Cluster {
    port: String,
    executors: Vec<(Process, PathBuf)>,
    _scheduler: Process,
    folder: PathBuf,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.executors.clear();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

const PARTS: usize = 8;

impl Cluster {
    fn new(executors: usize, name: &str) -> Cluster {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("table")).expect("a folder");
        for part in 0..PARTS {
            let file = fs::File::create(folder.join(format!("table/{part}.csv"))).expect("a file");
            WriterBuilder::new().with_header(true).build(file).write(&lineitem(3000, part as u64)).expect("rows");
        }
        let port = free_port();
        let scheduler = start(&["scheduler", &port], &folder.join("scheduler.log"));
        wait_for(&port);
        let executors = (0..executors).map(|number| {
            let work = folder.join(format!("work{number}"));
            fs::create_dir_all(&work).expect("a folder");
            let (flight, grpc) = (free_port(), free_port());
            let args = ["executor", &port, &flight, &grpc, work.to_str().expect("a text")];
            let process = start(&args, &folder.join(format!("executor{number}.log")));
            wait_for(&flight);
            (process, work)
        });
        let executors = executors.collect();
        Cluster { port, executors, _scheduler: scheduler, folder }
    }

    /// A context whose queries run on the cluster.
    async fn context(&self) -> SessionContext {
        let config = SessionConfig::new_with_ballista()
            .with_target_partitions(PARTS)
            .with_ballista_logical_extension_codec(logical_codec())
            .with_ballista_physical_extension_codec(physical_codec());
        let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
        let state = state.upgrade_for_ballista(format!("http://127.0.0.1:{}", self.port)).expect("it is reached");
        self.with_table(SessionContext::new_with_state(state)).await
    }

    /// A context whose queries run in this process.
    async fn local(&self) -> SessionContext {
        self.with_table(SessionContext::new()).await
    }

    async fn with_table(&self, context: SessionContext) -> SessionContext {
        let path = self.folder.join("table");
        context.register_csv("t", path.to_str().expect("a text"), CsvReadOptions::new()).await.expect("it is there");
        functions().iter().for_each(|function| function.register(&context));
        slow().register(&context);
        context
    }

    fn logs(&self) -> String {
        let text = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        format!("scheduler: {}\nexecutors: {}\n{}", text("scheduler.log"), text("executor0.log"), text("executor1.log"))
    }
}

/// The number itself, after some work.
fn slow() -> Udf {
    let made = function("slow", |x: Rep<f64>, rounds: Rep<i64>| {
        let (_, _, x) = while_(
            (0i64, 1u64, x),
            |(i, ..)| i.lt(rounds),
            |(i, noise, x): (Rep<i64>, Rep<u64>, Rep<f64>)| {
                let noise = noise * 6_364_136_223_846_793_005 + 1;
                (i + 1, noise, planish::stage::if_(noise.eq(0), || x + 1.0, || x))
            },
        );
        x
    });
    let program = made.unwrap_or_else(|errors| panic!("{errors}")).program();
    Udf::scalar("slow", &program).unwrap_or_else(|error| panic!("{error}"))
}

async fn patient(cluster: &Cluster, context: &SessionContext, sql: &str) -> RecordBatch {
    match tokio::time::timeout(PATIENCE, try_query(context, sql)).await {
        Ok(Ok(batch)) => batch,
        Ok(Err(error)) => panic!("{sql}: {error}\n{}", cluster.logs()),
        Err(_) => panic!("{sql}: no answer\n{}", cluster.logs()),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_run_where_the_rows_are() {
    let cluster = Cluster::new(2, "cluster");
    let (remote, local) = (cluster.context().await, cluster.local().await);
    let q6 = "SELECT total(l_extendedprice * l_discount) FROM t WHERE counts(l_discount, l_quantity, l_shipdate)";
    for sql in [q1(), q6.to_owned()] {
        assert_close(&patient(&cluster, &remote, &sql).await, &query(&local, &sql).await);
    }
    // A trap on a worker has the place in the Rust of the client.
    let made = function("strict", |x: Rep<i64>| 100 / x);
    let strict =
        Udf::scalar("strict", &made.unwrap_or_else(|errors| panic!("{errors}")).program()).expect("a function");
    strict.register(&remote);
    let sql = "SELECT max(strict(l_quantity::BIGINT - 7)) FROM t";
    let error = tokio::time::timeout(PATIENCE, try_query(&remote, sql)).await.expect("an answer");
    let error = error.expect_err("it divides by zero").to_string();
    assert!(error.contains("cluster.rs:"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_killed_loses_nothing() {
    let mut cluster = Cluster::new(2, "killed");
    let (remote, local) = (cluster.context().await, cluster.local().await);
    let sql = |rounds: u64| {
        format!(
            "SELECT l_returnflag, l_linestatus, total(slow(l_quantity, {rounds})), count(*) FROM t GROUP BY l_returnflag, l_linestatus ORDER BY 1, 2"
        )
    };
    let expected = query(&local, &sql(0)).await;
    // Each of eight tasks takes most of a second, and each worker runs two at a time.
    let slow_sql = sql(400_000);
    let running = tokio::spawn(async move { try_query(&remote, &slow_sql).await });
    // The second worker has written results, which are lost with it, and has other tasks.
    let end = Instant::now() + Duration::from_secs(60);
    while !has_files(&cluster.executors[1].1) {
        assert!(Instant::now() < end && !running.is_finished(), "the second worker does nothing\n{}", cluster.logs());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!running.is_finished(), "the query has ended before the worker was killed");
    let (mut killed, _) = cluster.executors.pop().expect("there are two");
    killed.0.kill().expect("it runs");
    killed.0.wait().expect("it was killed");
    let found = match tokio::time::timeout(PATIENCE, running).await {
        Ok(found) => found.expect("it does not panic"),
        Err(_) => panic!("no answer\n{}", cluster.logs()),
    };
    let found = found.unwrap_or_else(|error| panic!("{error}\n{}", cluster.logs()));
    assert_close(&found, &expected);
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some())
}
