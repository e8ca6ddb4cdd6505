import { EMPTY_LAYER, joinLayers, type LayerPolicies } from '#core/policy/layer.ts'
import { unreadable } from '#core/policy/parse.ts'
import type { Clock } from '#core/time/time.ts'
import { type AuthoredRow, createAuthoredCache } from '../authored-cache.ts'
import { parsePolicyYaml } from './parse-policy-yaml.ts'

export interface ConsoleLayer {
  /** The policies of a workspace, at most `ttl_ms` old. While the store does not answer: the last good ones, and the gate on. */
  current(workspaceId: string): Promise<LayerPolicies>
  invalidate(workspaceId: string): void
}

export function createConsoleLayer(deps: {
  load(workspaceId: string): Promise<AuthoredRow[]>
  ttl_ms: number
  timeout_ms: number
  clock: Clock
  onUnreachable(workspaceId: string, error: unknown): void
}): ConsoleLayer {
  const { onUnreachable, ...rest } = deps
  return createAuthoredCache({
    ...rest,
    empty: EMPTY_LAYER,
    parse: (rows) => joinLayers(rows.map(parseRow)),
    failed(workspaceId, error, { sound }) {
      onUnreachable(workspaceId, error)
      return { ...sound, broken: [...sound.broken, UNREACHABLE] }
    },
    late: (timeout_ms) => new Error(`no answer within ${timeout_ms} ms`),
  })
}

const UNREACHABLE = unreadable({ layer: 'console', source: 'console policies' }, [
  { message: 'the store does not answer; the last known ones stay in force', path: [] },
])

function parseRow({ name, document, author }: AuthoredRow): LayerPolicies {
  const origin = { layer: 'console', source: `console policy ${name}`, name, author } as const
  const parsed = parsePolicyYaml(document, origin)
  const count = parsed.policies.length + parsed.broken.length
  if (count === 1) return parsed
  return { policies: [], broken: [unreadable(origin, [{ message: `holds ${count} policies, takes one`, path: [] }])] }
}
