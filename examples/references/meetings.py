"""Trusted: meetings that touch belong to the same block."""


def busy_blocks(meetings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge meetings, given as (start, end) in minutes, into the blocks of time that are taken.

    >>> busy_blocks([(540, 600), (600, 630), (700, 720)])
    [(540, 630), (700, 720)]
    """
    assert all(0 <= start < end <= 24 * 60 for start, end in meetings), "a meeting lies within a day"
    blocks: list[tuple[int, int]] = []
    for start, end in sorted(meetings):
        if blocks and start <= blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], max(blocks[-1][1], end))
        else:
            blocks.append((start, end))
    return blocks
