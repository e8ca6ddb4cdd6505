import { egressProblem } from '../egress/classify.ts'
import { EVERY_WORKSPACE } from '../environment/environment.ts'
import { type EnvironmentFile, storedConnection } from '../environment/schema.ts'
import type { Fault } from '../plan/fault.ts'
import { didYouMean, nearestName } from '../text/did-you-mean.ts'
import { type KnownNames, named } from './known-names.ts'

/** Checks the names in an environment file: its profile, channels, console policies, corpora, and the connections that templates need. */
export function checkEnvironmentNames(file: EnvironmentFile, known: KnownNames): Fault[] {
  const { approval } = file
  const later = { later: known.service_checks === true }
  return [
    ...(file.workspaces ?? []).flatMap((slug, index) =>
      slug === EVERY_WORKSPACE ? [] : named('workspace', slug, known.workspaces, ['workspaces', index]),
    ),
    ...named('profile', file.profile, known.profiles, ['profile']),
    ...(approval?.channels ?? []).flatMap((name, index) =>
      named('channel', name, known.channels, ['approval', 'channels', index]),
    ),
    ...(approval?.escalate_to ?? []).flatMap((name, index) =>
      named('channel', name, known.channels, ['approval', 'escalate_to', index]),
    ),
    ...(file.notify?.channels ?? []).flatMap((name, index) =>
      named('channel', name, known.channels, ['notify', 'channels', index]),
    ),
    ...(file.egress ?? []).flatMap((entry, index) => {
      const message = egressProblem(entry)
      return message === undefined ? [] : [{ path: ['egress', index], message }]
    }),
    ...(file.policies ?? []).flatMap((name, index) =>
      attached('console policy', 'policy of the console', {
        name,
        known: known.console_policies,
        path: ['policies', index],
        ...later,
      }),
    ),
    ...(file.knowledge ?? []).flatMap((name, index) =>
      attached('corpus', 'corpus', { name, known: known.corpora, path: ['knowledge', index], ...later }),
    ),
    ...(file.backends?.object_connection === undefined
      ? []
      : attached('connection', 'connection of the console', {
          name: file.backends.object_connection,
          known: known.stored_connections,
          path: ['backends', 'object_connection'],
          ...later,
        })),
    ...connections(Object.keys(file.connections ?? {}), known),
    ...Object.entries(file.connections ?? {}).flatMap(([id, { url }]) => {
      const name = storedConnection(url)
      const path = ['connections', id, 'url']
      const names = known.stored_connections
      if (name === undefined) return []
      return attached('connection', 'connection of the console', { name, known: names, path, ...later })
    }),
  ]
}

/** Without a database, a missing policy cannot be reported. */
function attached(
  what: string,
  called: string,
  {
    name,
    known,
    path,
    later,
  }: { name: string; known: readonly string[] | undefined; path: Fault['path']; later: boolean },
): Fault[] {
  if (known !== undefined) return named(what, name, known, path)
  if (later) return []
  const message = `${name} must be a ${called}, which only the running service can find: svc check --online asks it`
  return [{ path, message, warning: true }]
}

/** An unused connection is no fault. Its name may be a mistake when it is nearly that of a missing one. */
function connections(ids: readonly string[], known: KnownNames): Fault[] {
  const missing = known.connections.filter((id) => !ids.includes(id))
  return ids
    .filter((id) => !known.connections.includes(id) && nearestName(id, missing) !== undefined)
    .map((id) => ({
      path: ['connections', id],
      message: `no template asks for a connection ${id}${didYouMean(id, missing)}`,
      key: true,
      warning: true,
    }))
}
