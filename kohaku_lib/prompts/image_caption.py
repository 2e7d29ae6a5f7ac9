"""The prompt for the description of a figure."""

VERSION = "caption.v1"

SYSTEM = (
    "You describe figures from technical and financial documents for a search index. Say only what can be seen; "
    "never guess a number that cannot be read."
)

USER = (
    "Describe this figure in three to five specific sentences of plain text. Of a plot, name the axes with their "
    "units, the series, the values that can be read and the trend. Of a diagram, name its parts and how they are "
    "connected. Of a table, give its most important rows and numbers. Of a photograph, say what it shows. Begin with "
    "the content itself, without a phrase such as 'the image shows'."
)
