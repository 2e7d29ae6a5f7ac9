"""OpenDocument files of a given body, with the styles and properties that a test needs."""

import zipfile

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
        ("presentation", "presentation"),
        ("svg", "svg-compatible"),
        ("meta", "meta"),
    )
)
_ROOT = f'{_NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"'


def odf_file(path, body, automatic="", styles="", masters="", meta="", manifest=""):
    """Write a file whose kind is that of its suffix, and return its path."""
    kind = {".odt": "text", ".ods": "spreadsheet", ".odp": "presentation"}[path.suffix]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr(
            "content.xml",
            f"<office:document-content {_ROOT}><office:automatic-styles>{automatic}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        )
        archive.writestr(
            "styles.xml",
            f"<office:document-styles {_ROOT}><office:styles>{styles}</office:styles>"
            f"<office:master-styles>{masters}</office:master-styles></office:document-styles>",
        )
        archive.writestr(
            "meta.xml", f"<office:document-meta {_ROOT}><office:meta>{meta}</office:meta></office:document-meta>"
        )
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest>{manifest}</manifest:manifest>")
    return path
