//! A response body that holds its request's place until it ends.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use pin_project_lite::pin_project;

use super::turnstile::Place;

pin_project! {
    /// The service's own body, and the place of its request until the last byte, an error, or the
    /// drop; or the words of a refusal, which held no place.
    pub struct HeldBody<B> {
        #[pin]
        body: Either<B>,
        place: Option<Place>,
    }
}

pin_project! {
    #[project = Projected]
    enum Either<B> {
        Served { #[pin] body: B },
        Refused { #[pin] body: Full<Bytes> },
    }
}

impl<B> HeldBody<B> {
    pub(super) const fn served(body: B, place: Place) -> Self {
        Self {
            body: Either::Served { body },
            place: Some(place),
        }
    }

    pub(super) fn refused(text: String) -> Self {
        Self {
            body: Either::Refused {
                body: Full::from(text),
            },
            place: None,
        }
    }
}

impl<B: Body<Data = Bytes>> Body for HeldBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.project();
        let frame = match this.body.project() {
            Projected::Served { body } => ready!(body.poll_frame(context)),
            Projected::Refused { body } => ready!(body.poll_frame(context))
                .map(|frame| Ok(frame.unwrap_or_else(|never| match never {}))),
        };
        if !matches!(frame, Some(Ok(_))) {
            // At the end, and not when the response is dropped: a connection may keep it for a while.
            this.place.take();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            Either::Served { body } => body.is_end_stream(),
            Either::Refused { body } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Either::Served { body } => body.size_hint(),
            Either::Refused { body } => body.size_hint(),
        }
    }
}

impl<B> fmt::Debug for HeldBody<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HeldBody")
            .field("holds_place", &self.place.is_some())
            .finish_non_exhaustive()
    }
}
