"""Make data/word-vectors.bin, the table of word vectors that search uses to find by meaning.

Not run by tests or builds: the table is in the repository. To make it again (about half an hour on one core):

    npm install --no-save
    pip install numpy scipy wordfreq
    python scripts/vectors.py MODEL TEXTS CACHE data/word-vectors.bin

MODEL  folder with model.safetensors and vocab.txt of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)
TEXTS  folder with source distributions of projects that have good documentation (*.tar.gz), descriptions
       of packages (*.txt) and WordNet (data.noun, data.verb and so on); docs/decisions/0006 names them
CACHE  folder for what the model gave, so that the rest can be run again in seconds

A vector of a word alone, as the model gives it, is only a beginning. The vectors are then fitted so that
their sum over a sentence comes near to what the model says of the whole sentence, for many sentences of
technical prose and of plain English: that teaches `leak`, `branch` and `pool` the sense they have here,
and how little a word such as `thing` says. Words are stemmed as search does it. Nothing of eval/ is read.
"""

import collections
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tarfile

import numpy as np
import scipy.sparse
from wordfreq import top_n_list, zipf_frequency

GENERAL_WORDS = 50_000
SENTENCES_A_PACKAGE = 1_100
DESCRIPTIONS = 20_000
PLAIN_SENTENCES = 10_000
STEMS = 17_000
DIMENSIONS = 96
# How much less a word is worth that the texts do not have, and how much each that they have, in powers of ten.
SELDOM_HERE = 0.6
MET_HERE = 3.0
# How strongly a fitted vector is held to that of the word alone.
HOLD = 1.0
HERE = os.path.dirname(os.path.abspath(__file__))


class Model:
    """The six layers of the sentence model, forward only."""

    def __init__(self, folder):
        raw = open(f"{folder}/model.safetensors", "rb").read()
        (size,) = struct.unpack("<Q", raw[:8])
        self.weights = {}
        for name, info in json.loads(raw[8 : 8 + size]).items():
            if name == "__metadata__" or info["dtype"] != "F32":
                continue
            start, end = info["data_offsets"]
            flat = np.frombuffer(raw, np.float32, (end - start) // 4, 8 + size + start)
            self.weights[name] = flat.reshape(info["shape"])
        lines = open(f"{folder}/vocab.txt", encoding="utf8").read().split("\n")
        self.vocabulary = {piece: index for index, piece in enumerate(lines)}

    def embed(self, texts, batch=64):
        numbers = [self.numbers(text) for text in texts]
        by_length = collections.defaultdict(list)
        for index, one in enumerate(numbers):
            by_length[len(one)].append(index)
        out = np.zeros((len(texts), 384), np.float32)
        for group in by_length.values():
            for at in range(0, len(group), batch):
                part = group[at : at + batch]
                out[part] = self.forward(np.array([numbers[index] for index in part]))
        return out

    def numbers(self, text, limit=126):
        words = re.findall(r"[a-z0-9]+|[^\sa-z0-9]", text.lower())
        return [101] + [piece for word in words for piece in self.pieces(word)][:limit] + [102]

    def pieces(self, word):
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.vocabulary:
                    found.append(self.vocabulary[piece])
                    start = end
                    break
            else:
                return [self.vocabulary["[UNK]"]]
        return found

    def forward(self, numbers):
        count, length = numbers.shape
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][numbers]
        x = x + w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
        x = self.normal(x, "embeddings.LayerNorm")
        for layer in range(6):
            name = f"encoder.layer.{layer}."
            heads = (count, length, 12, 32)
            q, k, v = (
                self.linear(x, f"{name}attention.self.{part}").reshape(heads).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            a = q @ k.transpose(0, 1, 3, 2) / np.float32(32**0.5)
            a = np.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            mixed = (a @ v).transpose(0, 2, 1, 3).reshape(count, length, 384)
            x = self.normal(x + self.linear(mixed, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm")
            inner = gelu(self.linear(x, f"{name}intermediate.dense"))
            x = self.normal(x + self.linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")
        return x.mean(1)

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normal(self, x, name):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-12) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def gelu(x):
    """With the error function by Abramowitz and Stegun 7.1.26, which numpy does not have."""
    z = np.abs(x) * np.float32(2**-0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.float32(0)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    return np.float32(0.5) * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z)))


def texts_of(folder):
    """Prose of each package: documentation, docstrings, descriptions."""
    for file in sorted(glob.glob(f"{folder}/**/*.txt", recursive=True)):
        yield "descriptions", clean_markdown(open(file, encoding="utf8").read())
    for file in sorted(glob.glob(f"{folder}/**/*.tar.gz", recursive=True)):
        package = os.path.basename(file).rsplit("-", 1)[0]
        with tarfile.open(file) as archive:
            for member in archive:
                skipped = re.search(r"locale|authors|license|/test", member.name.lower())
                if not member.isfile() or member.size > 1_000_000 or skipped:
                    continue
                kind = member.name.rsplit(".", 1)[-1]
                if kind not in ("rst", "md", "txt", "py"):
                    continue
                text = archive.extractfile(member).read().decode("utf8", "ignore")
                yield package, "\n\n".join(re.findall(r'"""(.*?)"""', text, re.S)) if kind == "py" else text


def dictionary(folder):
    """Definitions and examples of WordNet, of words that people use."""
    for file in sorted(glob.glob(f"{folder}/**/data.*", recursive=True)):
        for line in open(file, encoding="latin1"):
            if line.startswith(" "):
                continue
            head, gloss = line.split("|", 1)
            parts = head.split()
            names = [parts[4 + 2 * at].split("(")[0].replace("_", " ").lower() for at in range(int(parts[3], 16))]
            known = max(min(zipf_frequency(word, "en") for word in name.split()) for name in names)
            if known < (3.7 if file.endswith("noun") else 3.3):
                continue
            definition = re.sub(r'"[^"]*"|\(.*?\)', "", gloss).split(";")[0].strip()
            if 3 <= len(definition.split()) <= 20:
                yield f"{', '.join(names[:3])}: {definition}"
            yield from (example for example in re.findall(r'"([^"]+)"', gloss) if len(example.split()) >= 4)


def clean_markdown(text):
    text = re.sub(r"```.*?```", " ", text, flags=re.S)
    text = re.sub(r"\[!\[.*?\)\]\(.*?\)|!\[.*?\]\(.*?\)", "", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences_in(text):
    for paragraph in re.split(r"\n\s*\n|\n\s*[-+#*>|]+ ", text):
        paragraph = re.sub(r":[\w:]+:`~?([^`<]*)[^`]*`", r"\1", paragraph)
        paragraph = re.sub(r"[`*|]+|<[^>]+>|https?:\S+", " ", paragraph)
        paragraph = re.sub(r"\s+", " ", paragraph).strip()
        if paragraph.startswith(".."):
            continue
        for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", paragraph):
            length = len(re.findall(r"[a-z]+", sentence.lower()))
            odd = re.search(r"[=_{}\[\]\\<>/|]", sentence) or len(re.findall(r"[^A-Za-z ,.'!?:-]", sentence)) > 4
            if 5 <= length <= 32 and not odd:
                yield sentence


def words_in(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def read_texts(folder):
    """Sentences, the same number of each package at most, and in how many of all sentences each word is."""
    by_package = collections.defaultdict(set)
    for package, text in texts_of(folder):
        by_package[package].update(sentences_in(text))
    chance = random.Random(1)
    counts, chosen = collections.Counter(), []
    for package in sorted(by_package):
        sentences = sorted(by_package[package])
        for sentence in sentences:
            counts.update(set(words_in(sentence)))
        chance.shuffle(sentences)
        chosen += sentences[:DESCRIPTIONS] if package == "descriptions" else sentences[:SENTENCES_A_PACKAGE]
    plain = sorted(set(dictionary(folder)))
    chance.shuffle(plain)
    chosen += plain[:PLAIN_SENTENCES]
    chance.shuffle(chosen)
    return chosen, counts


def choose_words(counts):
    general = [word for word in top_n_list("en", GENERAL_WORDS)]
    technical = [word for word, count in counts.items() if count >= 3]
    return sorted(word for word in set(general + technical) if re.fullmatch(r"[a-z][a-z0-9]{1,23}", word))


def cached(file, make):
    if not os.path.exists(file):
        np.save(file, make())
    return np.load(file)


def stems_of(words):
    run = ["node", f"{HERE}/stems.mjs"]
    return subprocess.run(run, input="\n".join(words), capture_output=True, text=True, check=True).stdout.split("\n")


def unit(rows):
    return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=-1, keepdims=True))


def vectors_alone(words, stems, embedded):
    """One vector a stem from the words alone, shorter for words that are used everywhere; and how often it is used."""
    often = 10 ** np.maximum([zipf_frequency(word, "en") for word in words], 1.0)
    share = often[:, None] ** 0.25
    centred = unit(embedded - (embedded * share).sum(0) / share.sum())
    keys = sorted(set(stems) - {""})
    place = {stem: at for at, stem in enumerate(keys)}
    sums, use = np.zeros((len(keys), embedded.shape[1])), np.zeros(len(keys))
    for at, stem in enumerate(stems):
        if stem != "":
            sums[place[stem]] += often[at] ** 0.5 * centred[at]
            use[place[stem]] += often[at]
    rarity = 1e-3 / (1e-3 + use / 1e9)
    return keys, (unit(sums) * rarity[:, None]).astype(np.float32), use


def sentence_matrix(sentences, keys):
    """A row a sentence: equal parts of the stems it has."""
    place = {stem: at for at, stem in enumerate(keys)}
    vocabulary = sorted({word for sentence in sentences for word in words_in(sentence)})
    stem = dict(zip(vocabulary, stems_of(vocabulary)))
    rows, columns, values = [], [], []
    for row, sentence in enumerate(sentences):
        found = {place[stem[word]] for word in words_in(sentence) if stem[word] in place}
        for column in sorted(found) if len(found) > 2 else ():
            rows.append(row)
            columns.append(column)
            values.append(1 / len(found))
    return scipy.sparse.csr_matrix((values, (rows, columns)), (len(sentences), len(keys)), dtype=np.float32)


def fit(parts, targets, start, steps=25):
    """Vectors whose sums come near to the targets, held to where they start; by conjugate gradients."""
    guess = parts @ start
    start = start * ((guess * targets).sum() / (guess * guess).sum())
    rows = start.copy()
    rest = parts.T @ targets + HOLD * start - (parts.T @ (parts @ rows) + HOLD * rows)
    way, square = rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = parts.T @ (parts @ way) + HOLD * way
        length = square / np.maximum(1e-12, (way * image).sum(0))
        rows += length * way
        rest -= length * image
        square, before = (rest * rest).sum(0), square
        way = rest + square / np.maximum(1e-12, before) * way
    return rows


def write_table(file, stems, rows):
    scales = np.maximum(np.abs(rows).max(1), 1e-9) / 127
    text = "\n".join(stems).encode()
    with open(file, "wb") as out:
        out.write(b"orchwv01" + struct.pack("<HHII", rows.shape[1], 0, len(stems), len(text)) + text)
        out.write(scales.astype("<f4").tobytes() + np.round(rows / scales[:, None]).astype(np.int8).tobytes())


def main(model_folder, texts_folder, cache, out):
    os.makedirs(cache, exist_ok=True)
    plan = f"{cache}/plan.json"
    if not os.path.exists(plan):
        sentences, counts = read_texts(texts_folder)
        json.dump({"sentences": sentences, "words": choose_words(counts)}, open(plan, "w"))
    words, sentences = (json.load(open(plan))[name] for name in ("words", "sentences"))
    model = Model(model_folder)
    embedded = cached(f"{cache}/words.npy", lambda: model.embed(words))
    targets = unit(cached(f"{cache}/sentences.npy", lambda: model.embed(sentences, 32)))
    targets = (targets - targets.mean(0)).astype(np.float32)

    keys, start, use = vectors_alone(words, stems_of(words), embedded)
    parts = sentence_matrix(sentences, keys)
    rows = fit(parts, targets, start)
    _, axes = np.linalg.eigh(targets.T @ targets)
    rows = rows @ axes[:, ::-1][:, :DIMENSIONS]
    here = np.asarray((parts > 0).sum(0)).ravel()
    worth = np.maximum(np.log10(use) - SELDOM_HERE * (here == 0), np.log10(np.maximum(here, 0.1)) + MET_HERE)
    chosen = sorted(np.argsort(-worth, kind="stable")[:STEMS])
    write_table(out, [keys[at] for at in chosen], rows[chosen])
    print(f"{len(sentences)} sentences, {len(keys)} stems known, {len(chosen)} kept, {os.path.getsize(out)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:5])
