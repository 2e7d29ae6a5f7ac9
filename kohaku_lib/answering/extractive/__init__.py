"""The extractive answerer: question analysis, quantities, evidence, and one finder per kind of answer."""
