"""Haystack with its default splitter, 200 words: dense, and joined with BM25 by reciprocal rank."""

# pyright: reportMissingImports=false
from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from measured import MODEL, ROWS, TOP_K, Clock, measure, write_results

clock = Clock()
splitter = DocumentSplitter()
embedder = SentenceTransformersDocumentEmbedder(model=MODEL, progress_bar=False)
asking = SentenceTransformersTextEmbedder(model=MODEL, progress_bar=False)
for component in (splitter, embedder, asking):
    component.warm_up()
documents = [Document(content=row["text"], meta={"row": row["id"]}) for row in ROWS]
store = InMemoryDocumentStore()
store.write_documents(embedder.run(splitter.run(documents)["documents"])["documents"])
seconds = clock.read()
by_vector, by_words = InMemoryEmbeddingRetriever(store, top_k=TOP_K), InMemoryBM25Retriever(store, top_k=TOP_K)
joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K)


def dense(text):
    return by_vector.run(query_embedding=asking.run(text)["embedding"])["documents"]


def hybrid(text):
    return joiner.run([dense(text), by_words.run(query=text)["documents"]])["documents"]


for find in (dense, hybrid):

    def search(text, find=find):
        hits = find(text)
        return [hit.meta["row"] for hit in hits], [hit.content for hit in hits]

    measure(find.__name__, seconds, search)
write_results()
