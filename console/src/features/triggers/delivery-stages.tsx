import { TRIGGERS } from '../../words/triggers.ts'
import type { DeliveryTrace } from './api.ts'

const words = TRIGGERS.deliveries
const COLOURS = {
  passed: 'text-good',
  stopped: 'font-medium text-bad',
  not_reached: 'text-soft',
  not_checked: 'text-soft',
  pending: 'font-medium text-wait',
  unknown: 'text-soft',
}

/** The stages of one delivery in their order, each with what it came to and why. */
export function DeliveryStages({ item: { delivery_id, stages } }: { item: DeliveryTrace }) {
  return (
    <ol aria-label={words.stages_of(delivery_id)} className="text-sm">
      {stages.map(({ stage, result, detail }) => (
        <li key={stage} className="break-words">
          {words.stages[stage]}: <span className={COLOURS[result]}>{words.results[result]}</span>
          {result === 'not_checked' && ` ${stage === 'rules' ? words.recovery : words.no_time}`}
          {detail !== undefined && ` (${detail})`}
        </li>
      ))}
    </ol>
  )
}
