@state_folder@
mkdir -p "$folder"
log=$folder/agent.log
