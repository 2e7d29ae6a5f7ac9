"""Word files of a given body, with the parts that a test needs."""

import zipfile

_HEAD = """xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"
 xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"
 xmlns:v="urn:schemas-microsoft-com:vml" """
_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ROOTS = {"header": "hdr", "footer": "ftr"}
_STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2, 3)
)


def word_file(path, body, styles="", **parts):
    """Write a file with a body; each further part, such as `numbering` or `header1`, is the content of its root.

    A part that begins with an XML declaration is written as it is. The relationship of a part has its name as its id.
    """
    parts = {"styles": _STYLES + styles, **parts}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS.format(_relation("officeDocument", "d", "word/document.xml")))
        archive.writestr("word/document.xml", f"<w:document {_HEAD}><w:body>{body}</w:body></w:document>")
        archive.writestr(
            "word/_rels/document.xml.rels",
            _RELATIONS.format("".join(_relation(name.rstrip("0123456789"), name, f"{name}.xml") for name in parts)),
        )
        for name, content in parts.items():
            root = _ROOTS.get(name.rstrip("0123456789"), name)
            is_whole = content.startswith("<?xml")
            archive.writestr(f"word/{name}.xml", content if is_whole else f"<w:{root} {_HEAD}>{content}</w:{root}>")
    return path


def p(text="", properties="", style=""):
    """Return a paragraph of a text, or of runs in XML."""
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{properties}</w:pPr>{text if text.startswith('<') else r(text) if text else ''}</w:p>"


def r(text):
    """Return a run of a text."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _relation(kind, id_, target):
    return f'<Relationship Id="{id_}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
