// SPDX-License-Identifier: Apache-2.0
// yaml.js -- writes objects as YAML, in lines of coloured pieces; parsing the text gives the same object.

// Words that YAML 1.1 does not read as strings, and anything that looks like a number or a date.
const NOT_TEXT = /^(?:~|null|true|false|yes|no|on|off|y|n|=|<<|[-+.]?[\d.][\d._:eE+-]*|0[xob][\da-f_]+|[-+]?\.(?:inf|nan)|\d{4}-\d.*)$/i;
const PLAIN = /^[A-Za-z0-9_/.][A-Za-z0-9_/.\-@%+=~$()<>^;|? ]*(?::[A-Za-z0-9_/.\-@%+=~]+)*$/;

// JSON strings are valid YAML, except for characters that YAML reads as line breaks or as unprintable.
function quoted(value) {
  return JSON.stringify(value).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function scalar(value) {
  if (value === null) return ["null", "word"];
  if (typeof value === "boolean") return [String(value), "word"];
  if (typeof value === "number") return [String(value), "number"];
  const isPlain = PLAIN.test(value) && !NOT_TEXT.test(value) && !value.endsWith(" ");
  return [isPlain ? value : quoted(value), "string"];
}

// True for a multi-line text that can be written as a block after "|".
function isBlock(value) {
  return typeof value === "string" && /[^\n]\n/.test(value) && !/^[ \n]|[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff]|[ ]\n/.test(value) && !/\n\n$/.test(value);
}

const isEmpty = (value) => Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
const isTree = (value) => typeof value === "object" && value !== null && !isEmpty(value);

class Writer {
  constructor() {
    this.lines = [];
    this.line = [];
  }

  put(text, look) {
    this.line.push([text, look || ""]);
  }

  end() {
    this.lines.push(this.line);
    this.line = [];
  }

  leaf(value, indent) {
    if (typeof value === "object" && value !== null) {
      this.put(Array.isArray(value) ? "[]" : "{}");
    } else if (isBlock(value)) {
      this.put(value.endsWith("\n") ? "|" : "|-", "mark");
      for (const text of value.replace(/\n$/, "").split("\n")) {
        this.end();
        if (text) this.put(" ".repeat(indent) + text, "string");
      }
    } else {
      this.put(...scalar(value));
    }
    this.end();
  }

  // |isInline|: the line already contains the "- " of a list item.
  object(value, indent, isInline) {
    for (const [key, member] of Object.entries(value)) {
      if (!isInline) this.put(" ".repeat(indent));
      isInline = false;
      this.put(scalar(key)[0], "key");
      this.put(":", "mark");
      if (isTree(member)) {
        this.end();
        if (Array.isArray(member)) this.array(member, indent);
        else this.object(member, indent + 2, false);
      } else {
        this.put(" ");
        this.leaf(member, indent + 2);
      }
    }
  }

  array(value, indent) {
    for (const member of value) {
      this.put(" ".repeat(indent));
      this.put("- ", "mark");
      if (isTree(member) && !Array.isArray(member)) {
        this.object(member, indent + 2, true);
      } else if (isTree(member)) {
        this.put(quoted(member));
        this.end();
      } else {
        this.leaf(member, indent + 2);
      }
    }
  }
}

// Lines of [text, look] pieces; looks are key, mark, string, number, word, and "".
export function yamlLines(value) {
  const writer = new Writer();
  if (!isTree(value)) writer.leaf(value, 0);
  else if (Array.isArray(value)) writer.array(value, 0);
  else writer.object(value, 0, false);
  return writer.lines;
}

export const yamlText = (value) =>
  yamlLines(value).map((line) => line.map(([text]) => text).join("")).join("\n") + "\n";
