import { nearestName } from './nearest-name.ts'

/** The end of a message about a name that there is not: `; did you mean production?`, or nothing where none is near. */
export function didYouMean(meant: string, names: Iterable<string>): string {
  const nearest = nearestName(meant, [...names])
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
