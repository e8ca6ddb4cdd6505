#!/bin/sh
# Makes the namespace of svc and what people filter by in it; safe at every start.
set -eu
: "${TEMPORAL_ADDRESS:?}" "${TEMPORAL_NAMESPACE:?}"
if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 720h
fi
# a namespace that was just made is known to the whole server only after some seconds
tries=0
until known="$(temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE")"; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 1
done
for name in WorkspaceId TemplateId Environment Lane RunStatus AwaitingGate; do
  case "$known" in
    *"$name"*) ;;
    *) temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type Keyword ;;
  esac
done
