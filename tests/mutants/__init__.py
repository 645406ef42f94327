"""Faults put into the rules one at a time, to see that a test finds each."""
