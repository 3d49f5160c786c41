//! All probes of one subject, combined.

use std::path::PathBuf;

use humdrum_contract::{Outcome, Probe, ProbeContext, ProbeFactory};
use humdrum_model::Metric;

/// Reads the engine's own probes and the host's, in a fixed order.
pub struct Sampler {
    probes: Vec<Box<dyn Probe>>,
    metrics: Vec<Metric>,
    /// For each metric, its index among what the probes read. `None` reads as zero.
    places: Vec<Option<usize>>,
    scratch: Vec<i64>,
}

/// The metrics of a subject whose data is in `data_folder`, its engine's own first. Metrics that this host does not
/// offer (of a device, where the data is on none) are left out, because they would read as zero.
pub fn offered(
    engine: Vec<Box<dyn Probe>>,
    host: &[ProbeFactory],
    data_folder: Option<PathBuf>,
) -> Vec<Metric> {
    let context = ProbeContext { processes: Vec::new(), data_folder };
    Sampler::new(engine, host, &context, None).metrics
}

impl Sampler {
    /// A sampler of the engine's probes, followed by the host's. A host probe is left out if the engine reports the same
    /// metrics (as `fake` does, whose work is virtual). Readings are in the order of `wanted`, the run's metrics, and a
    /// metric that this subject does not have reads as zero. Without `wanted`, they are in the order of the probes.
    pub fn new(
        engine: Vec<Box<dyn Probe>>,
        host: &[ProbeFactory],
        context: &ProbeContext,
        wanted: Option<&[Metric]>,
    ) -> Self {
        let names =
            |probe: &dyn Probe| probe.metrics().into_iter().map(|metric| metric.name).collect::<Vec<_>>();
        let taken: Vec<String> = engine.iter().flat_map(|probe| names(&**probe)).collect();
        let host = host.iter().filter_map(|factory| (factory.make)(context));
        let host = host.filter(|probe| !names(&**probe).iter().any(|name| taken.contains(name)));
        let host: Vec<_> = host.collect();
        let probes: Vec<_> = engine.into_iter().chain(host).collect();
        let own: Vec<Metric> = probes.iter().flat_map(|probe| probe.metrics()).collect();
        let metrics = wanted.map_or_else(|| own.clone(), <[Metric]>::to_vec);
        let place = |metric: &Metric| own.iter().position(|one| one.name == metric.name);
        let places = metrics.iter().map(place).collect();
        Self { probes, metrics, places, scratch: Vec::new() }
    }
}

impl Probe for Sampler {
    fn metrics(&self) -> Vec<Metric> {
        self.metrics.clone()
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        self.scratch.clear();
        self.probes.iter_mut().try_for_each(|probe| probe.read(&mut self.scratch))?;
        readings.extend(self.places.iter().map(|place| place.map_or(0, |place| self.scratch[place])));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Better, MetricKind};

    use super::*;

    struct Constant(&'static str, i64);

    impl Probe for Constant {
        fn metrics(&self) -> Vec<Metric> {
            vec![Metric {
                name: self.0.into(),
                unit: "count".into(),
                better: Better::Less,
                kind: MetricKind::Counter,
                description: String::new(),
            }]
        }

        fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
            readings.push(self.1);
            Ok(())
        }
    }

    #[test]
    fn the_engine_knows_better_than_the_host() {
        let host = [
            ProbeFactory { name: "same", make: |_| Some(Box::new(Constant("cpu", 1))) },
            ProbeFactory { name: "other", make: |_| Some(Box::new(Constant("steal", 2))) },
        ];
        let mut sampler =
            Sampler::new(vec![Box::new(Constant("cpu", 9))], &host, &ProbeContext::default(), None);
        let mut readings = Vec::new();
        sampler.read(&mut readings).expect("readings");
        assert_eq!(readings, [9, 2]);
        assert_eq!(sampler.metrics().len(), 2);
    }

    #[test]
    fn what_the_place_of_the_data_does_not_offer_is_not_listed() {
        let device = |context: &ProbeContext| -> Option<Box<dyn Probe>> {
            context.data_folder.as_ref().map(|_| Box::new(Constant("reads", 1)) as Box<dyn Probe>)
        };
        let host = [ProbeFactory { name: "device", make: device }];
        let names = |folder| {
            let metrics = offered(vec![Box::new(Constant("cpu", 9))], &host, folder);
            metrics.into_iter().map(|metric| metric.name).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["cpu"]);
        assert_eq!(names(Some("/data".into())), ["cpu", "reads"]);
    }

    #[test]
    fn readings_follow_the_runs_list() {
        let foreign = Metric { name: "foreign".into(), ..Constant("x", 0).metrics().remove(0) };
        let own = Constant("cpu", 9).metrics().remove(0);
        let engine: Vec<Box<dyn Probe>> = vec![Box::new(Constant("cpu", 9))];
        let mut sampler = Sampler::new(engine, &[], &ProbeContext::default(), Some(&[foreign, own]));
        let mut readings = Vec::new();
        sampler.read(&mut readings).expect("readings");
        assert_eq!(readings, [0, 9]);
    }
}
