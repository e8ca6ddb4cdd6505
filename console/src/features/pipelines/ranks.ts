interface Needing {
  id: string
  needs: readonly string[]
}

/** Steps by how many others have to have ended before: those of one rank may run side by side. */
export function ranksOf<Step extends Needing>(steps: readonly Step[]): Step[][] {
  const rankOf = new Map<string, number>()
  // sorted: each comes after those that it needs
  for (const { id, needs } of steps) rankOf.set(id, Math.max(0, ...needs.map((need) => (rankOf.get(need) ?? 0) + 1)))
  const ranks: Step[][] = []
  for (const step of steps) {
    const rank = rankOf.get(step.id) ?? 0
    ranks[rank] = [...(ranks[rank] ?? []), step]
  }
  return ranks
}
