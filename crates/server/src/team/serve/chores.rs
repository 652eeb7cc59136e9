//! What the server does by itself: it keeps what is signed fresh, looks for
//! what other processes published, and counts.

use std::sync::Arc;
use std::time::Duration;

use boathook_engine::ids::now_millis;

use super::metrics::Metrics;
use crate::team::api::App;
use crate::team::sign::{self, Standing};
use crate::team::store::{StoreError, TufRole};

/// How often it is looked whether something must be signed anew. What is due is
/// decided by its age, so that it does not matter how many processes look.
const EVERY: Duration = Duration::from_secs(60);
/// The life of a timestamp, whose age is told.
const TIMESTAMP_LIFE: i64 = 24 * 60 * 60;

/// Begins all of it; it ends with the runtime.
pub fn begin(app: &App, metrics: &Arc<Metrics>) {
    let (hints, store) = (app.hints.clone(), app.store.clone());
    tokio::spawn(async move { hints.watch(&store).await });
    tokio::spawn(keep_fresh(app.clone(), Arc::clone(metrics)));
}

async fn keep_fresh(app: App, metrics: Arc<Metrics>) {
    loop {
        if let Err(error) = look(&app, &metrics).await {
            // Nobody knows then how what is signed stands.
            tracing::error!(%error, "nothing could be signed anew: the database does not answer");
        }
        tokio::time::sleep(EVERY).await;
    }
}

async fn look(app: &App, metrics: &Metrics) -> Result<(), StoreError> {
    let now = now_millis();
    let standings = sign::tick(&app.store, &app.signer, now).await?;
    let left = |standing: &Standing| standing.left(now).as_secs();
    let timestamps = || standings.iter().filter(|standing| standing.role == TufRole::Timestamp);
    let oldest = timestamps().map(|standing| TIMESTAMP_LIFE - left(standing)).max().unwrap_or(0);
    let expired = timestamps().filter(|standing| left(standing) <= 0).count();
    let alarms = standings.iter().filter(|standing| standing.is_alarming(now)).count();
    metrics.signed(oldest, i64::try_from(alarms).unwrap_or(i64::MAX), expired as u64);
    metrics.devices(app.store.count_devices().await?);
    Ok(())
}
