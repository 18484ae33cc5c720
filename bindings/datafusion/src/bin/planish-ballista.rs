//! A scheduler or an executor of a Ballista cluster on this machine, which knows functions of Planish by their bytes.
//!
//! ```text
//! planish-ballista scheduler PORT
//! planish-ballista executor SCHEDULER_PORT PORT GRPC_PORT FOLDER
//! ```

use std::sync::Arc;

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use planish_datafusion::cluster::{logical_codec, physical_codec};

const LOOPBACK: &str = "127.0.0.1";
const USAGE: &str = "usage: planish-ballista scheduler PORT | executor SCHEDULER_PORT PORT GRPC_PORT FOLDER";

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(8 << 20).build()?;
    match args[..] {
        ["scheduler", port] => runtime.block_on(scheduler(port.parse()?)),
        ["executor", scheduler, port, grpc_port, folder] => {
            runtime.block_on(executor(scheduler.parse()?, port.parse()?, grpc_port.parse()?, folder))
        }
        _ => Err(USAGE.into()),
    }
}

async fn scheduler(port: u16) -> Result<(), Error> {
    let config = SchedulerConfig {
        external_host: LOOPBACK.into(),
        bind_host: LOOPBACK.into(),
        bind_port: port,
        // A dead executor is noticed in seconds.
        executor_timeout_seconds: 4,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: 60,
        task_max_failures: 10,
        stage_max_failures: 10,
        override_logical_codec: Some(logical_codec()),
        override_physical_codec: Some(physical_codec()),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    Ok(start_server(cluster, (std::net::Ipv4Addr::LOCALHOST, port).into(), Arc::new(config)).await?)
}

async fn executor(scheduler_port: u16, port: u16, grpc_port: u16, folder: &str) -> Result<(), Error> {
    let config = ExecutorProcessConfig {
        bind_host: LOOPBACK.into(),
        external_host: Some(LOOPBACK.into()),
        port,
        grpc_port,
        scheduler_host: LOOPBACK.into(),
        scheduler_port,
        scheduler_connect_timeout_seconds: 30,
        vcores: 2,
        work_dir: Some(folder.into()),
        executor_heartbeat_interval_seconds: 1,
        override_logical_codec: Some(logical_codec()),
        override_physical_codec: Some(physical_codec()),
        ..ExecutorProcessConfig::default()
    };
    Ok(start_executor_process(Arc::new(config)).await?)
}
