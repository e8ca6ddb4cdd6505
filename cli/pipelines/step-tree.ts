import type { Schema } from '#client/create-client.ts'

type Step = Schema<'PipelineStep'>

/** A step with its drawing: the prefix of its own line, and of lines that belong to it. */
export interface DrawnStep {
  step: Step
  before: string
  below: string
}

/**
 * Draws the steps as a tree: each below the last of those that it needs. A single successor is drawn at the same depth, so that a long
 * chain stays a list.
 */
export function stepTree(steps: readonly Step[]): DrawnStep[] {
  const place = new Map(steps.map(({ id }, index) => [id, index]))
  const parentOf = ({ needs }: Step) => [...needs].sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)).at(-1)
  const childrenOf = (id: string | undefined) => steps.filter((step) => parentOf(step) === id)
  const drawn: DrawnStep[] = []

  function draw(step: Step, before: string, below: string): void {
    const children = childrenOf(step.id)
    drawn.push({ step, before, below: children.length > 1 ? `${below}│  ` : below })
    const [only] = children
    if (children.length === 1 && only !== undefined) draw(only, below, below)
    else
      children.forEach((child, index) => {
        const isLast = index === children.length - 1
        draw(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
      })
  }

  for (const root of childrenOf(undefined)) draw(root, '', '')
  return drawn
}
