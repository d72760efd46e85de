"""The leak check of the language tests, here too."""

from language.conftest import no_leaks, pytest_runtest_makereport  # noqa: F401
