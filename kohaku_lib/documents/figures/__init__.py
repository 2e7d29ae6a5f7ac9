"""The stages of images: extraction, OCR, captions."""
