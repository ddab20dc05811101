#!/bin/sh
# embed.sh FILE...: prints C source with the text of each FILE, under its name without the suffix.
set -eu
echo '/* Made from the .rules files by rules/language/embed.sh. */'
echo '#include "rules/language/ruleset.h"'
for file in "$@"; do
  echo "static const char text_$(basename "$file" .rules)[] = {"
  od -An -v -tx1 "$file" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
  echo '0 };'
done
echo 'const char *const ruleset_builtin_names[] = {'
for file in "$@"; do echo "	\"$(basename "$file" .rules)\","; done
echo '	NULL };'
echo 'struct span ruleset_builtin(const char *name) {'
for file in "$@"; do
  name=$(basename "$file" .rules)
  echo "	if (strcmp(name, \"$name\") == 0) return SPAN_LITERAL(text_$name);"
done
echo '	return SPAN_NULL; }'
