import { nearestName } from './nearest-name.ts'

/** The end of a message about a name that there is not: `; did you mean production?`, or nothing where none is near. `shown` says how the nearest is written. */
export function didYouMean(
  meant: string,
  names: Iterable<string>,
  shown: (nearest: string) => string = (nearest) => nearest,
): string {
  const nearest = nearestName(meant, [...names])
  return nearest === undefined ? '' : `; did you mean ${shown(nearest)}?`
}
