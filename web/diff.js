// SPDX-License-Identifier: Apache-2.0
// diff.js -- a line-by-line diff of two texts.

const LINES_MAX = 4000;

// Returns lines as [sign, text]: " " both, "-" only in |a|, "+" only in |b|.  Texts longer than
// LINES_MAX are returned one after the other.
export function diffLines(a, b) {
  const left = a.split("\n"), right = b.split("\n");
  if (left.length > LINES_MAX || right.length > LINES_MAX)
    return [...left.map((text) => ["-", text]), ...right.map((text) => ["+", text])];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head &&
         left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const same = (text) => [" ", text];
  return [...left.slice(0, head).map(same),
    ...middle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...left.slice(left.length - tail).map(same)];
}

// Uses the longest common subsequence.
function middle(left, right) {
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      table[i * width + j] = left[i] === right[j] ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push([" ", left[i++]]);
      j++;
    } else if (j >= right.length || (i < left.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      lines.push(["-", left[i++]]);
    } else {
      lines.push(["+", right[j++]]);
    }
  }
  return lines;
}
