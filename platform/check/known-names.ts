import { DEFAULT_PROFILE, type Environment, type Profile } from '#core/environment/environment.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { kindsOfSteps } from '#platform/policies/policy-names.ts'

export interface NameSources {
  packs: { list(): readonly LoadedPack[] }
  environments: { list(): readonly Pick<Environment, 'name'>[]; profiles(): readonly Pick<Profile, 'name'>[] }
  channels: { list(): readonly { name: string }[] }
  operators: Pick<OperatorCatalog, 'list'>
  models: { bound(): { models: readonly { id: string }[] } }
}

/** Returns the names that a document may use in the running deployment. */
export function knownNames({ packs, environments, channels, operators, models }: NameSources): KnownNames {
  const loaded = packs.list()
  return {
    environments: environments.list().map(({ name }) => name),
    profiles: [...new Set([DEFAULT_PROFILE, ...environments.profiles().map(({ name }) => name)])],
    templates: new Map(
      loaded.flatMap(({ name, templates }) =>
        templates.map((each) => [`${name}/${each.template}`, each.inputs_schema] as const),
      ),
    ),
    channels: channels.list().map(({ name }) => name),
    models: models.bound().models.map(({ id }) => id),
    ...kindsOfSteps(loaded, operators),
    connections: [...new Set(loaded.flatMap(({ connections }) => connections.map(({ id }) => id)))],
  }
}
