"""A short training run on torch alone: a small transformer under FSDP, which learns a sequence that can be learned.

One process for each GPU; RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT come from the launcher.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

VOCABULARY = 32000


class Model(nn.Module):
    """Predicts the next token."""

    def __init__(self, width, layers):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        layer = nn.TransformerEncoderLayer(width, width // 128, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        return self.head(self.layers(self.embed(tokens), mask=mask, is_causal=True))


def batch(size, length, generator, device):
    """Counts upwards from a start that is drawn: the next token follows from the one before."""
    start = torch.randint(VOCABULARY, (size, 1), generator=generator, device=device)
    tokens = (start + torch.arange(length + 1, device=device)) % VOCABULARY
    return tokens[:, :-1], tokens[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=2048)
    args = parser.parse_args()

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(1234)
    generator = torch.Generator(device).manual_seed(1234 + dist.get_rank())
    half = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16)
    model = FullyShardedDataParallel(
        Model(args.width, args.layers), device_id=device, mixed_precision=half, auto_wrap_policy=ModuleWrapPolicy({nn.TransformerEncoderLayer})
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for step in range(1, args.steps + 1):
        begin = time.perf_counter()
        tokens, wanted = batch(args.batch, args.length, generator, device)
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        model.clip_grad_norm_(1.0)
        optimizer.step()
        mean = loss.detach()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        torch.cuda.synchronize()
        if dist.get_rank() == 0:
            took = 1000 * (time.perf_counter() - begin)
            print("@FORMAT@" % (step, args.steps, mean.item(), took), flush=True)
    dist.destroy_process_group()


main()
