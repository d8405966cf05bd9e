"""Documents hold the ledger's own values, whatever encoder they need."""

from __future__ import annotations

import json

from core import RawJson, encode_document


def test_raw_json_goes_in_as_it_stands_and_the_document_is_laid_out() -> None:
    """Numbers keep their spelling, and what can be written the plain way has lines and indentation."""
    text = encode_document({"schema": "x", "args": RawJson(b'{"n":1.50,"big":123456789012345678901}')})

    assert text == b'{\n  "schema": "x",\n  "args": {"n":1.50,"big":123456789012345678901}\n}\n'


def test_what_one_encoder_refuses_another_writes() -> None:
    """A lone surrogate is no reason to lose or change a document."""
    document = {"said": "\ud800", "args": RawJson(b"[1e400]"), "many": [1, None, True, {"a": "b"}]}

    text = encode_document(document)

    assert b"[1e400]" in text
    assert json.loads(text.replace(b"1e400", b"1")) == {**document, "args": [1]}


def test_what_a_terminal_would_obey_is_escaped() -> None:
    """A document is looked at in terminals: it has the same value, and moves, hides and reorders nothing there."""
    said = "\x9b31m \x7f \u202etxt \u2066 \u200b\ufeff \u2028 \U000e0041 \x1b[31m naïve ☃ 👩"
    quoted = json.dumps(said, ensure_ascii=False)
    document = {said: [said, "\ud800"], "args": RawJson(f'{{"a":\r{quoted},\r\n"b":1}}'.encode())}
    for written in (document, {**document, said: [said]}):
        text = encode_document(written).decode("utf-8")

        assert not set("\r\x9b\x7f\x1b\u202e\u2066\u200b\ufeff\u2028\U000e0041") & set(text)
        assert "naïve ☃ 👩" in text
        assert json.loads(text) == {**written, "args": {"a": said, "b": 1}}
