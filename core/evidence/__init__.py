"""What is taken away: documents, reports, differences and redacted slices."""
