/** The part of a step that its order follows from. */
export interface NeedingStep {
  id: string
  needs: readonly string[]
}

export interface OrderedSteps<Step> {
  /** each after all that it needs; among those that could come next, the first of the file */
  order: Step[]
  /** ids of steps that need each other in a circle, each needing the next, the last the first again */
  cycles: string[][]
}

/** Sorts steps so that each comes after those that it needs. Needs that name no step are ignored. */
export function orderSteps<Step extends NeedingStep>(steps: readonly Step[]): OrderedSteps<Step> {
  const ids = new Set(steps.map(({ id }) => id))
  const cycles: string[][] = []
  const ended = new Set<string>()
  const order: Step[] = []
  let left = [...steps]
  while (left.length > 0) {
    const next = left.find(({ needs }) => needs.every((id) => ended.has(id) || !ids.has(id)))
    if (next === undefined) {
      const cycle = findCycle(left)
      cycles.push(cycle)
      // treated as ended, so that other cycles are found as well
      for (const id of cycle) ended.add(id)
      left = left.filter(({ id }) => !cycle.includes(id))
      continue
    }
    order.push(next)
    ended.add(next.id)
    left = left.filter((step) => step !== next)
  }
  return { order, cycles }
}

/** Every step needs another one of them, so following the needs leads round a cycle. Returns it from its first step in the file. */
function findCycle(steps: readonly NeedingStep[]): string[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const way: string[] = []
  let at = steps[0]
  while (at !== undefined && !way.includes(at.id)) {
    way.push(at.id)
    const next = at.needs.find((id) => byId.has(id))
    at = next === undefined ? undefined : byId.get(next)
  }
  const cycle = at === undefined ? way : way.slice(way.indexOf(at.id))
  const first = steps.find(({ id }) => cycle.includes(id))?.id ?? ''
  const start = cycle.indexOf(first)
  return [...cycle.slice(start), ...cycle.slice(0, start)]
}

/** Returns all steps that have ended before a step begins: those that it needs, directly or through others. */
export function endedBefore(steps: readonly NeedingStep[]): Map<string, ReadonlySet<string>> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  return new Map(
    steps.map((step) => {
      const found = new Set<string>()
      const open = [...step.needs]
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        const needed = byId.get(id)
        if (needed === undefined || found.has(id)) continue
        found.add(id)
        open.push(...needed.needs)
      }
      return [step.id, found]
    }),
  )
}
