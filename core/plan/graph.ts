import type { Plan } from './types.ts'

export interface PlanGraph {
  mermaid: string
  nodes: { id: string; label: string; operator: string; gate: boolean }[]
  edges: { from: string; to: string; when?: string }[]
}

/** A plan as a graph. Steps run in the order of their file; one with a condition may be left out. */
export function planGraph({ steps }: Pick<Plan, 'steps'>, gated: (step: string) => boolean): PlanGraph {
  const nodes = steps.map(({ id, name, operator }) => ({ id, label: name, operator, gate: gated(id) }))
  const edges = steps.slice(1).map((step, index) => ({
    from: steps[index]?.id ?? '',
    to: step.id,
    ...(step.when !== undefined && { when: step.when }),
  }))
  const place = new Map(steps.map(({ id }, index) => [id, `s${index}`]))
  const lines = [
    'flowchart TD',
    ...nodes.map(({ id, label, operator, gate }) => {
      const text = `"${quiet(label)}<br/>${quiet(operator)}"`
      return `  ${place.get(id)}${gate ? `{{${text}}}` : `[${text}]`}`
    }),
    ...edges.map(({ from, to, when }) => {
      const label = when === undefined ? '' : `|"${quiet(when)}"|`
      return `  ${place.get(from)} -->${label} ${place.get(to)}`
    }),
  ]
  return { mermaid: `${lines.join('\n')}\n`, nodes, edges }
}

/** Escapes characters with a meaning for Mermaid, or for the page that shows it. */
function quiet(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._/-]/gu, (mark) => `#${mark.codePointAt(0)};`)
}
