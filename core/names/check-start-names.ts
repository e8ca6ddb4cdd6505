import type { Fault } from '../plan/fault.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { checkInputs, type NamedStart } from './check-inputs.ts'
import { type KnownNames, named } from './known-names.ts'

/** Places of a start's parts in its file. */
export interface StartPlaces {
  run: Fault['path']
  /** the mapping that contains `inputs`, `environment` and `profile` */
  at: Fault['path']
}

/** Checks the names in a start: template, inputs, environment, profile. */
export function checkStartNames(start: NamedStart, { run, at }: StartPlaces, known: KnownNames): Fault[] {
  return [...checkTemplate(start, run, at, known), ...checkPlaceNames(start, at, known)]
}

/** Checks the names of an environment and a profile. */
export function checkPlaceNames(
  { environment, profile }: Pick<NamedStart, 'environment' | 'profile'>,
  at: Fault['path'],
  known: Pick<KnownNames, 'environments' | 'profiles'>,
): Fault[] {
  return [
    ...named('environment', environment, known.environments, [...at, 'environment']),
    ...named('profile', profile, known.profiles, [...at, 'profile']),
  ]
}

function checkTemplate(start: NamedStart, place: Fault['path'], at: Fault['path'], { templates }: KnownNames): Fault[] {
  const { run } = start
  if (!templates.has(run))
    return [{ path: place, message: `there is no template ${run}${nearestTemplate(run, [...templates.keys()])}` }]
  const schema = templates.get(run)
  return schema === undefined ? [] : checkInputs(start, schema, at)
}

/** Within its pack first: `db/maintenence` is rather `db/maintenance` than a template of another pack. */
function nearestTemplate(run: string, templates: string[]): string {
  const own = templates.filter((each) => each.split('/')[0] === run.split('/')[0])
  return didYouMean(run, own) || didYouMean(run, templates)
}
