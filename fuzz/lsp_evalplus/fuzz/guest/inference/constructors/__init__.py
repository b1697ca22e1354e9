"""What constructors take, and what the use of it in their classes shows of its types."""
