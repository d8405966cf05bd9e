"""Measures what the viewer promises about speed: `python -m tests.bench`. No test of the suite looks at these times."""
