"""The confidence of answers, the gain of abstaining, and the best threshold."""
