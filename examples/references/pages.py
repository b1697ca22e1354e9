"""Trusted: a page that is exactly full does not open another one."""


def page_count(items: int, per_page: int) -> int:
    """Return the number of pages that show all items; an empty listing has one (empty) page."""
    assert items >= 0, "a listing has no negative length"
    assert 1 <= per_page <= 500, "the server shows 1 to 500 items a page"
    return max(1, -(-items // per_page))
