"""Mapping patterns of the match statement."""

from ..core.registry import function


@function("numjit.match_keys")
def match_keys(mapping, keys):
    """The values of all keys, or None."""
    return values_of(mapping, keys) if has_all(mapping, keys) else None


def has_all(mapping, keys):
    if len(keys) == 0:
        return True
    elif keys[0] not in mapping:
        return False
    else:
        return has_all(mapping, keys[1:])


def values_of(mapping, keys):
    if len(keys) == 0:
        return ()
    else:
        return (mapping[keys[0]],) + values_of(mapping, keys[1:])
