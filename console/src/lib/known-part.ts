/** The part of a page that an address names; the first where it names none that there is. */
export function knownPart<Part extends string>(search: unknown, parts: readonly [Part, ...Part[]]): Part {
  const { part } = search as { part?: unknown }
  return parts.find((each) => each === part) ?? parts[0]
}
