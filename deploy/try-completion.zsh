#!/usr/bin/env -S zsh -f
# Types a line and a tab in zsh, and prints the line that the completion makes of it: try-completion.zsh FOLDER LINE.
# FOLDER has the script of completions, _postback.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -D -u"
zpty -w shell 'show() { print -r -- "LINE<$BUFFER>" }; zle -N show; bindkey "^X" show; bindkey "^I" complete-word; print -r READY'
zpty -r shell text '*READY*READY*'
zpty -n -w shell "$2"$'\t\x18'
zpty -r shell text '*LINE<*>*'
print -r -- ${${text##*LINE<}%%>*}
