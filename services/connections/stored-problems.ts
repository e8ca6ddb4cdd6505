import { type Environment, isGranted } from '#core/environment/environment.ts'
import type { ServiceContext } from '../context.ts'
import { judgeTool, placeOf } from './accepted-tool.ts'
import { type ConnectionProblem, conditionOf } from './connection-condition.ts'
import type { ConnectionPorts } from './connection-ports.ts'

export type StoredContext = Pick<ServiceContext, 'workspace_slug'> & {
  connection_ports: Pick<ConnectionPorts, 'store' | 'box' | 'tools'>
}

/** A problem of a connection of the console, under the name that steps have for it. */
export interface StoredProblem extends ConnectionProblem {
  as: string
  connection: string
}

/** A tool that a step calls through a name of its environment. */
export interface NamedTool {
  as: string
  tool: string
}

/** What stops steps that use these names and tools of an environment, or soon does. */
export async function storedProblems(
  { connection_ports: { store, box, tools: stored }, workspace_slug }: StoredContext,
  { connections }: Pick<Environment, 'connections'>,
  names: readonly string[],
  tools: readonly NamedTool[],
): Promise<StoredProblem[]> {
  const bound = names.flatMap((as) => {
    const { url } = Object.hasOwn(connections, as) ? (connections[as] ?? { url: '' }) : { url: '' }
    return url.startsWith('connection:') ? [{ as, connection: url.slice('connection:'.length) }] : []
  })
  if (bound.length === 0) return []
  const rows = await store.list()
  const found = bound.map(async ({ as, connection }): Promise<StoredProblem[]> => {
    const row = rows.find(({ id, name }) => connection === id || connection === name)
    if (row === undefined || !isGranted(row, workspace_slug)) {
      const what = 'there is no such connection that this workspace may use'
      return [{ as, connection, what, fix: 'an admin grants it under Connections', is_unusable: true }]
    }
    const { problem } = conditionOf(box, row)
    const problems = problem === undefined ? [] : [{ as, connection: row.name, ...problem }]
    if (problem?.is_unusable === true || row.kind !== 'mcp') return problems
    for (const { tool } of tools.filter((each) => each.as === as)) {
      const judged = judgeTool(row, tool, await stored.find(placeOf(row), tool))
      if (!('what' in judged)) continue
      const { what, fix } = judged
      problems.push({ as, connection: row.name, what, fix, is_unusable: true })
    }
    return problems
  })
  return (await Promise.all(found)).flat()
}
