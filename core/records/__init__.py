"""The records of a ledger: events and headers in closed shapes, decoded and written to the byte."""
