"""The kernels of the extractive reader: question forms, quantities, evidence, and a finder per kind of answer."""
