"""Claims of an answer to be some assistant, whoever that is: what needs no roster to be seen."""

from __future__ import annotations

import re
import unicodedata

# Assistants and makers that voters know. In a roster or not: an answer that says it is one of them is not blind.
ASSISTANTS = (
    "ChatGPT", "GPT", "Claude", "Gemini", "Bard", "Gemma", "PaLM", "LLaMA", "Qwen", "Tongyi Qianwen", "通义千问", "千问", "Mistral",
    "Mixtral", "Le Chat", "DeepSeek", "深度求索", "Grok", "Copilot", "Kimi", "ERNIE Bot", "文心一言", "Doubao", "豆包", "Hunyuan", "混元",
    "ChatGLM", "GLM", "智谱清言", "Yi", "Falcon", "Vicuna", "Alpaca", "Koala", "Dolly", "Zephyr", "OpenAssistant", "Command R", "Coral",
    "Nemotron", "Phi", "Granite", "OLMo", "Tülu", "Jamba", "Reka", "MiniMax", "InternLM", "Baichuan", "YandexGPT", "GigaChat",
    "HyperCLOVA", "EXAONE", "Solar", "Nova", "Pi", "Perplexity", "Apertus", "EuroLLM", "Teuken",
)  # fmt: skip
MAKERS = (
    "OpenAI", "Anthropic", "Google", "DeepMind", "Meta", "Microsoft", "Mistral", "Alibaba", "DeepSeek", "xAI", "Moonshot", "Baidu",
    "ByteDance", "Tencent", "Zhipu", "01.AI", "LMSYS", "Stability", "Databricks", "Cohere", "NVIDIA", "IBM", "AI2", "Allen Institute",
    "AI21", "Reka", "MiniMax", "Shanghai AI", "Baichuan", "Yandex", "Sber", "Naver", "LG", "Upstage", "Amazon", "Inflection",
    "Perplexity", "Aleph Alpha", "Technology Innovation Institute", "Hugging Face", "Nous Research", "Apple", "Samsung", "Huawei",
)  # fmt: skip

_AI = r"(?:AI|A\.I\.|artificial intelligence|(?:large |AI |chat )?language model|LLM|(?:AI|virtual|digital|chat) ?(?:assistant|model)|chatbot)"
_AI_WORDS = (
    "AI",
    "A.I.",
    "artificial intelligence",
    "model",
    "LLM",
    "assistant",
    "chatbot",
)  # one stands in each match of it
_NAME = r"(?!(?:AI|A|An|The|I|LLM|Not|Just|Only)\b)[A-Z][\w.+-]*(?: [A-Z\d][\w.+-]*){0,3}"
_MADE = r"(?:made|trained|developed|created|built|designed|fine-?tuned|provided|powered|operated)"
# No other sentence, and no other clause of one, between the parts.
_FEW = r"[^.!?\n;:]{0,60}?"
_CLAIMS = re.compile(
    "|".join(
        (
            # I'm Zorblax, an AI assistant; my name is Zorblax and I am a large language model
            rf"\b(?:I am|I'm|My name is|my name is|I'm called|I am called),? (?:called |named )?{_NAME}(?:,| and I am| and I'm|—| -)? ?(?:an?|your) "
            rf"(?:[\w-]+ ){{0,3}}{_AI}\b",
            # I am an AI assistant called Zorblax
            rf"\b(?:I am|I'm|As|as) (?:just |only |merely )?an? (?:[\w-]+ ){{0,3}}{_AI},? (?:that is |who is )?(?:called|named|known as) {_NAME}",
            # I am a large language model, trained by Vexonic Labs; as an AI developed by Vexonic
            rf"\b(?:I am|I'm|As|as)\b(?! not\b){_FEW}\b{_AI}\b{_FEW}\b{_MADE} (?:and \w+ )?(?:by|at) (?:the |a team at |researchers at |people at )?{_NAME}",
        )
    )
)
LOOKED_AT = (
    20_000  # characters: who introduces himself does so early, and a hostile text must not take seconds
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "*": None, "_": " ", "`": None, "“": None, "”": None, '"': None})


def found(text: str) -> str | None:
    """The words by which `text` says which assistant or whose it is; None when it does not."""
    seen = text[:LOOKED_AT]
    if not seen.isascii():
        seen = unicodedata.normalize("NFKC", seen)
        seen = "".join(letter for letter in seen if unicodedata.category(letter) != "Cf")
    seen = " ".join(seen.translate(_QUOTES).split(" "))
    match = _CLAIMS.search(seen) if any(word in seen for word in _AI_WORDS) else None
    return match.group() if match else None
