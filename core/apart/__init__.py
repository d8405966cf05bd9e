"""Reading a run in another process, so that whoever draws meanwhile is not held up."""
