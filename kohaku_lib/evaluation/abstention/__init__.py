"""The confidence of answers, what leaving some blank would gain, and the best threshold."""
