"""Read the figures of a PDF as WebP: raster images by xref, drawn regions by their box."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.figures.page_figures import FIGURE_DPI, POINTS_PER_INCH
from kohaku_lib.documents.formats.pdf.open_pdf import open_pdf
from kohaku_lib.settings import ImagesSettings

if TYPE_CHECKING:
    import pymupdf
    from PIL import Image

_MODES = {(1, 0): "L", (2, 1): "LA", (3, 0): "RGB", (4, 1): "RGBA"}
_MOST_PIXELS = 100_000_000
_FAULTS = (RuntimeError, ValueError, OSError, KeyError, MemoryError)
_MOST_BYTES = 96 << 20  # per document
_EFFORT = 6  # WebP's method: the smallest files


def figure_images(path: Path, images: Sequence[Mapping[str, Any]], settings: ImagesSettings) -> list[dict[str, Any]]:
    """Return the `data` (base64 WebP), `sha256`, `width` and `height` (in pixels) of every image.

    Each image is a mapping with `page` (1-based), `bbox` (in points, in PyMuPDF's coordinates), `turn` (quarter turns
    that make the page upright) and `xref`. If `xref` is None or cannot be decoded, the box is rendered at 150 dpi. If
    that fails as well, the result has `error` instead, and whether it `may_pass`; a single-colour image, such as a
    shadow or background, has `blank`.

    Raises:
        DocumentError: The PDF cannot be opened.

    """
    with open_pdf(path) as pdf:
        return list(_read_all(pdf, images, settings))


def _read_all(
    pdf: pymupdf.Document, images: Sequence[Mapping[str, Any]], settings: ImagesSettings
) -> Iterator[dict[str, Any]]:
    size = 0
    for image in images:
        result = _read_image(pdf, image, settings)
        size += len(result.get("data", ""))
        if size <= _MOST_BYTES:
            yield result
        else:
            yield {"error": f"it and the figures before it take more than {_MOST_BYTES >> 20} MiB"}


def _read_image(pdf: pymupdf.Document, image: Mapping[str, Any], settings: ImagesSettings) -> dict[str, Any]:
    try:
        picture = _limit_size(_decode_or_render(pdf, image, settings.max_side_px), settings.max_side_px)
        sink = io.BytesIO()
        if _is_blank(picture):
            return {"blank": True}
        picture.save(sink, "WEBP", method=_EFFORT, quality=settings.quality)
    except (*_FAULTS, IndexError) as fault:
        may_pass = isinstance(fault, MemoryError) or getattr(fault, "errno", None) is not None
        return {"error": " ".join(str(fault).split()) or type(fault).__name__, "may_pass": may_pass}
    data = sink.getvalue()
    return {
        "data": base64.b64encode(data).decode(),
        "sha256": hashlib.sha256(data).hexdigest(),
        "width": picture.width,
        "height": picture.height,
    }


def _decode_or_render(pdf: pymupdf.Document, image: Mapping[str, Any], longest: int) -> Image.Image:
    if image["xref"] is None:
        return _render_box(pdf, image, longest)
    try:
        return _with_soft_mask(pdf, image["xref"])
    except _FAULTS as fault:
        with contextlib.suppress(*_FAULTS):
            return _render_box(pdf, image, longest)
        raise fault from None


def _is_blank(image: Image.Image) -> bool:
    extremes: Any = image.getextrema()
    bands = extremes if isinstance(extremes[0], tuple) else (extremes,)
    return all(low == high for low, high in bands)


def _render_box(pdf: pymupdf.Document, image: Mapping[str, Any], longest: int) -> Image.Image:
    """Render the image's box of the page upright, with a longer side of about `longest` pixels at most."""
    import pymupdf

    page = pdf[image["page"] - 1]
    page.set_rotation(90 * (image["turn"] or 0))
    clip = pymupdf.Rect(image["bbox"]) * page.rotation_matrix
    scale = min(FIGURE_DPI / POINTS_PER_INCH, longest / max(clip.width, clip.height))
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), clip=clip, colorspace=pymupdf.csRGB, alpha=False, annots=False
    )
    if min(pixmap.width, pixmap.height) < 1:
        msg = f"its box {image['bbox']} shows nothing"
        raise ValueError(msg)
    return _pillow_image(pixmap)


def _with_soft_mask(pdf: pymupdf.Document, xref: int) -> Image.Image:
    """Return the image with its soft mask as alpha; raise ValueError or RuntimeError if it cannot be decoded."""
    import pymupdf

    width, height = (_integer_key(pdf, xref, key) for key in ("Width", "Height"))
    if width * height > _MOST_PIXELS:
        msg = f"it has {width} x {height} pixels, more than {_MOST_PIXELS}"
        raise ValueError(msg)
    pixmap = pymupdf.Pixmap(pdf, xref)
    if pixmap.colorspace is None:
        msg = "it is a bare mask"
        raise ValueError(msg)
    if pixmap.n - pixmap.alpha not in (1, 3) or pixmap.colorspace.name not in {"DeviceRGB", "DeviceGray"}:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
    image = _pillow_image(pixmap)
    kind, mask = pdf.xref_get_key(xref, "SMask")
    if kind == "xref" and not pixmap.alpha:
        alpha = _pillow_image(pymupdf.Pixmap(pdf, int(mask.split()[0]))).convert("L")
        image = image.convert("RGB")
        image.putalpha(alpha if alpha.size == image.size else alpha.resize(image.size))
    return image


def _integer_key(pdf: pymupdf.Document, xref: int, key: str) -> int:
    kind, value = pdf.xref_get_key(xref, key)
    return int(value) if kind == "int" else 0


def _pillow_image(pixmap: pymupdf.Pixmap) -> Image.Image:
    from PIL import Image

    mode = _MODES[pixmap.n, int(bool(pixmap.alpha))]
    image = Image.frombytes(mode, (pixmap.width, pixmap.height), pixmap.samples)
    return image.convert("RGBA") if mode == "LA" else image


def _limit_size(image: Image.Image, longest: int) -> Image.Image:
    from PIL import Image

    scale = longest / max(image.size)
    if scale >= 1:
        return image
    width, height = (max(1, round(side * scale)) for side in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS)
