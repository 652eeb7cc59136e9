//! The machines of a team, and what each reported.

use std::collections::BTreeMap;

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::rows::{NewDevice, NewTokenRow, Trials};
use super::{TeamStore, tokens, words};
use crate::team::wire::{Device, Report};

impl TeamStore {
    /// All devices, in the order in which they came.
    pub async fn devices(&self) -> Result<Vec<Device>, StoreError> {
        let sql = "SELECT device_id, name, os, member_id, enrolled, added_at, revoked_at, seen_at,
            report_sequence, report_release, report_code, report_detail
            FROM devices WHERE team_id = $1 ORDER BY added_at, device_id";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(device_row).collect()
    }

    /// One device.
    pub async fn device(&self, id: &str) -> Result<Option<Device>, StoreError> {
        let sql = "SELECT device_id, name, os, member_id, enrolled, added_at, revoked_at, seen_at,
            report_sequence, report_release, report_code, report_detail
            FROM devices WHERE team_id = $1 AND device_id = $2";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(self.pool()).await?;
        row.as_ref().map(device_row).transpose()
    }

    /// Keeps a device.
    pub async fn add_device(&self, new: &NewDevice) -> Result<Device, StoreError> {
        let mut work = self.write().await?;
        let device = insert(&mut work, self.team, new).await?;
        work.commit().await?;
        Ok(device)
    }

    /// Keeps a device and its token, and uses up the sign-in token it came
    /// with, all or nothing. Nothing when that token is no longer good.
    pub async fn sign_in(
        &self,
        device: &NewDevice,
        token: &NewTokenRow,
        sign_in_token: Option<i64>,
    ) -> Result<Option<Device>, StoreError> {
        let mut work = self.write().await?;
        if let Some(id) = sign_in_token
            && !tokens::use_once(&mut work, self.team, id, device.added_at).await?
        {
            return Ok(None);
        }
        let device = insert(&mut work, self.team, device).await?;
        tokens::insert(&mut work, self.team, token).await?;
        work.commit().await?;
        Ok(Some(device))
    }

    /// Revokes a device and its tokens. Says whether there was one that was not revoked yet.
    pub async fn revoke_device(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let mut work = self.write().await?;
        let device = "UPDATE devices SET revoked_at = $3
            WHERE team_id = $1 AND device_id = $2 AND revoked_at IS NULL";
        let tokens = "UPDATE tokens SET revoked_at = $3
            WHERE team_id = $1 AND device_id = $2 AND revoked_at IS NULL";
        let revoked = sqlx::query(device).bind(self.team).bind(id).bind(now).execute(&mut *work).await?;
        sqlx::query(tokens).bind(self.team).bind(id).bind(now).execute(&mut *work).await?;
        work.commit().await?;
        Ok(revoked.rows_affected() == 1)
    }

    /// Keeps how a sync went, as the device's last word and as its word on the
    /// release. Says whether there is such a device.
    pub async fn save_report(&self, device: &str, report: &Report, now: i64) -> Result<bool, StoreError> {
        let mut work = self.write().await?;
        let (sequence, release) = (words::stored(report.sequence)?, words::stored(report.release)?);
        let sql = "UPDATE devices SET seen_at = $3, report_sequence = $4, report_release = $5,
            report_code = $6, report_detail = $7 WHERE team_id = $1 AND device_id = $2";
        let query = sqlx::query(sql).bind(self.team).bind(device).bind(now).bind(sequence).bind(release);
        let known = query.bind(&report.code).bind(&report.detail).execute(&mut *work).await?;
        if known.rows_affected() == 0 {
            return Ok(false);
        }
        let sql = "INSERT INTO reports (team_id, release, device_id, code, reported_at)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (team_id, release, device_id)
            DO UPDATE SET code = excluded.code, reported_at = excluded.reported_at";
        let query = sqlx::query(sql).bind(self.team).bind(release).bind(device);
        query.bind(&report.code).bind(now).execute(&mut *work).await?;
        work.commit().await?;
        Ok(true)
    }

    /// How a release fares with the devices that it is for. A member counts
    /// once, however many devices they bring.
    pub async fn reports_of(
        &self,
        release: i64,
        is_for: impl Fn(&str, Option<i64>) -> bool,
    ) -> Result<Trials, StoreError> {
        let sql = "SELECT device_id, (SELECT member_id FROM devices WHERE devices.team_id = reports.team_id
            AND devices.device_id = reports.device_id) AS member_id,
            CASE WHEN code IN ('applied', 'unchanged', 'stale') THEN 0 ELSE 1 END AS failed
            FROM reports WHERE team_id = $1 AND release = $2";
        let rows = sqlx::query(sql).bind(self.team).bind(release).fetch_all(self.pool()).await?;
        let mut tried = BTreeMap::new();
        for row in &rows {
            let (device, member): (String, Option<i64>) =
                (row.try_get("device_id")?, row.try_get("member_id")?);
            if is_for(&device, member) {
                let who = member.map_or_else(|| Err(device), Ok);
                *tried.entry(who).or_insert(false) |= words::flag(row, "failed")?;
            }
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let failed = tried.values().filter(|failed| **failed).count();
        Ok(Trials { tried: count(tried.len()), failed: count(failed) })
    }

    /// The highest sequence that a device said it has: after a backup was put
    /// back it can be above ours.
    pub async fn highest_reported(&self) -> Result<u64, StoreError> {
        let sql = "SELECT COALESCE(MAX(report_sequence), 0) AS highest FROM devices WHERE team_id = $1";
        words::number(&sqlx::query(sql).bind(self.team).fetch_one(self.pool()).await?, "highest")
    }
}

async fn insert(
    work: &mut Transaction<'static, Any>,
    team: i64,
    new: &NewDevice,
) -> Result<Device, StoreError> {
    let sql = "INSERT INTO devices (team_id, device_id, name, os, member_id, enrolled, added_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let query = sqlx::query(sql).bind(team).bind(&new.id).bind(&new.name).bind(&new.os);
    let query = query.bind(new.member).bind(i64::from(new.enrolled)).bind(new.added_at);
    let inserted = query.execute(&mut **work).await;
    inserted.map_err(|error| StoreError::from(error).exists(|| format!("the device {}", new.id)))?;
    Ok(Device {
        id: new.id.clone(),
        name: new.name.clone(),
        os: new.os.clone(),
        member: new.member,
        enrolled: new.enrolled,
        added_at: new.added_at,
        revoked_at: None,
        seen_at: None,
        last_report: None,
    })
}

fn device_row(row: &AnyRow) -> Result<Device, StoreError> {
    Ok(Device {
        id: row.try_get("device_id")?,
        name: row.try_get("name")?,
        os: row.try_get("os")?,
        member: row.try_get("member_id")?,
        enrolled: words::flag(row, "enrolled")?,
        added_at: row.try_get("added_at")?,
        revoked_at: row.try_get("revoked_at")?,
        seen_at: row.try_get("seen_at")?,
        last_report: last_report(row)?,
    })
}

fn last_report(row: &AnyRow) -> Result<Option<Report>, StoreError> {
    let Some(code) = row.try_get("report_code")? else { return Ok(None) };
    Ok(Some(Report {
        sequence: words::number(row, "report_sequence")?,
        release: words::number(row, "report_release")?,
        code,
        detail: row.try_get("report_detail")?,
    }))
}
