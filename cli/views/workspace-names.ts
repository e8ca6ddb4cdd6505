/** Names workspaces by their slugs, with their ids where asked; `*` is all of them. */
export function workspaceNames(
  ids: readonly string[],
  known: readonly { id: string; slug: string }[],
  withIds: boolean,
): string {
  const named = (id: string) => {
    const slug = known.find((each) => each.id === id)?.slug
    if (id === '*') return 'all'
    if (slug === undefined) return id
    return withIds ? `${slug} (${id})` : slug
  }
  return ids.map(named).join(', ')
}
