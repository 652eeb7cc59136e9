# Boathook's own folder: private to you.
umask 077
case ${XDG_STATE_HOME-} in
    /*) folder=$XDG_STATE_HOME/boathook ;;
    *) folder=$HOME/.local/state/boathook ;;
esac
