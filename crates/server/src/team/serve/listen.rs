//! The door of the team server: bounded connections, each with its handshake
//! on a task of its own, so that nobody who is slow to greet holds the next.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection::{Activity, Connection, Guarded, Limits};

/// A browser or a script keeps a connection for about a minute,
const PATIENCE: Duration = Duration::from_secs(75);
/// and a request may come from far away.
const HEAD: Duration = Duration::from_secs(10);
/// So long may a handshake take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// So many that have shaken hands may wait to be taken.
const WAITING: usize = 64;

/// Connections that are ready for requests.
#[derive(Debug)]
pub struct Incoming {
    ready: mpsc::Receiver<(Stream, SocketAddr)>,
    address: SocketAddr,
}

impl Incoming {
    /// Begins to take connections; encrypted ones when there is a configuration.
    pub fn on(listener: TcpListener, tls: Option<Arc<ServerConfig>>, most: usize) -> io::Result<Incoming> {
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(WAITING);
        let limits = Limits { most, patience: PATIENCE, head: HEAD };
        tokio::spawn(take_all(Guarded::within(limits, listener), tls.map(TlsAcceptor::from), sender));
        Ok(Incoming { ready, address })
    }
}

/// Ends when nobody takes what it brings: the listener is closed with it.
async fn take_all(
    mut guarded: Guarded,
    acceptor: Option<TlsAcceptor>,
    ready: mpsc::Sender<(Stream, SocketAddr)>,
) {
    loop {
        let (connection, address) = tokio::select! {
            taken = guarded.accept() => taken,
            () = ready.closed() => return,
        };
        match &acceptor {
            None => {
                if ready.send((Stream::Plain(connection), address)).await.is_err() {
                    return;
                }
            }
            Some(acceptor) => {
                tokio::spawn(shake_hands(acceptor.clone(), connection, address, ready.clone()));
            }
        }
    }
}

async fn shake_hands(
    acceptor: TlsAcceptor,
    connection: Connection,
    address: SocketAddr,
    ready: mpsc::Sender<(Stream, SocketAddr)>,
) {
    let problem = match timeout(HANDSHAKE, acceptor.accept(connection)).await {
        Ok(Ok(stream)) => {
            let _ = ready.send((Stream::Encrypted(Box::new(stream)), address)).await;
            return;
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it took too long".to_owned(),
    };
    tracing::debug!(peer = %address.ip(), problem, "a handshake failed");
}

impl Listener for Incoming {
    type Io = Stream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Stream, SocketAddr) {
        match self.ready.recv().await {
            Some(ready) => ready,
            // The task that takes them ends after us alone.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// A connection, encrypted or not.
#[derive(Debug)]
pub enum Stream {
    /// On the loopback, or behind something that decrypts.
    Plain(Connection),
    /// With our own certificate.
    Encrypted(Box<TlsStream<Connection>>),
}

impl Stream {
    fn activity(&self) -> &Activity {
        match self {
            Stream::Plain(connection) => connection.activity(),
            Stream::Encrypted(stream) => stream.get_ref().0.activity(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// Who is at the other end.
#[derive(Debug, Clone)]
pub struct Caller {
    address: SocketAddr,
    activity: Activity,
}

impl Connected<IncomingStream<'_, Incoming>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Incoming>) -> Caller {
        Caller { address: *stream.remote_addr(), activity: stream.io().activity().clone() }
    }
}

/// Hands on the socket's address, which no header changes, and what is known of
/// the connection.
pub async fn introduced(
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(ConnectInfo(caller.address));
    request.extensions_mut().insert(ConnectInfo(caller.activity));
    next.run(request).await
}
