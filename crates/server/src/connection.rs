//! Connections that cannot hold a listener: so many at once, and each must send
//! its request within a time. One that waits for our answer may wait.
//!
//! Everybody on the machine can connect. Where all places are taken, the oldest
//! one that never showed that it may come in gives its place to the next.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::mem;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So many are held at once.
    pub most: usize,
    /// So long may one do nothing that is known to be of somebody who may come in,
    pub patience: Duration,
    /// and so long any other, which is the time for the head of a first request.
    pub head: Duration,
}

/// For callers on the same machine.
const NEAR: Limits = Limits { most: 256, patience: Duration::from_secs(20), head: Duration::from_secs(2) };

/// What is known of a connection.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    /// How many of its requests are being answered.
    busy: AtomicUsize,
    /// It brought a request that was let in.
    welcome: AtomicBool,
    /// Another one has its place.
    displaced: AtomicBool,
    /// Who is told that it has no place any more.
    task: Mutex<Option<Waker>>,
}

/// Ends when its request was answered, or when nobody waits any more.
struct Busy(Activity);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Activity {
    /// Who asks may come in, so it keeps its place.
    pub fn welcome(&self) {
        self.0.welcome.store(true, Ordering::SeqCst);
    }

    fn is_welcome(&self) -> bool {
        self.0.welcome.load(Ordering::SeqCst)
    }

    fn is_busy(&self) -> bool {
        self.0.busy.load(Ordering::SeqCst) > 0
    }

    /// A request that was on its way already, and may come in, is answered.
    fn is_displaced(&self) -> bool {
        self.0.displaced.load(Ordering::SeqCst) && !self.is_welcome()
    }

    fn displace(&self) {
        self.0.displaced.store(true, Ordering::SeqCst);
        if let Some(task) = lock(&self.0.task).take() {
            task.wake();
        }
    }

    fn is_waited_for_by(&self, task: &Waker) {
        let mut kept = lock(&self.0.task);
        if !kept.as_ref().is_some_and(|kept| kept.will_wake(task)) {
            *kept = Some(task.clone());
        }
    }
}

/// Notes that a request is being answered.
pub async fn noted(ConnectInfo(activity): ConnectInfo<Activity>, request: Request, next: Next) -> Response {
    activity.0.busy.fetch_add(1, Ordering::SeqCst);
    let _busy = Busy(activity);
    next.run(request).await
}

/// Notes that this request may come in.
pub fn welcome(request: &Request) {
    if let Some(ConnectInfo(activity)) = request.extensions().get::<ConnectInfo<Activity>>() {
        activity.welcome();
    }
}

/// Those who have a place, the oldest first.
#[derive(Debug)]
struct Places {
    limits: Limits,
    taken: Mutex<VecDeque<Activity>>,
    left: Notify,
}

impl Places {
    fn within(limits: Limits) -> Places {
        Places { limits, taken: Mutex::default(), left: Notify::new() }
    }

    /// Waits until there is one, or one that can be had.
    async fn wait(&self) {
        while !self.is_any() {
            self.left.notified().await;
        }
    }

    fn is_any(&self) -> bool {
        let taken = lock(&self.taken);
        taken.len() < self.limits.most || taken.iter().any(|one| !one.is_welcome())
    }

    fn take(&self) -> Activity {
        let mut taken = lock(&self.taken);
        if taken.len() >= self.limits.most
            && let Some(oldest) = taken.iter().position(|one| !one.is_welcome())
            && let Some(oldest) = taken.remove(oldest)
        {
            oldest.displace();
        }
        let activity = Activity::default();
        taken.push_back(activity.clone());
        activity
    }

    fn leave(&self, activity: &Activity) {
        lock(&self.taken).retain(|one| !Arc::ptr_eq(&one.0, &activity.0));
        self.left.notify_one();
    }
}

/// A listener whose connections are bounded.
#[derive(Debug)]
pub struct Guarded {
    listener: TcpListener,
    places: Arc<Places>,
}

impl Guarded {
    pub fn of(listener: TcpListener) -> Guarded {
        Guarded::within(NEAR, listener)
    }

    pub fn within(limits: Limits, listener: TcpListener) -> Guarded {
        Guarded { listener, places: Arc::new(Places::within(limits)) }
    }
}

impl Listener for Guarded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            self.places.wait().await;
            match self.listener.accept().await {
                Ok((stream, address)) => return (Connection::of(stream, &self.places), address),
                // No descriptor is free, or the caller is gone already.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Guarded>> for Activity {
    fn connect_info(stream: IncomingStream<'_, Guarded>) -> Activity {
        stream.io().activity.clone()
    }
}

/// One connection and how long it has been idle.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    activity: Activity,
    deadline: Pin<Box<Sleep>>,
    /// It was over when it was looked at last.
    was_over: bool,
    places: Arc<Places>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.places.leave(&self.activity);
    }
}

impl Connection {
    fn of(stream: TcpStream, places: &Arc<Places>) -> Connection {
        let _ = stream.set_nodelay(true);
        Connection {
            stream,
            activity: places.take(),
            deadline: Box::pin(sleep(places.limits.head)),
            was_over: false,
            places: Arc::clone(places),
        }
    }

    /// What is known of it.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Bytes that come do not count, or a request could come byte by byte for ever.
    fn renew(&mut self) {
        let Limits { patience, head, .. } = self.places.limits;
        let patience = if self.activity.is_welcome() { patience } else { head };
        self.deadline.as_mut().reset(Instant::now() + patience);
    }

    /// Whether nobody waits for it any more. A head that has just come is noted
    /// only after the stream was asked for more, so it is looked at twice.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        self.activity.is_waited_for_by(context.waker());
        let is_over = self.activity.is_displaced() || self.is_out_of_time(context);
        let was_over = mem::replace(&mut self.was_over, is_over);
        if is_over && !was_over {
            context.waker().wake_by_ref();
        }
        is_over && was_over
    }

    fn is_out_of_time(&mut self, context: &mut Context<'_>) -> bool {
        while self.deadline.is_elapsed() || self.deadline.as_mut().poll(context).is_ready() {
            if !self.activity.is_busy() {
                return true;
            }
            self.renew();
        }
        false
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending if self.is_over(context) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            poll => poll,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(written) => {
                self.renew();
                Poll::Ready(written)
            }
            // Somebody who does not read what we write is let go, too.
            Poll::Pending if self.is_over(context) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// What panicked elsewhere leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stranger_gives_its_place_and_who_may_come_in_never() {
        let places = Places::within(NEAR);
        let first: Vec<Activity> = (0..NEAR.most).map(|_| places.take()).collect();
        first[0].welcome();
        let next = places.take();
        let displaced = |of: &[Activity]| of.iter().filter(|one| one.is_displaced()).count();
        assert_eq!((displaced(&first[..2]), displaced(&first), usize::from(next.is_displaced())), (1, 1, 0));
        assert!(!first[0].is_displaced() && places.is_any());
        next.welcome();
        first[2..].iter().for_each(Activity::welcome);
        assert!(!places.is_any(), "all of them may stay");
        places.leave(&next);
        assert!(places.is_any());
    }
}
