//! Functions on a Ballista cluster: a function travels in a plan as its bytes, and is compiled where it runs.
//!
//! Clients, the scheduler and the executors are given [`logical_codec`] and [`physical_codec`]; no function is registered anywhere but with
//! the client.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference, plan_datafusion_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use crate::{AggregateFunction, ScalarFunction, Udf, WindowFunction};

/// Ballista's codec of logical plans, with functions of this crate.
pub fn logical_codec() -> Arc<dyn LogicalExtensionCodec> {
    Arc::new(Logical(Codec::default()))
}

/// Ballista's codec of physical plans, with functions of this crate.
pub fn physical_codec() -> Arc<dyn PhysicalExtensionCodec> {
    Arc::new(Physical(Codec::default()))
}

/// Functions that are kept compiled.
const MAX_KEPT: usize = 256;

/// The functions that were read, so that each is compiled once.
struct Codec<C> {
    inner: C,
    scalars: Mutex<HashMap<Vec<u8>, Arc<ScalarUDF>>>,
    aggregates: Mutex<HashMap<Vec<u8>, Arc<AggregateUDF>>>,
    windows: Mutex<HashMap<Vec<u8>, Arc<WindowUDF>>>,
}

impl<C: Default> Default for Codec<C> {
    fn default() -> Self {
        Codec {
            inner: C::default(),
            scalars: Mutex::default(),
            aggregates: Mutex::default(),
            windows: Mutex::default(),
        }
    }
}

/// The function of these bytes.
fn known<F>(
    kept: &Mutex<HashMap<Vec<u8>, Arc<F>>>,
    name: &str,
    bytes: &[u8],
    make: impl FnOnce(&Udf) -> Option<F>,
) -> Result<Arc<F>> {
    if let Some(known) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(bytes) {
        return Ok(known.clone());
    }
    let udf = Udf::from_bytes(bytes)?;
    let made = make(&udf).filter(|_| udf.name() == name);
    let made = Arc::new(made.ok_or_else(|| plan_datafusion_err!("the bytes of `{name}` are another function"))?);
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(bytes.to_vec(), made.clone());
    Ok(made)
}

struct Logical(Codec<BallistaLogicalExtensionCodec>);

struct Physical(Codec<BallistaPhysicalExtensionCodec>);

impl fmt::Debug for Logical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.inner.fmt(f)
    }
}

impl fmt::Debug for Physical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.inner.fmt(f)
    }
}

/// The methods about functions, which both traits have.
macro_rules! functions {
    () => {
        fn try_encode_udf(&self, node: &ScalarUDF, buf: &mut Vec<u8>) -> Result<()> {
            match node.inner().downcast_ref::<ScalarFunction>() {
                Some(function) => Ok(buf.extend_from_slice(function.udf().to_bytes())),
                None => self.0.inner.try_encode_udf(node, buf),
            }
        }

        fn try_decode_udf(&self, name: &str, buf: &[u8]) -> Result<Arc<ScalarUDF>> {
            match buf {
                [] => self.0.inner.try_decode_udf(name, buf),
                _ => known(&self.0.scalars, name, buf, Udf::to_scalar),
            }
        }

        fn try_encode_udaf(&self, node: &AggregateUDF, buf: &mut Vec<u8>) -> Result<()> {
            match node.inner().downcast_ref::<AggregateFunction>() {
                Some(function) => Ok(buf.extend_from_slice(function.udf().to_bytes())),
                None => self.0.inner.try_encode_udaf(node, buf),
            }
        }

        fn try_decode_udaf(&self, name: &str, buf: &[u8]) -> Result<Arc<AggregateUDF>> {
            match buf {
                [] => self.0.inner.try_decode_udaf(name, buf),
                _ => known(&self.0.aggregates, name, buf, Udf::to_aggregate),
            }
        }

        fn try_encode_udwf(&self, node: &WindowUDF, buf: &mut Vec<u8>) -> Result<()> {
            match node.inner().downcast_ref::<WindowFunction>() {
                Some(function) => Ok(buf.extend_from_slice(function.udf().to_bytes())),
                None => self.0.inner.try_encode_udwf(node, buf),
            }
        }

        fn try_decode_udwf(&self, name: &str, buf: &[u8]) -> Result<Arc<WindowUDF>> {
            match buf {
                [] => self.0.inner.try_decode_udwf(name, buf),
                _ => known(&self.0.windows, name, buf, Udf::to_window),
            }
        }
    };
}

impl LogicalExtensionCodec for Logical {
    fn try_decode(&self, buf: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.0.inner.try_decode(buf, inputs, context)
    }

    fn try_encode(&self, node: &Extension, buf: &mut Vec<u8>) -> Result<()> {
        self.0.inner.try_encode(node, buf)
    }

    fn try_decode_table_provider(
        &self,
        buf: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        self.0.inner.try_decode_table_provider(buf, table, schema, context)
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        node: Arc<dyn TableProvider>,
        buf: &mut Vec<u8>,
    ) -> Result<()> {
        self.0.inner.try_encode_table_provider(table, node, buf)
    }

    fn try_decode_file_format(&self, buf: &[u8], context: &TaskContext) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.inner.try_decode_file_format(buf, context)
    }

    fn try_encode_file_format(&self, buf: &mut Vec<u8>, node: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.0.inner.try_encode_file_format(buf, node)
    }

    functions!();
}

impl PhysicalExtensionCodec for Physical {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.0.inner.try_decode(buf, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.0.inner.try_encode(node, buf, converter)
    }

    functions!();
}
