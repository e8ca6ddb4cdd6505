import type { Environment } from '#core/environment.ts'
import type { Contract } from '#core/plan/preflight-schema.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'

/** The connections that a pack asks for, as an environment has them. */
export function integrationsOf(
  pack: Pick<LoadedPack, 'connections'> | undefined,
  { connections }: Pick<Environment, 'connections'>,
): Contract['integrations'] {
  return (pack?.connections ?? []).map(({ id, kind, optional }) => {
    const known = Object.hasOwn(connections, id) ? connections[id] : undefined
    const status = known === undefined ? 'unbound' : known.kind === kind ? 'bound' : 'other_kind'
    return { connection: id, kind, required: !optional, bound: status === 'bound', status } as const
  })
}
