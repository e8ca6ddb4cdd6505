import type { ConnectionTarget } from '../operator.ts'

/** Where a connection leads, in words: `maintenance (postgres db.example:5432, database app, as svc)`. */
export function connectionText(id: string, target: ConnectionTarget | undefined): string {
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
