"""What programs find in place of the standard output."""

from __future__ import annotations

import os
import sys

from lsp_evalplus.fuzz.guest.jobs.muted import muted


def test_descriptor_of_the_output_discards_what_is_written() -> None:
    with muted():
        descriptor = sys.stdout.fileno()
        assert os.write(descriptor, b"lost") == 4
        assert not os.isatty(descriptor)
        assert sys.stdout.fileno() == descriptor
        assert sys.stderr.fileno() != descriptor
        assert sys.stdout.write("lost") == 4


def test_descriptor_is_closed_with_the_stream() -> None:
    with muted():
        stream = sys.stdout
        descriptor = stream.fileno()
    stream.close()

    assert stream.closed
    try:
        os.fstat(descriptor)
    except OSError:
        return
    raise AssertionError("the descriptor is still open")
