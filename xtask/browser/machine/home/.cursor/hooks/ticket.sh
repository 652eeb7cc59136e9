#!/bin/sh
cat >/dev/null
printf '%s\n' '{"additional_context": "The branch belongs to ticket SHOP-41."}'
