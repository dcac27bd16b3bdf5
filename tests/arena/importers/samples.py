"""One small file of every vote format, made up for the tests, and the votes that stand in it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Sample:
    """A file and its votes as (model_a, model_b, outcome word), in order."""

    name: str
    content: bytes
    votes: tuple[tuple[str, str, str], ...]


def csv(text: str, *votes: tuple[str, str, str], name: str = "votes.csv") -> Sample:
    lines = [line.strip() for line in text.strip().split("\n")]
    return Sample(name, "".join(line + "\n" for line in lines).encode(), votes)


def lines(records: Iterable[Any], *votes: tuple[str, str, str]) -> Sample:
    return Sample("votes.jsonl", "".join(json.dumps(each) + "\n" for each in records).encode(), votes)


def array(records: Iterable[Any], *votes: tuple[str, str, str]) -> Sample:
    return Sample("votes.json", json.dumps(list(records), indent=1).encode(), votes)


def parquet(records: list[dict[str, Any]], *votes: tuple[str, str, str]) -> Sample:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), sink)
    return Sample("votes.parquet", sink.getvalue(), votes)


def said(answer: str, asked: str = "Name a bird.") -> list[dict[str, Any]]:
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]


def in_parts(answer: str) -> list[dict[str, Any]]:
    return [
        {"role": role, "content": [{"type": "text", "text": text}]}
        for role, text in (("user", "Name a bird."), ("assistant", answer))
    ]


PAIR = {"model_a": "rook-2b", "model_b": "teal-9b"}
A, B, TIE, BAD = (("rook-2b", "teal-9b", word) for word in ("model_a", "model_b", "tie", "both_bad"))
SWAPPED_A = ("teal-9b", "rook-2b", "model_a")
LOG = {"tstamp": 1700000000.5, "models": ["", ""], "ip": "192.0.2.7"}


def states(a: str = "A wren.", b: str = "An owl.") -> list[dict[str, Any]]:
    return [
        {"model_name": name, "conv_id": f"c-{name}-{a}", "offset": 0, "messages": [["USER", "Name a bird."], ["ASSISTANT", answer]]}
        for name, answer in (("rook-2b", a), ("teal-9b", b))
    ]  # fmt: skip


SAMPLES: Mapping[str, Sample] = {
    "generic": csv(
        """
        battle_id,model_a,model_b,winner,tstamp,session_id,language,category,remark
        x1,rook-2b,teal-9b,model_a,1700000000,v1,German,code,odd
        x2,teal-9b,rook-2b,model_a,1700000060,v2,en,,
        x3,rook-2b,teal-9b,tie (bothbad),,v1,,chat,
        """,
        A, SWAPPED_A, BAD,
    ),
    "arena": csv(
        """
        battle_id,model_a,model_b,winner,tstamp,voter,prompt,language,category,count,weight,side_known,drawn_p,rule,excluded,traits
        ,rook-2b,teal-9b,model_a,1700000000.0,v1,p1,de,"[""code""]",2,1.0,true,0.25,r1,,"{""length"":[3.0,4.0]}"
        ,'=teal,rook-2b,tie,,,,,,1,0.5,false,,,not_blind,
        """,
        A, ("=teal", "rook-2b", "tie"),
    ),
    "lmsys": lines(
        [
            {"question_id": "q1", **PAIR, "winner": "model_b", "judge": "u1", "turn": 1, "anony": True, "language": "French",
             "tstamp": 1700000000.25, "conversation_a": said("A wren."), "conversation_b": said("An owl.")},
            {"question_id": "q2", **PAIR, "winner": "tie (bothbad)", "judge": "u2", "turn": 1, "anony": True, "language": "unknown",
             "tstamp": 1700000001.0, "conversation_a": said("A wren."), "conversation_b": said("An owl.")},
        ],
        B, BAD,
    ),
    "lmsys_preference": lines(
        [{"question_id": "q1", **PAIR, "winner": "tie", "prompt": "Name a bird.", "response_1": "A wren.", "response_2": "An owl.",
          "language": "English", "conv_metadata": None, "category_tag": {"if_v0.1": {"if": True, "score": 4}}}],
        TIE,
    ),
    "lmsys_140k": parquet(
        [{"id": "u1", **PAIR, "winner": "both_bad", "evaluation_session_id": "e1", "evaluation_order": 1,
          "conversation_a": in_parts("A wren."), "conversation_b": in_parts("An owl."), "language": "pl", "is_code": True}],
        BAD,
    ),
    "lmsys_55k": csv(
        '''
        id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie
        31,rook-2b,teal-9b,"[""Name a bird.""]","[""A wren.""]","[""An owl.""]",0,0,1
        32,teal-9b,rook-2b,"[""Name a fish.""]","[""A carp.""]","[""A pike.""]",1,0,0
        ''',
        TIE, SWAPPED_A,
    ),
    "search_arena": lines(
        [
            {**PAIR, "winner": "model_a", "judge": "u1", "turn": 1, "timestamp": "2025-04-01 10:00:00", "messages_a": said("A wren."),
             "messages_b": said("An owl."), "languages": ["German", "English"], "primary_intent": "Factual Lookup"},
            {**PAIR, "winner": None, "judge": "u1", "turn": 1, "timestamp": None, "messages_a": said("A wren."), "messages_b": said("An owl."),
             "languages": [], "primary_intent": None},
        ],
        A,
    ),
    "fastchat_log": lines(
        [
            {**LOG, "type": "leftvote", "states": states()},
            {**LOG, "type": "chat", "model": "rook-2b", "state": {}},
            {**LOG, "type": "bothbad_vote", "states": states("A crow.")},
        ],
        A, BAD,
    ),
    "mt_bench_human": lines(
        [
            {"question_id": 81, **PAIR, "winner": "model_a", "judge": "expert_3", "turn": turn, "conversation_a": said("A wren."), "conversation_b": said("An owl.")}
            for turn in (1, 2)
        ],
        A, A,
    ),
    "comparia": lines(
        [
            {"id": 1, "timestamp": "2025-01-02T03:04:05", "model_a_name": "rook-2b", "model_b_name": "teal-9b", "chosen_model_name": "teal-9b",
             "both_equal": False, "visitor_id": "v1", "conversation_pair_id": "p1", "opening_msg": "Bonjour"},
            {"id": 2, "timestamp": "2025-01-02T03:05:05", "model_a_name": "rook-2b", "model_b_name": "teal-9b", "chosen_model_name": None,
             "both_equal": True, "visitor_id": "v1", "conversation_pair_id": "p2", "opening_msg": "Bonsoir"},
        ],
        B, TIE,
    ),
    "tts_arena": lines(
        [{"id": 5, "user_id": 7, "text": "Good morning.", "vote_date": "2025-03-04T05:06:07", "model_chosen": "rook-2b", "model_rejected": "teal-9b",
          "model_type": "tts", "counts_for_public_leaderboard": True}],
        A,
    ),
    "music_arena": lines(
        [
            {"uuid": f"m{word}", "prompt": {"text": "a waltz"}, "vote_user": {"salted_ip": "s1"}, "vote": {"preference": word, "preference_time": 1750000000.5},
             "a_metadata": {"system_key": {"system_tag": "rook", "variant_tag": "v2"}}, "b_metadata": {"system_key": {"system_tag": "teal", "variant_tag": None}}}
            for word in ("A", "BOTH_BAD")
        ],
        ("rook:v2", "teal", "model_a"), ("rook:v2", "teal", "both_bad"),
    ),
    "openwebui": array(
        [
            {"id": "f1", "user_id": "u1", "version": 0, "type": "rating", "data": {"rating": "-1", "model_id": "rook-2b", "sibling_model_ids": ["teal-9b"]},
             "meta": {"arena": True, "chat_id": "c1", "message_id": "m1"}, "created_at": 1700000000, "updated_at": 1700000000},
        ],
        B,
    ),
    "labelstudio": array(
        [
            {"id": 9, "data": {"model_right": "teal-9b", "model_left": "rook-2b"}, "annotations": [
                {"id": 1, "completed_by": 4, "was_cancelled": False, "created_at": "2025-05-06T07:08:09.123456Z",
                 "result": [{"type": "pairwise", "from_name": "pw", "to_name": "a,b", "value": {"selected": "right"}}]}]},
        ],
        B,
    ),
    "labelstudio-min": array(
        [
            {"id": task, "model_right": "teal-9b", "model_left": "rook-2b", "pw": word, "annotator": 4, "annotation_id": task,
             "lead_time": 2.5, "created_at": "2025-05-06T07:08:09.123456Z", "updated_at": "2025-05-06T07:08:09.123456Z"}
            for task, word in ((9, "right"), (10, "left"))
        ],
        B, A,
    ),
    "bigcodearena": lines(
        [{"timestamp": "2025-02-03T04:05:06", **PAIR, "initial_prompt": "sort", "conversation_a": said("def f"), "conversation_b": said("def g"), "vote": word}
         for word in ("left", "both_bad")],
        A, BAD,
    ),
    "copilot_arena": csv(
        '''
        prefix,suffix,model_a,model_b,acceptedIndex,completion_a,completion_b
        "def f(",,rook-2b,teal-9b,1.0,"x):","y):"
        ''',
        B,
    ),
    "copilot_arena_items": lines(
        [{"pairId": "k1", "userId": "u1", "acceptedIndex": 0, "completionItems": [{"model": "rook-2b"}, {"model": "teal-9b"}]}],
        A,
    ),
    "allourideas": csv(
        """
        Vote ID,Session ID,Wikisurvey ID,Winner ID,Winner Text,Loser ID,Loser Text,Left Choice ID,Right Choice ID,Created at,Valid
        1,11,3,101,rook-2b,102,teal-9b,101,102,2012-03-04 05:06:07,TRUE
        2,11,3,101,rook-2b,102,teal-9b,102,101,2012-03-04 05:06:09,FALSE
        """,
        A, ("teal-9b", "rook-2b", "model_b"),
    ),
    "alpacaeval": array(
        [
            {"instruction": f"Name bird {index}.", "generator_1": "rook-2b", "generator_2": "teal-9b", "output_1": "A wren.", "output_2": "An owl.",
             "dataset": "koala", "annotator": "j1", "preference": preference}
            for index, preference in enumerate((1, 1.9, 1.5, 0))
        ],
        A, B, TIE, TIE,
    ),
    "arena_hard": lines(
        [{"uid": "h1", "category": "hard", "judge": "j1", "model": "teal-9b", "baseline": "rook-2b", "games": [{"score": "A>>B"}, {"score": "A=B"}]}],
        A, ("teal-9b", "rook-2b", "tie"),
    ),
    "mt_bench_pair": lines(
        [
            {"question_id": 90 + index, "model_1": "rook-2b", "model_2": "teal-9b", "g1_winner": one, "g2_winner": two, "judge": ["j1", "pair"], "turn": 1, "tstamp": 1700000000.5}
            for index, (one, two) in enumerate((("model_1", "model_1"), ("model_1", "model_2"), ("tie", "tie")))
        ],
        A, TIE, TIE,
    ),
    "mt_bench_orders": csv(
        """
        question_id,model_a,model_b,judge_id,winner,winner_ab,winner_ba,turn
        81,rook-2b,teal-9b,j1,teal-9b,B,A,2
        82,rook-2b,teal-9b,j1,inconsistent,B,B,2
        83,rook-2b,teal-9b,j1,error,error,B,2
        """,
        B, TIE,
    ),
    "pandalm": array(
        [{"idx": 0, "cmp_key": "rook-2b_teal-9b", "instruction": "Name a bird.", "input": "", "response1": "A wren.", "response2": "An owl.",
          "annotator1": 1, "annotator2": 2, "annotator3": 0}],
        A, B, TIE,
    ),
    "llmbar": array(
        [{"input": "Name a bird.", "output_1": "A wren.", "output_2": "A carp.", "label": 1}],
        ("output_1", "output_2", "model_a"),
    ),
    "llmbar_results": array(
        [{"input": "Name a bird.", "output_1": "A wren.", "output_2": "A carp.", "label": 1,
          "results": [{"swap = False": {"winner": "1"}, "swap = True": {"winner": "2"}}]}],
        ("output_1", "output_2", "model_a"), ("output_2", "output_1", "model_a"),
    ),
    "llmbar_verdicts": csv(
        """
        subset,item,gold_label,judge,prompting,winner_order_1,winner_order_swapped
        Natural,3,2,j1,CoT,2,1
        """,
        ("output_1", "output_2", "model_b"), ("output_2", "output_1", "model_b"),
    ),
    "llmfao": csv(
        """
        id,prompt,model_x,model_y,worker,winner,left,right
        0,8,1,2,58,tie,rook-2b,teal-9b
        0,8,1,2,83,right,rook-2b,teal-9b
        """,
        TIE, B,
    ),
    "pair_counts": Sample(
        "votes.json", b'{"models": ["rook-2b", "teal-9b", "idle"], "X": [[0, 1]], "Y": [[3, 0, 2, 1]]}', (A, TIE, BAD)
    ),
    "pair_counts_categories": Sample(
        "votes.json",
        b'{"All": {"data": {"models": ["rook-2b", "teal-9b"], "X": [[0, 1]], "Y": [[1, 1, 0, 0]]}, "n": 2},'
        b' "Math": {"data": {"models": ["rook-2b", "teal-9b"], "X": [[0, 1]], "Y": [[1, 0, 0, 0]]}, "n": 1}}',
        (A, B),
    ),
    "counts_table": csv(
        """
        team1,team2,win1,win2,tied
        rook-2b,teal-9b,4,0,1
        """,
        A, TIE,
    ),
    "win_matrix": csv(
        """
        winner of,rook-2b,teal-9b
        rook-2b,0,5
        teal-9b,0,0
        """,
        A,
    ),
    "winner_loser": csv(
        """
        date,winner,loser
        2020-02-03,rook-2b,teal-9b
        """,
        A,
    ),
    "results_table": csv(
        """
        player1,player2,outcome
        rook-2b,teal-9b,W2
        teal-9b,rook-2b,D
        """,
        B, ("teal-9b", "rook-2b", "tie"),
    ),
}  # fmt: skip
