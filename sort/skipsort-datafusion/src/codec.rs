//! A codec for plans that leave the process, as Ballista's do: a `SkipSortExec` is sent as the sort that it stands for.

use std::sync::Arc;

use datafusion::common::{Result, internal_datafusion_err, internal_err};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, HigherOrderUDF, ScalarUDF, WindowUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion::physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::sorts::partial_sort::PartialSortExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion_proto::physical_plan::{
    DefaultPhysicalExtensionCodec, PhysicalExtensionCodec, PhysicalPlanDecodeContext,
    PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::PhysicalPlanNode;
use prost::Message;

use crate::SkipSortConfig;
use crate::exec::SkipSortExec;

/// What the bytes of a `SkipSortExec` begin with. No message of protobuf does: its first byte would open a group.
///
/// Then come three numbers, little-endian: `top_k_most`, `in_batches_most`, and the sorted expressions that a `PartialSortExec` names,
/// 0 for a `SortExec`. The rest is a `SortExec` over an empty input, as DataFusion writes it.
const MARK: &[u8] = b"skipsort";
const NUMBER: usize = size_of::<u64>();

/// Reads and writes `SkipSortExec`, and leaves all else to another codec.
///
/// ```
/// use datafusion::{physical_plan::displayable, prelude::SessionContext};
/// use datafusion_proto::bytes as proto;
/// use skipsort_datafusion::{SkipSortCodec, WithSkipSort};
///
/// # #[tokio::main]
/// # async fn main() -> datafusion::error::Result<()> {
/// let ctx = SessionContext::new().with_skipsort(Default::default());
/// let urls = ctx.sql("SELECT * FROM (VALUES ('/b'), ('/a')) AS t(url) ORDER BY url").await?;
/// let codec = SkipSortCodec::default();
/// let plan = urls.create_physical_plan().await?;
/// let sent = displayable(plan.as_ref()).indent(true).to_string();
/// let bytes = proto::physical_plan_to_bytes_with_extension_codec(plan, &codec)?;
/// let plan = proto::physical_plan_from_bytes_with_extension_codec(&bytes, &ctx.task_ctx(), &codec)?;
/// assert!(sent.contains("SkipSortExec") && displayable(plan.as_ref()).indent(true).to_string() == sent);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SkipSortCodec {
    others: Arc<dyn PhysicalExtensionCodec>,
}

impl SkipSortCodec {
    /// A codec that asks `others` of every operator and function but `SkipSortExec`.
    pub fn over(others: Arc<dyn PhysicalExtensionCodec>) -> Self {
        SkipSortCodec { others }
    }
}

impl Default for SkipSortCodec {
    fn default() -> Self {
        SkipSortCodec::over(Arc::new(DefaultPhysicalExtensionCodec {}))
    }
}

impl PhysicalExtensionCodec for SkipSortCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(skip) = node.downcast_ref::<SkipSortExec>() else {
            return self.others.try_encode(node, buf, converter);
        };
        let (sort, prefix) = over_nothing(skip)?;
        buf.extend_from_slice(MARK);
        let SkipSortConfig { top_k_most, in_batches_most } = skip.config();
        for number in [top_k_most, in_batches_most, prefix] {
            buf.extend_from_slice(&u64::try_from(number).unwrap_or(u64::MAX).to_le_bytes());
        }
        buf.extend_from_slice(&converter.execution_plan_to_proto(&sort, self)?.encode_to_vec());
        Ok(())
    }

    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(rest) = buf.strip_prefix(MARK) else {
            return self.others.try_decode(buf, inputs, ctx, converter);
        };
        let Some(([top_k_most, in_batches_most, prefix], rest)) = numbers(rest) else {
            return internal_err!("a SkipSortExec of {} bytes", buf.len());
        };
        let node = PhysicalPlanNode::decode(rest)
            .map_err(|error| internal_datafusion_err!("not the sort of a SkipSortExec: {error}"))?;
        let sort = converter.proto_to_execution_plan(&node, &PhysicalPlanDecodeContext::new(ctx, self))?;
        let sort = with_prefix(replace_children_if_necessary(sort, inputs.to_vec())?, prefix)?;
        Ok(match SkipSortExec::replacing(&sort, SkipSortConfig { top_k_most, in_batches_most }) {
            Some(skip) => Arc::new(skip) as Arc<dyn ExecutionPlan>,
            // Where this process cannot sort what another could, DataFusion's own operator does.
            None => sort,
        })
    }

    fn try_decode_udf(&self, name: &str, buf: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.others.try_decode_udf(name, buf)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buf: &mut Vec<u8>) -> Result<()> {
        self.others.try_encode_udf(node, buf)
    }

    fn try_decode_higher_order_function(&self, name: &str, buf: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.others.try_decode_higher_order_function(name, buf)
    }

    fn try_encode_higher_order_function(&self, node: &HigherOrderUDF, buf: &mut Vec<u8>) -> Result<()> {
        self.others.try_encode_higher_order_function(node, buf)
    }

    fn try_decode_expr(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        ctx: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.others.try_decode_expr(buf, inputs, ctx)
    }

    fn try_encode_expr(
        &self,
        node: &Arc<dyn PhysicalExpr>,
        buf: &mut Vec<u8>,
        ctx: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.others.try_encode_expr(node, buf, ctx)
    }

    fn try_decode_udaf(&self, name: &str, buf: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.others.try_decode_udaf(name, buf)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buf: &mut Vec<u8>) -> Result<()> {
        self.others.try_encode_udaf(node, buf)
    }

    fn try_decode_udwf(&self, name: &str, buf: &[u8]) -> Result<Arc<WindowUDF>> {
        self.others.try_decode_udwf(name, buf)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buf: &mut Vec<u8>) -> Result<()> {
        self.others.try_encode_udwf(node, buf)
    }
}

/// The sort as a `SortExec` over no rows, because inputs are written by who asks; and the sorted expressions of a `PartialSortExec`, of
/// which DataFusion has no message.
fn over_nothing(skip: &SkipSortExec) -> Result<(Arc<dyn ExecutionPlan>, usize)> {
    let sort = skip.inner();
    let empty: Arc<dyn ExecutionPlan> = Arc::new(EmptyExec::new(skip.schema()));
    let Some(partial) = sort.downcast_ref::<PartialSortExec>() else {
        return Ok((replace_children_if_necessary(sort, vec![empty])?, 0));
    };
    let whole: Arc<dyn ExecutionPlan> = Arc::new(
        SortExec::new(partial.expr().clone(), empty)
            .with_fetch(partial.fetch())
            .with_preserve_partitioning(partial.preserve_partitioning()),
    );
    Ok((whole, partial.common_prefix_length()))
}

/// The sort that was written, a `PartialSortExec` if it had sorted expressions.
fn with_prefix(sort: Arc<dyn ExecutionPlan>, prefix: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(whole) = sort.downcast_ref::<SortExec>() else {
        return internal_err!("a SkipSortExec that was written as {}", sort.name());
    };
    if prefix == 0 {
        return Ok(sort);
    }
    if prefix > whole.expr().len() {
        return internal_err!("a SkipSortExec with {prefix} sorted expressions of {}", whole.expr().len());
    }
    let partial = PartialSortExec::new(whole.expr().clone(), Arc::clone(whole.input()), prefix)
        .with_fetch(whole.fetch())
        .with_preserve_partitioning(whole.preserve_partitioning());
    Ok(Arc::new(partial))
}

/// The numbers before the sort, and the sort.
fn numbers(bytes: &[u8]) -> Option<([usize; 3], &[u8])> {
    let (numbers, rest) = bytes.split_first_chunk::<{ 3 * NUMBER }>()?;
    let number = |bytes: &[u8; NUMBER]| usize::try_from(u64::from_le_bytes(*bytes)).unwrap_or(usize::MAX);
    let [first, second, third] = numbers.as_chunks().0 else { return None };
    Some(([first, second, third].map(number), rest))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::datasource::memory::{DataSourceExec, MemorySourceConfig};
    use datafusion::physical_expr::expressions::Column;
    use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
    use datafusion::physical_plan::{collect, displayable};
    use datafusion::prelude::{SessionConfig, SessionContext};
    use datafusion_proto::bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };

    use super::*;
    use crate::WithSkipSort;

    fn shown(plan: &Arc<dyn ExecutionPlan>) -> String {
        displayable(plan.as_ref()).indent(true).to_string()
    }

    /// The plan as bytes and back.
    fn sent(plan: &Arc<dyn ExecutionPlan>, ctx: &SessionContext) -> Arc<dyn ExecutionPlan> {
        let codec = SkipSortCodec::default();
        let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(plan), &codec).expect("written");
        physical_plan_from_bytes_with_extension_codec(&bytes, &ctx.task_ctx(), &codec).expect("read")
    }

    #[tokio::test]
    async fn plans_come_back_as_they_were() {
        let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
        let ctx = session.with_skipsort(SkipSortConfig { top_k_most: 1, in_batches_most: 2 });
        for tail in ["a DESC NULLS LAST, b", "b LIMIT 3", "a LIMIT 1", "b || a, a"] {
            let values =
                "SELECT * FROM (VALUES ('x', '/b'), (NULL, '/a'), ('y', NULL), ('x', '/a')) AS t(a, b)";
            let frame = ctx.sql(&format!("{values} ORDER BY {tail}")).await.expect("SQL");
            let plan = frame.create_physical_plan().await.expect("planned");
            assert!(shown(&plan).contains("SkipSortExec"), "{tail}");
            let read = sent(&plan, &ctx);
            assert_eq!(shown(&read), shown(&plan));
            let config = read.downcast_ref::<SkipSortExec>().map(SkipSortExec::config);
            assert!(config.is_none_or(|config| (config.top_k_most, config.in_batches_most) == (1, 2)));
            let [sent, kept] = [read, plan].map(|plan| collect(plan, ctx.task_ctx()));
            assert_eq!(sent.await.expect("ran"), kept.await.expect("ran"), "{tail}");
        }
    }

    #[tokio::test]
    async fn partial_sorts_come_back_as_they_were() {
        let columns: [ArrayRef; 2] = [
            Arc::new(Int64Array::from(vec![1, 1, 2, 2])),
            Arc::new(StringArray::from(vec!["/b", "/a", "/d", "/c"])),
        ];
        let batch = RecordBatch::try_from_iter(["n", "url"].into_iter().zip(columns)).expect("columns");
        let sort = |(at, name)| PhysicalSortExpr::new_default(Arc::new(Column::new(name, at)));
        let order = LexOrdering::new(["n", "url"].into_iter().enumerate().map(sort)).expect("two columns");
        let source = MemorySourceConfig::try_new(&[vec![batch.clone()]], batch.schema(), None)
            .and_then(|source| {
                source.try_with_sort_information(LexOrdering::new([order[0].clone()]).into_iter().collect())
            })
            .expect("sorted by n");
        let partial = PartialSortExec::new(order, DataSourceExec::from_data_source(source), 1)
            .with_fetch(Some(3))
            .with_preserve_partitioning(true);
        let partial: Arc<dyn ExecutionPlan> = Arc::new(partial);
        let ctx = SessionContext::new();
        let skip = SkipSortExec::replacing(&partial, SkipSortConfig::default());
        let plan: Arc<dyn ExecutionPlan> = Arc::new(skip.expect("replaced"));
        assert!(shown(&plan).contains("SkipPartialSortExec: TopK(fetch=3)"), "{}", shown(&plan));
        let read = sent(&plan, &ctx);
        assert_eq!(shown(&read), shown(&plan));
        let batches = collect(read, ctx.task_ctx()).await.expect("ran");
        let rows: Vec<i64> = batches
            .iter()
            .flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().iter())
            .copied()
            .collect();
        assert_eq!(rows, [1, 1, 2]);
        let urls: Vec<&str> =
            batches.iter().flat_map(|batch| batch.column(1).as_string::<i32>().iter().flatten()).collect();
        assert_eq!(urls, ["/a", "/b", "/c"]);
    }

    #[tokio::test]
    async fn bytes_that_are_no_sort_are_an_error() {
        let (codec, ctx) = (SkipSortCodec::default(), SessionContext::new().task_ctx());
        let converter = datafusion_proto::physical_plan::DefaultPhysicalProtoConverter {};
        let marked = |rest: &[u8]| [MARK, rest].concat();
        let ours = [&[][..], &[0; 23], &[0; 24], &[7; 25]].map(marked);
        for bytes in ours.into_iter().chain([b"other".into(), vec![]]) {
            let read = codec.try_decode(&bytes, &[], &ctx, &converter);
            assert!(read.is_err(), "{bytes:?}");
        }
    }
}
