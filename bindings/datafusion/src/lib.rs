//! Staged Rust and VL as functions of SQL: scalar, aggregate and window functions of DataFusion.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use planish::stage::{Rep, function, if_};
//! use planish_datafusion::Udf;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clamp = function("clamp", |x: Rep<f64>, limit: Rep<f64>| if_(x.gt(limit), || limit, || x))?;
//! let context = SessionContext::new();
//! Udf::scalar("clamp", &clamp.program())?.register(&context);
//! let rows = context.sql("SELECT clamp(x, 2) AS y FROM (VALUES (1.5), (2.5), (NULL)) AS t(x)").await?.collect().await?;
//! assert_eq!(rows[0].column(0).len(), 3);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

mod aggregate;
mod arrays;
#[cfg(feature = "ballista")]
pub mod cluster;
mod groups;
mod kernel;
mod scalar;
mod udf;
mod window;

pub use aggregate::AggregateFunction;
pub use datafusion;
pub use planish;
pub use scalar::ScalarFunction;
pub use udf::{Aggregate, Kind, Udf};
pub use window::WindowFunction;
