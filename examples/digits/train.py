"""Trains the network of digits.nr and writes every file that it reads, and expected.txt.

Needs numpy, and scikit-learn for the images alone:
    pip install numpy scikit-learn && python train.py
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

FOLDER = Path(__file__).parent
TRAINED = 1000  # the first images; the rest are never shown to the network
PIXELS, HIDDEN, CLASSES = 64, 32, 10

SEED = 0
STEPS = 1500
RATE, MOMENTUM = 0.5, 0.9
# Pixel noise, fresh at each step, is what makes the network generalise. Its size and the hidden
# width were chosen by five-fold cross-validation inside the 1,000.
NOISE = 0.3

# A C library may round tanh its own way in the last bits (about 1e-6 in a score). With a margin
# far above that, the class found for each image is the same on every machine.
SMALLEST_MARGIN = 1e-3


def train(images, labels):
    """Full-batch gradient descent on the cross-entropy. Returns w1, b1, w2, b2 as f32."""
    rng = np.random.default_rng(SEED)
    w1 = rng.normal(0, PIXELS**-0.5, (PIXELS, HIDDEN))
    w2 = rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES))
    weights = [w1, np.zeros(HIDDEN), w2, np.zeros(CLASSES)]
    velocities = [np.zeros_like(w) for w in weights]
    target = np.eye(CLASSES)[labels]

    for _ in range(STEPS):
        w1, b1, w2, b2 = weights
        x = images + NOISE * rng.normal(size=images.shape)
        hidden = np.tanh(x @ w1 + b1)
        scores = hidden @ w2 + b2
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (odds / odds.sum(axis=1, keepdims=True) - target) / len(labels)
        hidden_error = (error @ w2.T) * (1 - hidden**2)
        gradients = [x.T @ hidden_error, hidden_error.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
        for weight, velocity, gradient in zip(weights, velocities, gradients):
            velocity *= MOMENTUM
            velocity -= RATE * gradient
            weight += velocity
    return [w.astype(np.float32) for w in weights]


def product(a, b):
    """`a @ b` in f32, each sum in the order of its contracted position, as a .nr program has it."""
    sums = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        sums += a[:, k : k + 1] * b[k]
    return sums


def report(guesses, labels):
    """What digits.nr prints."""
    right = guesses == labels
    confusion = np.zeros((CLASSES, CLASSES), np.int32)
    np.add.at(confusion, (labels, guesses), 1)

    def fraction(part):
        return np.float32(part.sum()) / np.float32(part.size)

    # `!s`: an f-string would otherwise print an f32 with the digits of an f64.
    rows = "".join(f"{digit} {row}\n" for digit, row in enumerate(confusion))
    return f"accuracy {fraction(right)!s}\nunseen accuracy {fraction(right[TRAINED:])!s}\n{rows}"


def main():
    digits = load_digits()
    images = (digits.data / 16).astype(np.float32)  # exact: a pixel is a count from 0 to 16
    labels = digits.target.astype(np.int32)
    w1, b1, w2, b2 = train(images[:TRAINED].astype(np.float64), labels[:TRAINED])

    scores = product(np.tanh(product(images, w1) + b1), w2) + b2
    ranked = np.sort(scores, axis=1)
    margin = (ranked[:, -1] - ranked[:, -2]).min()
    if margin < SMALLEST_MARGIN:
        raise SystemExit(f"two scores of an image differ by {margin} only: take another SEED")

    files = dict(images=images, labels=labels, w1=w1, b1=b1, w2=w2, b2=b2)
    for name, array in files.items():
        np.save(FOLDER / f"{name}.npy", array)
    text = report(scores.argmax(axis=1), labels)
    (FOLDER / "expected.txt").write_text(text)
    print(f"{text}smallest margin {margin}")


if __name__ == "__main__":
    main()
