import { canonicalText } from '../json/canonical.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { ConnectionTarget } from '../operator.ts'
import { utf8Bytes } from '../text/text.ts'
import { excerptOf } from './excerpt.ts'

/** Data of a step as it is answered: whole, or where it is too large its beginning; the digest is of all of it. */
export type ShownData = {
  /** `sha256:` over its RFC 8785 text */
  digest: string
  bytes: number
  value?: Json
  excerpt?: string
  cut?: true
}

const EXCERPT_CHARS = 2_000

/** What is shown of a value within `most` bytes. */
export function shownData(value: Json, most: number, sha256: (text: string) => string): ShownData {
  const text = canonicalText(value)
  const about = { digest: `sha256:${sha256(text)}`, bytes: utf8Bytes(text) }
  if (about.bytes <= most) return { ...about, value }
  return { ...about, excerpt: excerptOf(value, EXCERPT_CHARS).text, cut: true }
}

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

/** The queue of an external worker, and the key by which its results have to be signed. */
export function queueText({
  name,
  task_queue,
  attest,
}: {
  name: string
  task_queue: string
  attest?: string | undefined
}): string {
  return `${name}, the task queue ${task_queue}${attest === undefined ? '' : `, signed by ${attest}`}`
}

/** The same of what was written when a gate opened, which is in this shape; null where the step has no connection. */
export function viewedConnection(view: JsonObject): string | null {
  const { connection } = (view['operation'] ?? {}) as { connection?: ConnectionTarget & { id: string } }
  return connection === undefined ? null : connectionText(connection.id, connection)
}
