//! Every message goes through both ways.

use humdrum_contract::KvOperation;

use super::*;

fn requests() -> Vec<Request> {
    let data = KvData { keys: 1, seed: u64::MAX, key_bytes: 20, value_bytes: 400, compressed_percent: 50 };
    let batch = |operation| {
        Request::Run(KvBatch {
            store: KvStore::Scratch,
            operation,
            first_number: 3,
            first_seed: 5,
            seed_step: u64::MAX,
            count: 7,
            span: 9,
            checked: true,
            writer_bytes_per_second: 2 << 20,
        })
    };
    let mut all = vec![
        Request::Hello,
        Request::Create(KvStore::Main, data, true),
        Request::EndBulk(KvStore::Scratch),
        Request::Remove(KvStore::Main),
        Request::Fit(3),
        Request::Settle(KvStore::Main, true),
        Request::Inspect(KvStore::Scratch),
        Request::Property(KvStore::Main, "rocksdb.stats".into()),
        Request::Stop,
    ];
    all.extend([KvOperation::PutNext, KvOperation::Put, KvOperation::Get].map(batch));
    all.extend([KvOperation::MultiGet(10), KvOperation::Forwards(1)].map(batch));
    all.push(batch(KvOperation::Backwards(u32::MAX)));
    all
}

fn answers() -> Vec<Answer> {
    let hello = Hello { thread: 9, lost: vec!["one".into(), String::new()] };
    let done = KvDone { rows: 1, checksum: 2, wall_ns: 3 };
    let counts = Counts { put_bytes: 1, writer_writes: 2, writer_response_ns: 3, ..Counts::default() };
    let levels = vec![(0, 0), (4, 5)];
    let contents = KvContents { rows: 1, checksum: 2, keys_checksum: 3, bytes: 4, levels };
    vec![
        Answer::Done,
        Answer::Hello(hello),
        Answer::Ran(done, vec![(5, 6)], counts),
        Answer::Settled(8),
        Answer::Contents(Some(contents)),
        Answer::Contents(None),
        Answer::Property(None),
        Answer::Property(Some("é".into())),
        Answer::Refused("Corruption: x".into()),
        Answer::Wrong("y".into()),
    ]
}

#[test]
fn everything_comes_through_and_nothing_that_is_cut() {
    for request in requests() {
        let bytes = request.encode();
        assert_eq!(Request::decode(&bytes), Some(request));
        assert!((0..bytes.len()).all(|end| Request::decode(&bytes[..end]).is_none()));
    }
    for answer in answers() {
        let bytes = answer.encode();
        assert_eq!(Answer::decode(&bytes), Some(answer));
        assert!((0..bytes.len()).all(|end| Answer::decode(&bytes[..end]).is_none()));
    }
    assert_eq!((Request::decode(&[99]), Answer::decode(&[0, 0])), (None, None));
}
