/** The address of a model as people see it: without user, password, query and fragment. */
export function shownAddress(text: string): string {
  if (!URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}
