/** Where something is allowed: files, or folders that end in `/`. Remembers which of them were needed. */
export interface Places {
  has(path: string): boolean
  unused(): string[]
}

const all: { what: string; places: Places }[] = []

/** `what` names the permission, for the message that says that nobody needs it any more. */
export function places(what: string, ...where: string[]): Places {
  const needed = new Set<string>()
  const made: Places = {
    has(path) {
      const found = where.filter((each) => (each.endsWith('/') ? path.startsWith(each) : path === each))
      for (const each of found) needed.add(each)
      return found.length > 0
    },
    unused: () => where.filter((each) => !needed.has(each)),
  }
  all.push({ what, places: made })
  return made
}

/** Permissions that nothing in the tree has made use of. */
export function unusedPlaces(): string[] {
  return all.flatMap(({ what, places }) => places.unused().map((place) => `${what}: ${place}`))
}
