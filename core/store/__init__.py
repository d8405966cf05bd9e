"""The writing half: headers and ledgers, validated, idempotent and repaired on append."""
