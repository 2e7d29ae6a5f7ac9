"""Figures in a context: captions for every answerer, image bytes for multimodal models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.index import Snapshot
from kohaku_lib.llm import ImagePart
from kohaku_lib.settings import AnswerSettings
from kohaku_lib.tables import ImageMatch, RetrievalResult, Snippet

ReadImages = Callable[[Sequence[str]], Mapping[str, bytes]]  # storage keys to the bytes of the stored ones
MIB = 2**20


@dataclass(frozen=True, slots=True)
class FigureSnippet(Snippet):
    """A figure's caption as a snippet; `node_id` is the storage key of its image."""

    searched: bool = False  # found by image search, so its image may be attached


def figure_snippets(images: Sequence[ImageMatch], after: int, *, uncaptioned: bool) -> tuple[FigureSnippet, ...]:
    """Return the figures of a context in order, ranked after its `after` snippets.

    Figures without a caption are omitted unless `uncaptioned`.

    >>> [one.rank for one in figure_snippets([ImageMatch("img:d:p2:i1", "d", 2, "A plot")], 5, uncaptioned=False)]
    [6]
    """
    shown_images = [image for image in images if image.caption.strip() or (uncaptioned and image.searched)]
    return tuple(
        FigureSnippet(
            image.storage_key,
            image.document_id,
            "",
            image.page,
            image.caption,
            after + place,
            image.score or 0.0,
            searched=image.searched,
        )
        for place, image in enumerate(shown_images, start=1)
    )


def passages_of(result: RetrievalResult, *, uncaptioned: bool = False) -> tuple[Snippet, ...]:
    """Return the passages of a context, best first, followed by its figures; see `figure_snippets`."""
    return (*result.snippets, *figure_snippets(result.images, len(result.snippets), uncaptioned=uncaptioned))


def select_images(
    figures: Sequence[FigureSnippet], settings: AnswerSettings, read: ReadImages | None
) -> dict[str, ImagePart]:
    """Return the images to attach to a prompt, by storage key, in the order of `figures`.

    Only figures found by image search are attached, up to `settings.max_images` and `settings.max_image_mb` in total. A
    figure that is missing, exceeds the remaining size or has an unsupported type is represented by its caption only.
    """
    if not settings.send_images or read is None:
        return {}
    keys = [figure.node_id for figure in figures if figure.searched]
    data_by_key = read(keys) if keys else {}
    image_by_key: dict[str, ImagePart] = {}
    remaining_bytes = int(settings.max_image_mb * MIB)
    for key in keys:
        data = data_by_key.get(key, b"")
        mime = media_type(data)
        if mime is None or len(data) > remaining_bytes or len(image_by_key) == settings.max_images:
            continue
        image_by_key[key] = ImagePart(mime, data)
        remaining_bytes -= len(data)
    return image_by_key


def media_type(data: bytes) -> str | None:
    """Return the media type detected from the leading bytes, None if models do not support it.

    >>> media_type(b"RIFF1234WEBPVP8 "), media_type(b"<svg/>")
    ('image/webp', None)
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for start, mime in _SIGNATURES.items() if data.startswith(start)), None)


def read_images(snapshot: Snapshot, keys: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of those images `keys` that are in `snapshot`."""
    with snapshot.connect() as connection:
        rows = connection.execute(_QUERY, {"keys": list(keys)}).fetchall()
    return dict(rows)


_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_QUERY = "SELECT storage_key, bytes FROM image_blobs WHERE list_contains($keys, storage_key)"
