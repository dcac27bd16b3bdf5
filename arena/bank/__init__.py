"""Prompts, answers and models to vote on: reading, checking, rendering, measuring and drawing them."""
