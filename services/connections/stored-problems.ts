import { type Environment, isGranted } from '#core/environment/environment.ts'
import type { ServiceContext } from '../context.ts'
import { type ConnectionProblem, conditionOf } from './connection-condition.ts'
import type { ConnectionPorts } from './connection-ports.ts'

export type StoredContext = Pick<ServiceContext, 'workspace_slug'> & {
  connection_ports: Pick<ConnectionPorts, 'store' | 'box'>
}

/** A problem of a connection of the console, under the name that steps have for it. */
export interface StoredProblem extends ConnectionProblem {
  as: string
  connection: string
}

/** What stops steps that use these names of an environment, or soon does. */
export async function storedProblems(
  { connection_ports: { store, box }, workspace_slug }: StoredContext,
  { connections }: Pick<Environment, 'connections'>,
  names: readonly string[],
): Promise<StoredProblem[]> {
  const bound = names.flatMap((as) => {
    const { url } = Object.hasOwn(connections, as) ? (connections[as] ?? { url: '' }) : { url: '' }
    return url.startsWith('connection:') ? [{ as, connection: url.slice('connection:'.length) }] : []
  })
  if (bound.length === 0) return []
  const rows = await store.list()
  return bound.flatMap(({ as, connection }) => {
    const row = rows.find(({ id, name }) => connection === id || connection === name)
    if (row === undefined || !isGranted(row, workspace_slug)) {
      const what = 'there is no such connection that this workspace may use'
      return [{ as, connection, what, fix: 'an admin grants it under Connections', is_unusable: true }]
    }
    const { problem } = conditionOf(box, row)
    return problem === undefined ? [] : [{ as, connection: row.name, ...problem }]
  })
}
