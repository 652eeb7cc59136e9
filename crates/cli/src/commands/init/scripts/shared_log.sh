# Everybody can guess this name, so a link that somebody put there is not followed.
umask 077
log=/tmp/agent.log
[ ! -L "$log" ] || log=/dev/null
