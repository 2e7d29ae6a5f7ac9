"""Text primitives that every package shares: units, sentences, words, stems, stop words, JSON of model replies."""
