#!/bin/sh
if grep -q -- '--context[= ]production'; then
    echo 'Production is changed by the pipeline alone.' >&2
    exit 2
fi
