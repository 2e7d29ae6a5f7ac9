"""What holds for all tests: no property fails for taking long on a busy machine."""

from hypothesis import settings

settings.register_profile("kohaku", deadline=None)
settings.load_profile("kohaku")
