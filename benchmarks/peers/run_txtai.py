"""txtai, which does not split, over paragraphs: dense, and its own hybrid with BM25, both from one index."""

# pyright: reportMissingImports=false
from measured import MODEL, ROWS, TOP_K, Clock, measure, write_results
from txtai import Embeddings

clock = Clock()
chunks = [(row["id"], part) for row in ROWS for part in row["text"].split("\n\n") if part.strip()]
embeddings = Embeddings(path=MODEL, hybrid=True, gpu=False)
embeddings.index((number, text, None) for number, (_, text) in enumerate(chunks))
seconds = clock.read()
for mode, dense_share in (("dense", 1.0), ("hybrid", 0.5)):

    def search(text, dense_share=dense_share):
        hits = [chunks[int(hit)] for hit, _ in embeddings.search(text, TOP_K, weights=dense_share)]
        return [name for name, _ in hits], [text for _, text in hits]

    measure(mode, seconds, search)
write_results()
