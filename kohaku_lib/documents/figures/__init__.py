"""The image stages: extraction, OCR and captions."""
