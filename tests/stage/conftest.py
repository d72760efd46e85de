"""Collects the case files of tests/stage: see tests/stage_driver.py for their form."""

import pathlib

import pytest
import stage_driver

HERE = pathlib.Path(__file__).resolve().parent


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector):
    # Cases live in folders; the files beside this one are ordinary tests.
    if file_path.suffix == ".py" and HERE in file_path.parent.parents:
        return CaseFile.from_parent(parent, path=file_path)
    if file_path.suffix == ".tir":
        return TirFile.from_parent(parent, path=file_path)
    return None


class CaseFile(pytest.File):
    read = staticmethod(stage_driver.read_cases)

    def collect(self):
        try:
            cases = self.read(self.path)
        except (stage_driver.CaseError, SyntaxError) as error:
            raise self.CollectError(str(error)) from error
        seen: dict[str, int] = {}
        for case in cases:
            count = seen[case.id] = seen.get(case.id, 0) + 1
            name = case.id if count == 1 else f"{case.id}-{count}"
            yield self.item.from_parent(self, name=name, case=case)


class CaseItem(pytest.Item):
    def __init__(self, *, case: stage_driver.Case | stage_driver.TirCase, **kwargs):
        super().__init__(**kwargs)
        self.case = case

    def runtest(self):
        if not self.case.wanted():
            pytest.skip("the case is for other versions of CPython")
        from numjit.dump import dump_function
        from numjit.errors import NumbaError

        self.case.run(dump_function, NumbaError)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, stage_driver.CaseFailure | stage_driver.CaseError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, self.case.first_line - 1, self.name


CaseFile.item = CaseItem


class TirItem(CaseItem):
    def runtest(self):
        self.case.run()


class TirFile(CaseFile):
    read = staticmethod(stage_driver.read_tir_cases)
    item = TirItem
