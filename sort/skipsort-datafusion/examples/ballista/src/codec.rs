//! The codec that scheduler and executors share: ours around Ballista's own, which it asks of all other operators.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion_proto::physical_plan::PhysicalExtensionCodec;
use skipsort_datafusion::SkipSortCodec;

/// A new one.
pub fn codec() -> Arc<dyn PhysicalExtensionCodec> {
    Arc::new(SkipSortCodec::over(Arc::new(BallistaPhysicalExtensionCodec::default())))
}
