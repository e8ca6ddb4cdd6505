import { ReasonForm } from '../../components/reason-form.tsx'
import { STRINGS } from '../../strings.ts'
import { type Ending, endRun } from './api.ts'

const words = STRINGS.run.ending

interface Props {
  id: string
  ending: Ending
  /** the gate as shown: no other is dismissed */
  gate_id?: string
  onDone: () => void
  onLeave: () => void
}

/** Asks once more, and why, before a run is cancelled or its gate is dismissed. */
export function EndRun({ id, ending, gate_id, onDone, onLeave }: Props) {
  return (
    <ReasonForm
      title={words[ending]}
      what={ending === 'cancel' ? words.cancel_what : words.expire_what}
      field={words.reason}
      words={words}
      variant="destructive"
      isRequired={ending === 'expire'}
      invalidates={[['run', id], ['gates'], ['gate', id]]}
      act={(reason) => endRun(id, ending, { reason, gate_id })}
      onDone={onDone}
      onLeave={onLeave}
    />
  )
}
