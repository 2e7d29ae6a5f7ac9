"""The version of the installed package, which its build takes from the git tag."""

from importlib.metadata import version

__version__ = version("kohaku")
