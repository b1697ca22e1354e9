"""Makes a language model of a few hundred kilobytes with random weights, for ``transformers serve``.

    python tests/real_model/make_model.py FOLDER

Its tokens are learnt from the Python files of this project, so that its garbage looks like code now and then. Needs
torch, transformers and tokenizers, in an environment of their own: `make test-llm`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

ROOT = Path(__file__).resolve().parents[2]
SPECIAL = ["<pad>", "<s>", "</s>"]
CHAT = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant: "
LENGTH = 4096


def texts() -> Iterator[str]:
    """What the tokens are learnt from, with the marks that answers are searched for."""
    for path in sorted((ROOT / "fuzz").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield text
        yield f"Here it is:\n```python\n{text}\n```\n"


def make_model(folder: Path, vocabulary: int = 2000) -> None:
    """Writes tokenizer, configuration and weights."""
    learner = ByteLevelBPETokenizer()
    learner.train_from_iterator(texts(), vocab_size=vocabulary, special_tokens=SPECIAL, show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=learner._tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    tokenizer.chat_template = CHAT
    tokenizer.model_max_length = LENGTH
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=LENGTH,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    make_model(Path(sys.argv[1]))
