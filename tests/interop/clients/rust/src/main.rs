// SPDX-License-Identifier: Apache-2.0
//! A reflector of kube-rs on config maps, on the server that KUBECONFIG names.
//!
//!     reflector list|stream     how the watcher begins: by a list, or by initial events
//!
//! Says "ready" when its store is filled; answers each line of standard input with what the store
//! holds, {"namespace/name":"resourceVersion"}; ends with it.
use std::collections::BTreeMap;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client};
use tokio::io::{AsyncBufReadExt, BufReader};

type Failure = Box<dyn std::error::Error>;

fn held(store: &reflector::Store<ConfigMap>) -> BTreeMap<String, String> {
    store
        .state()
        .iter()
        .map(|map| {
            let meta = &map.metadata;
            let text = |part: &Option<String>| part.clone().unwrap_or_default();
            let key = format!("{}/{}", text(&meta.namespace), text(&meta.name));
            (key, text(&meta.resource_version))
        })
        .collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let config = match std::env::args().nth(1).as_deref() {
        Some("list") => watcher::Config::default(),
        Some("stream") => watcher::Config::default().streaming_lists(),
        _ => return Err("usage: reflector list|stream".into()),
    };
    let maps: Api<ConfigMap> = Api::all(Client::try_default().await?);
    let (store, writer) = reflector::store();
    tokio::spawn(async move {
        let mut events = watcher(maps, config).default_backoff().reflect(writer).boxed();
        while let Some(event) = events.next().await {
            if let Err(trouble) = event {
                eprintln!("reflector: {trouble}");
            }
        }
    });
    store.wait_until_ready().await?;
    println!("ready");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while lines.next_line().await?.is_some() {
        println!("{}", serde_json::to_string(&held(&store))?);
    }
    Ok(())
}
