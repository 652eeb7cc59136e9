#!/bin/sh
cat >> "$HOME/audit.jsonl"
