"""What values of the user's own types consist of, under the names of Numba's data models."""

from __future__ import annotations

import functools

from numjit.errors import UnsupportedError

#: Class of types -> class of models.
registered: dict = {}


def register_model(fe_type_cls):
    """Decorator of the model of a class of types."""

    def decorate(model):
        registered[fe_type_cls] = model
        return model

    return decorate


register_default = register_model


class DataModel:
    """Base of models: made for one type."""

    members: tuple = ()  # (name, type) pairs

    def __init__(self, dmm, fe_type):
        self._dmm = dmm
        self._fe_type = fe_type

    @property
    def fe_type(self):
        return self._fe_type


class StructModel(DataModel):
    """Values made of named parts."""

    def __init__(self, dmm, fe_type, members):
        super().__init__(dmm, fe_type)
        self.members = tuple((str(name), type_) for name, type_ in members)

    @property
    def field_count(self) -> int:
        return len(self.members)

    def get_field_position(self, field) -> int:
        return [name for name, _ in self.members].index(field)

    def get_type(self, pos):
        return self.members[pos][1] if isinstance(pos, int) else dict(self.members)[pos]


class OpaqueModel(DataModel):
    """Values of which compiled code knows nothing but their type."""


class PrimitiveModel(DataModel):
    """Values described by a type of LLVM, which numjit does not take."""

    def __init__(self, dmm, fe_type, be_type=None):
        raise UnsupportedError(
            f"the model of {fe_type} is a {type(self).__name__}, described by a type of LLVM",
            hint="derive it from models.StructModel, with a member of a numjit type",
        )


PointerModel = PrimitiveModel


class DataModelManager:
    """Finds the model of a type."""

    @functools.cache  # noqa: B019 - there is one manager, and types live as long as the process
    def lookup(self, fe_type) -> DataModel:
        for cls in type(fe_type).__mro__:
            if cls in registered:
                return registered[cls](self, fe_type)
        raise NotImplementedError(f"no model is registered for {fe_type}")

    def __getitem__(self, fe_type):
        return self.lookup(fe_type)

    def __contains__(self, fe_type) -> bool:
        return any(cls in registered for cls in type(fe_type).__mro__)


default_manager = DataModelManager()
