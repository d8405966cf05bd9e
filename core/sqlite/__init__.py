"""Reading Maka's database without touching it."""
