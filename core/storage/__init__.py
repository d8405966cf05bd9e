"""Reading files: rows, torn tails, headers, partial streams; what lies where in a workspace."""
