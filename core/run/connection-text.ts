import type { JsonObject } from '../json-pointer.ts'
import type { ConnectionTarget } from '../operator.ts'

type ShownTarget = { [Name in keyof ConnectionTarget]: ConnectionTarget[Name] | undefined } & {
  kind: string
  host: string
}

/** Where a connection leads, in words: `maintenance (postgres db.example:5432, database app, as svc)`. */
export function connectionText(id: string, target: ShownTarget | undefined): string {
  if (target === undefined) return id
  const { kind, host, base_url, database, user, parameters } = target
  const words = [
    `${kind} ${base_url ?? host}`,
    ...(database === undefined ? [] : [`database ${database}`]),
    ...(user === undefined ? [] : [`as ${user}`]),
    ...Object.entries(parameters ?? {}).map(([name, value]) => `${name}=${value}`),
  ]
  return `${id} (${words.join(', ')})`
}

/** The same of what was written when a gate opened, which is in this shape; null where the step has no connection. */
export function viewedConnection(view: JsonObject): string | null {
  const { connection } = (view['operation'] ?? {}) as { connection?: ConnectionTarget & { id: string } }
  return connection === undefined ? null : connectionText(connection.id, connection)
}
