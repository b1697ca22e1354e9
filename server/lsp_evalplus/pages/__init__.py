"""Pages of results: values in, one self-contained HTML file out, which loads nothing and shows text as text."""
