"""What a candidate is judged against."""
