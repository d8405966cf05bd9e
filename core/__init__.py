"""Reads Maka ledgers honestly and decides what may be replayed; knows no terminal."""
