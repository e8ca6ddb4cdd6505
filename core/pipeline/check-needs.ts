import type { Fault } from '../plan/fault.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { StepSpec } from './bundle-file-schema.ts'

/** Ids that are used twice, needs that name no step, and the circles in which steps need each other. */
export function checkNeeds(
  steps: readonly StepSpec[],
  cycles: readonly string[][],
  placeOf: (step: StepSpec) => Fault['path'],
): Fault[] {
  const ids = steps.map(({ id }) => id)
  return [
    ...steps.flatMap((step, index) =>
      ids.indexOf(step.id) === index
        ? []
        : [{ path: [...placeOf(step), 'id'], message: `step id ${step.id} is used twice; give this step another one` }],
    ),
    ...steps.flatMap((step) =>
      step.needs.flatMap((id, index): Fault[] => {
        const path = [...placeOf(step), 'needs', index]
        if (id === step.id) return [{ path, message: `step ${id} cannot need itself; remove it` }]
        if (step.needs.indexOf(id) < index) return [{ path, message: `step ${id} is named twice; remove one` }]
        return ids.includes(id) ? [] : [{ path, message: `there is no step ${id}${didYouMean(id, ids)}` }]
      }),
    ),
    ...cycles.flatMap((cycle): Fault[] => {
      const [first, next] = cycle
      const step = steps.find(({ id }) => id === first)
      if (step === undefined || next === undefined) return []
      const message = `these steps wait for each other, so none of them ever begins: ${[...cycle, first].join(' needs ')}; remove one of these needs`
      return [{ path: [...placeOf(step), 'needs', step.needs.indexOf(next)], message }]
    }),
  ]
}
