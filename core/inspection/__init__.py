"""What is said about a ledger: inspections, witnesses, explanations, filters and search."""
