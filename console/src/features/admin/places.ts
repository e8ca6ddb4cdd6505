export const EVERYWHERE = '*'

/** Returns the workspaces of a user after a choice: all of them, or those chosen; the first is their home. */
export function placesAfter(before: readonly string[], chosen: readonly string[]): string[] {
  if (chosen.includes(EVERYWHERE) && !before.includes(EVERYWHERE)) return [EVERYWHERE]
  const some = chosen.filter((each) => each !== EVERYWHERE || chosen.length === 1)
  return [...before.filter((each) => some.includes(each)), ...some.filter((each) => !before.includes(each))]
}

export function withHome(places: readonly string[], home: string): string[] {
  return [home, ...places.filter((each) => each !== home)]
}
