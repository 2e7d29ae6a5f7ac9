"""LlamaIndex with chunks of SIZE tokens that share OVERLAP: dense, and joined with BM25 by reciprocal rank."""

# pyright: reportMissingImports=false
import sys

from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever
from measured import MODEL, ROWS, TOP_K, Clock, measure, write_results

clock = Clock()
Settings.llm = MockLLM()  # with one query a question no model is asked
Settings.embed_model = HuggingFaceEmbedding(model_name=MODEL, device="cpu")
documents = [Document(text=row["text"], doc_id=row["id"]) for row in ROWS]
size, overlap = map(int, sys.argv[3:])
splitter = SentenceSplitter(chunk_size=size, chunk_overlap=overlap)
nodes = splitter.get_nodes_from_documents(documents)
dense = VectorStoreIndex(nodes).as_retriever(similarity_top_k=TOP_K)
dense_s = clock.read()
words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=TOP_K)
hybrid = QueryFusionRetriever(
    [dense, words], similarity_top_k=TOP_K, num_queries=1, mode="reciprocal_rerank", use_async=False
)
hybrid_s = clock.read()
for mode, seconds, retriever in (("dense", dense_s, dense), ("hybrid", hybrid_s, hybrid)):

    def search(text, retriever=retriever):
        hits = retriever.retrieve(text)
        return [hit.node.ref_doc_id for hit in hits], [hit.node.get_content() for hit in hits]

    measure(mode, seconds, search)
write_results()
