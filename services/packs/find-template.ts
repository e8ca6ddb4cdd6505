import { DomainError } from '#core/errors.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { ServiceContext } from '../context.ts'

/** A template of an installed pack. Throws `not_found`. */
export function findTemplate(
  { packs }: { packs: Pick<ServiceContext['packs'], 'findTemplate'> },
  pack: string,
  template: string,
): LoadedTemplate {
  const found = packs.findTemplate(pack, template)
  if (found === undefined) throw new DomainError('not_found', `there is no template ${pack}/${template}`)
  return found
}
