"""Words: one way of cutting text into tokens, the same everywhere."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.context.words import content, count_tokens, spans, stem, words


def test_numbers_dates_codes_and_addresses_are_one_token_each() -> None:
    text = "Pay $1,299.00 by 2024-02-29 09:30 with SAVE10 to ann.lee+x@mail.example.org — it’s 5% off!"
    assert [text[start:end] for start, end in spans(text)] == [
        *("Pay", "$", "1,299.00", "by", "2024-02-29", "09:30", "with", "SAVE10", "to", "ann.lee+x@mail.example.org"),
        *("—", "it’s", "5", "%", "off", "!"),
    ]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab1 .,@-'’/"))))
def test_tokens_are_in_order_do_not_overlap_and_leave_out_only_spaces(text: str) -> None:
    places = spans(text)
    assert count_tokens(text) == len(places) == len(words(text))
    ends = [0, *(end for _, end in places)]
    gaps = [text[end:start] for end, (start, _) in zip(ends, places, strict=False)] + [text[ends[-1] :]]
    assert all(start < end for start, end in places) and "".join(gaps).strip() == ""


def test_endings_that_differ_between_an_instruction_and_a_page_are_taken_off() -> None:
    assert [stem(word) for word in ("lamps", "boxes", "batteries", "cleaning", "listed", "is", "bus")] == [
        *("lamp", "box", "battery", "clean", "list", "is", "bus"),
    ]
    assert content("Add the Lamps, please: 2!") == {"add", "lamp", "2"}
