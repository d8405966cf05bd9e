"""The process-crash harness: real children, really killed."""
