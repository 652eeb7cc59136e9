#!/usr/bin/env python3
"""Holds back a prompt with personal data in it: mail addresses, cards, IBANs, US social security numbers.

Numbers are checked by their own check digits, so that an order number passes.
The message says what was found and where, and does not repeat it: messages are
shown and logged.
"""
import json
import re
import sys
import unicodedata

MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
SOCIAL = re.compile(r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}\b")
# Addresses that belong to nobody.
NOBODY = re.compile(r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|localhost|test|invalid)$|^git@", re.I)


def is_card(text):
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text):
    text = text.replace(" ", "")
    return 15 <= len(text) <= 34 and int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


def found_in(text):
    checks = [
        ("a mail address", MAIL, lambda found: not NOBODY.search(found)),
        ("a card number", CARD, is_card),
        ("an IBAN", IBAN, is_iban),
        ("a social security number", SOCIAL, lambda _: True),
    ]
    for name, pattern, holds in checks:
        for match in pattern.finditer(text):
            if holds(match[0]):
                yield f"{name} in line {text.count(chr(10), 0, match.start()) + 1}"
                break


# Full-width digits and the like count as what they look like.
prompt = unicodedata.normalize("NFKC", json.load(sys.stdin.buffer)["prompt"])
found = list(found_in(prompt))
answer = {"continue": True}
if found:
    answer = {"continue": False, "user_message": f"Not sent: there is {', '.join(found)}. Take it out and send again."}
json.dump(answer, sys.stdout)
