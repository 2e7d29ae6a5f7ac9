"""The request to merge several drafts of a free answer; it follows the prompt of `cited_answer`."""

VERSION = "merged_answer.v1"

USER = (
    "{drafts}\n\nWrite the answer from the drafts: keep what most of them say and the sources support, and leave out the "
    "rest. Each statement has its [Source N] as before."
)
