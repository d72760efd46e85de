"""What the language tests have: every test checks that no memory block is left."""

from language.conftest import no_leaks, pytest_runtest_makereport  # noqa: F401
