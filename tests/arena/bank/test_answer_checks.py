"""Answers on which nobody should vote: empty, error texts, names given away; and honest ones that look alike."""

from __future__ import annotations

import time

import pytest

from arena.bank.answer_checks import LeakFinder, is_empty, is_error
from arena.bank.roster import ModelInfo

ROSTER = (
    ModelInfo("heron-7b", "heron-7b", provider="Heronry", aliases=("Grey Wader",)),
    ModelInfo("wren-mini", "wren-mini"),
    ModelInfo("osprey", "osprey", provider="Google"),
    ModelInfo("dunlin-s", "dunlin-s"),
    ModelInfo("GPT-4o", "gpt-4o"),
    ModelInfo("o1", "o1"),
    ModelInfo("grèbe-5", "grebe-5"),
)
FINDER = LeakFinder(ROSTER)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("I am Heron-7B.", "heron-7b"),
        ("heron 7b here", "heron-7b"),
        ("HERON_7B", "heron-7b"),
        ("Heron7b", "heron-7b"),
        ("he\u200bron\u00ad-\u20607b", "heron-7b"),
        ("ｈｅｒｏｎ－７ｂ", "heron-7b"),
        ("heron\u20117b", "heron-7b"),
        ("**heron**-`7b`", "heron-7b"),
        ("Ask the grey wader.", "heron-7b"),
        ("I'm **Heron**, how can I help?", "heron-7b"),
        ("I was trained by the team at Heronry.", "heron-7b"),
        ("As an AI developed by Heronry, I cannot.", "heron-7b"),
        ("Wren Mini is better than me", "wren-mini"),
        ("wrenmini", "wren-mini"),
        ("As a language model called WREN\u00a0MINI", "wren-mini"),
        ("My name is Osprey.", "osprey"),
        ("Osprey is much better than me.", "osprey"),
        ("I am not Osprey", "osprey"),
        ("Je suis Osprey.", "osprey"),
        ("我是osprey", "osprey"),
        ("I am a large language model, trained by Google.", "osprey"),
        ("dunlin-S cannot do that", "dunlin-s"),
        ("gpt 4o says", "GPT-4o"),
        ("I'm o1.", "o1"),
        ("GRE\u0300BE-5", "grèbe-5"),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, model: str) -> None:
    leak = FINDER.find(text)

    assert leak is not None
    assert leak.model == model


@pytest.mark.parametrize(
    "text",
    [
        "A heron is a bird.",
        "The heron stood for 7 minutes, b ut left.",
        "Wrens are mini birds; a wren is smaller than a mini van.",
        "An osprey eats fish. I saw an osprey by the lake.",
        "Google was founded in 1998; Kubernetes was made by Google.",
        "Dunlins winter here, and a dunlin's bill is curved.",
        "The complexity is O(1), the oxide O1.",
        "Grebes dive for 5 seconds.",
        "iPhone 4 or 4o degrees",
        "herons7b1 is no word",
    ],
)
def test_a_bird_is_a_bird(text: str) -> None:
    assert FINDER.find(text) is None


def test_what_the_prompt_names_may_be_mentioned_but_not_claimed() -> None:
    asked = "What is the difference between heron-7b and GPT-4o?"

    assert FINDER.find("Heron-7B is smaller than GPT-4o.", asked) is None
    assert FINDER.find("I am Heron, so I should know.", asked) is not None


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\u2028\u00a0", "\x00"])
def test_what_nobody_can_read_is_empty(text: str) -> None:
    assert is_empty(text)


@pytest.mark.parametrize("text", [".", "0", "👩‍💻", "\u200bx"])
def test_a_short_answer_is_an_answer(text: str) -> None:
    assert not is_empty(text)


@pytest.mark.parametrize(
    "text",
    [
        "**NETWORK ERROR DUE TO HIGH TRAFFIC. PLEASE REGENERATE OR REFRESH THIS PAGE.**",
        "**NETWORK ERROR. PLEASE REGENERATE**\n\n(error_code: 50001)",
        "API REQUEST ERROR. Please increase the number of max tokens.",
        "$MODERATION$ YOUR INPUT VIOLATES OUR CONTENT MODERATION GUIDELINES.",
        "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        "503 Service Unavailable",
        '{"error": {"message": "The model is overloaded"}}',
        "Rate limit exceeded, please wait.",
        "Error: Request timed out.",
        "Internal server error",
        "openai.RateLimitError: You exceeded your current quota",
        "⚠️ The model is currently overloaded. Try again later.",
    ],
)
def test_a_providers_error_text_is_no_answer(text: str) -> None:
    assert is_error(text)


@pytest.mark.parametrize(
    "text",
    [
        "HTTP 404 means that the page was not found.",
        "Connection refused usually means that nothing listens on the port.",
        "Errors happen. Here is how to handle them in Python: use try and except.",
        "A rate limit protects a service.",
        "Error 500 occurs when the server fails.\n\n" + "More about it. " * 60,
        "The network error you see comes from the proxy.",
        '```json\n{"errors": 0}\n```',
        "500",
    ],
)
def test_an_answer_about_errors_is_an_answer(text: str) -> None:
    assert not is_error(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am ChatGPT, and I can help.",
        "Hi! I'm Qwen, created by Alibaba Cloud.",
        "I don't have a name, but I was created by Meta.",
        "Je suis Mistral.",
        "我是通义千问",
        "I'm **Zorblax**, an AI assistant.",
        "My name is Zorblax Nine and I am a large language model.",
        "I am an AI assistant called Zorblax.",
        "As an AI developed by Vexonic Labs, I cannot.",
        "I’m a large language model, trained by the Vexonic team.",
    ],
)
def test_a_claim_to_be_some_assistant_is_found_without_a_roster(text: str) -> None:
    leak = LeakFinder(()).find(text)

    assert leak is not None
    assert leak.model is None


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I cannot do that.",
        "I am an AI assistant, so I was built by people.",
        "I'm just a chatbot made by engineers.",
        "Claude Monet painted it; the falcon is faster than me.",
        "ChatGPT is a chatbot developed by OpenAI.",
        "I am Hamlet, a prince of Denmark. Yes, I am.",
        "Microsoft made Windows. I am sorry.",
        "My name is Alice and I am a teacher.",
        "I am not a model. Solar panels work like this.",
        "Yi is a people of China; pi is 3.14; a nova is a star.",
    ],
)
def test_a_text_about_assistants_or_of_a_person_is_no_claim(text: str) -> None:
    assert LeakFinder(()).find(text) is None


def test_who_was_asked_about_an_assistant_may_name_it() -> None:
    assert LeakFinder(()).find("I am Claude.", "Write a speech for Claude.") is None


@pytest.mark.slow
def test_a_hostile_text_is_searched_in_no_time() -> None:
    started = time.process_time()

    assert LeakFinder(()).find("As AI " * 50_000) is None

    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    "text",
    [
        "Unlike Osprey, I can count.",
        "Compared to Osprey I am short.",
        "The other model, Osprey, says no.",
        "The other answer is by Osprey.",
        "Osprey's answer is wrong.",
        "Osprey would answer otherwise.",
    ],
)
def test_an_answer_that_speaks_of_the_model_beside_it_gives_that_away(text: str) -> None:
    leak = FINDER.find(text)

    assert leak is not None
    assert leak.model == "osprey"


@pytest.mark.parametrize(
    "text",
    [
        "Unlike the osprey, the heron wades.",
        "The osprey would dive for fish.",
        "An osprey's response to cold is to fluff up.",
    ],
)
def test_a_bird_beside_another_is_no_model(text: str) -> None:
    assert FINDER.find(text) is None
