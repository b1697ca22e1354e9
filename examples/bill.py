"""Prompt: "split a restaurant bill fairly". There is no reference: the docstring's own examples say what is right."""


def split_bill(cents: int, people: int) -> list[int]:
    """Split a bill into shares that add up to it; the first people pay the cents that are left over.

    >>> split_bill(900, 3)
    [300, 300, 300]
    >>> split_bill(1000, 3)
    [334, 333, 333]
    """
    share = round(cents / people)
    return [share] * people
