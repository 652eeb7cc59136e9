//! Connections that cannot hold the panel: so many at once, and each must send
//! its request within a time. One that waits for our answer may wait.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// So many connections are held at once.
const MOST: usize = 256;
/// So long may a request take to arrive, and a connection do nothing.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many requests of a connection are being answered.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<AtomicUsize>);

/// Ends when its request was answered, or when nobody waits any more.
struct Busy(Activity);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Notes that a request is being answered.
pub async fn noted(ConnectInfo(activity): ConnectInfo<Activity>, request: Request, next: Next) -> Response {
    activity.0.fetch_add(1, Ordering::SeqCst);
    let _busy = Busy(activity);
    next.run(request).await
}

/// A listener whose connections are bounded.
#[derive(Debug)]
pub struct Guarded {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Guarded {
    pub fn of(listener: TcpListener) -> Guarded {
        Guarded { listener, places: Arc::new(Semaphore::new(MOST)) }
    }
}

impl Listener for Guarded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await.ok();
            match self.listener.accept().await {
                Ok((stream, address)) => return (Connection::of(stream, place), address),
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
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn of(stream: TcpStream, place: Option<OwnedSemaphorePermit>) -> Connection {
        let _ = stream.set_nodelay(true);
        Connection {
            stream,
            activity: Activity::default(),
            deadline: Box::pin(sleep(PATIENCE)),
            _place: place,
        }
    }

    /// Bytes that come do not count, or a request could come byte by byte for ever.
    fn renew(&mut self) {
        self.deadline.as_mut().reset(Instant::now() + PATIENCE);
    }

    fn is_out_of_time(&mut self, context: &mut Context<'_>) -> bool {
        while self.deadline.as_mut().poll(context).is_ready() {
            if self.activity.0.load(Ordering::SeqCst) == 0 {
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
            Poll::Pending if self.is_out_of_time(context) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
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
            Poll::Pending if self.is_out_of_time(context) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
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
