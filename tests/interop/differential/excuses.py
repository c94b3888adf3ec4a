# SPDX-License-Identifier: Apache-2.0
"""excuses.py -- the differences that are there on purpose, by name; docs/reference/differences.md says why.

|strip| takes what is excused out of an answer, at both sides; |covers| looks at both answers.  What
no excuse takes away is a failure, and so is an excuse that the page does not list."""

import copy
import re

UPDATE_DIFF = re.compile(r"(previously negative\)|for bound claims)\n(?:.*\n)?", re.DOTALL)


class Excuse:
    def __init__(self, name, strip=None, covers=None):
        self.name = name
        self.strip = strip
        self.covers = covers
        self.is_used = False


def texts_replaced(value, replace):
    """|value| with each of its texts replaced."""
    if isinstance(value, dict):
        return {key: texts_replaced(item, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [texts_replaced(item, replace) for item in value]
    return replace(value) if isinstance(value, str) else value


def is_refusal(answer):
    return answer["status"] == 422 and isinstance(answer["body"], dict)


def message_of(answer):
    return answer["body"].get("message", "") if isinstance(answer["body"], dict) else ""


def without_descriptions(_step, answer):
    """Of the columns of Tables, also of those that watches send."""
    if "columnDefinitions" not in str(answer["body"]):
        return answer
    answer = copy.deepcopy(answer)
    body = answer["body"]
    for table in [event["object"] for event in body] if isinstance(body, list) else [body]:
        for column in table.get("columnDefinitions") or []:
            column["description"] = ""
    return answer


def is_malformed(step, real, ours):
    """Both refuse what cannot be read, each in the words of its parser."""
    is_parsed = step.text is not None or "continue=" in step.path or "[5]" in str(step)
    if not is_parsed and step.method != "DELETE":
        return False
    return ((real["status"], ours["status"]) == (400, 400)
            and {**real["body"], "message": ""} == {**ours["body"], "message": ""})


def without_value(text):
    """A fault's value that is a structure, which Go shows with the names of its fields."""
    found = re.search(r"value: [{\[]", text)
    if not found:
        return text
    depth, at = 0, found.end() - 1
    for end in range(at, len(text)):
        depth += (text[end] in "{[") - (text[end] in "}]")
        if depth == 0:
            return text[:at] + "<value>" + without_value(text[end + 1:])
    return text


def without_values(_step, answer):
    if not is_refusal(answer):
        return answer
    return {**answer, "body": texts_replaced(answer["body"], without_value)}


def without_update_diff(_step, answer):
    if not is_refusal(answer):
        return answer
    return {**answer, "body": texts_replaced(answer["body"],
                                             lambda text: UPDATE_DIFF.sub(r"\1", text))}


def is_refused_patch(step, real, ours):
    """What a patch leads to cannot be read; the whole document is not shown again."""
    if step.method != "PATCH" or not (is_refusal(real) and is_refusal(ours)):
        return False
    return all("is invalid: patch: Invalid value" in message_of(one) for one in (real, ours)) or (
        message_of(real).startswith(' "" is invalid: patch:'))


def without_bookmarks(step, answer):
    if not step.watch or not isinstance(answer["body"], list):
        return answer
    return {**answer, "body": [event if event["type"] != "BOOKMARK" else event["type"]
                               for event in answer["body"]]}


def without_list_revision(step, answer):
    """Of a list that may be any that is not older than asked for."""
    body = answer["body"]
    if "resourceVersion=" not in step.path or "Exact" in step.path or not (
            isinstance(body, dict) and "items" in body):
        return answer
    meta = {**body["metadata"], "resourceVersion": ""}
    if isinstance(meta.get("continue"), dict):
        meta["continue"] = {**meta["continue"], "rv": ""}
    return {**answer, "body": {**body, "metadata": meta}}


def is_nameless(_step, real, _ours):
    return "Object 'Kind' is missing" in message_of(real)


EXCUSES = [
    Excuse("column-descriptions", strip=without_descriptions),
    Excuse("parser-words", covers=is_malformed),
    Excuse("go-values", strip=without_values),
    Excuse("update-diffs", strip=without_update_diff),
    Excuse("patched-document", covers=is_refused_patch),
    Excuse("bookmark-revisions", strip=without_bookmarks),
    Excuse("cached-lists", strip=without_list_revision),
    Excuse("custom-without-kind", covers=is_nameless),
]
