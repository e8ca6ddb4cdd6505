import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { STRINGS } from '../../strings.ts'
import type { PendingApproval } from './api.ts'
import { Block } from './block.tsx'
import { changesBetween } from './changes.ts'
import { Decided } from './decided.tsx'

const words = STRINGS.gates.changed

interface Props {
  before: PendingApproval
  after: PendingApproval
  onConfirm: () => void
}

/** A change of the plan before the answer. It has to be confirmed before the gate can be answered. */
export function ChangedPlan({ before, after, onConfirm }: Props) {
  const here = useRef<HTMLElement>(null)
  // not its button: an Enter that was meant for the form of before must not say that the change was seen
  useEffect(() => here.current?.focus(), [])
  const changes = changesBetween(before, after)
  const replanned = before.plan_hash !== after.plan_hash
  return (
    <section ref={here} tabIndex={-1} role="alert" className="my-3 rounded border-2 border-warning p-3">
      <h3 className="font-semibold text-warning">{words.title}</h3>
      {before.gate_id !== after.gate_id && <Decided run_id={before.run_id} gate_id={before.gate_id} />}
      <p>{replanned ? words.plan : words.gate}</p>
      {replanned && changes.length === 0 && <p>{words.hidden}</p>}
      {changes.map(({ name, before: was, after: is }) => (
        <div key={name} className="mt-2">
          <h4 className="font-medium">{name}</h4>
          <div className="grid gap-2 md:grid-cols-2">
            <div>
              <p className="text-sm text-muted-foreground">{words.before}</p>
              <Block text={was} />
            </div>
            <div>
              <p className="text-sm text-muted-foreground">{words.after}</p>
              <Block text={is} />
            </div>
          </div>
        </div>
      ))}
      <Button onClick={onConfirm} className="mt-3">
        {words.look}
      </Button>
    </section>
  )
}
