"""The verdict store: what was judged once is found again by what was judged, under which conditions."""
