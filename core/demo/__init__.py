"""A sample workspace whose writers were really killed."""
