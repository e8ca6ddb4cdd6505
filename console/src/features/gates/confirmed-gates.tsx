import { useEffect, useRef, useState } from 'react'
import { evidenceText } from '../../../../client/gate-text.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import type { WaitingGate } from './api.ts'
import { Found, Marks } from './gate-marks.tsx'
import { commonWords, confirmedText, problemText } from './groups.ts'

interface Props {
  /** what it says */
  label: string
  gates: readonly WaitingGate[]
}

/** The gates of a confirmation, those with a comment first: why each asks, what it does, and what was found. */
export function ConfirmedGates({ label, gates }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [below, setBelow] = useState(0)
  const count = () => {
    const box = list.current
    if (box === null) return
    const end = box.getBoundingClientRect().bottom
    setBelow([...box.children].filter((each) => each.getBoundingClientRect().bottom > end + 2).length)
  }
  useEffect(count)
  const common = commonWords(gates.map(evidenceText))
  return (
    <>
      <ul
        ref={list}
        aria-label={label}
        onScroll={count}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        tabIndex={0}
        className="max-h-72 space-y-2 overflow-y-auto rounded bg-muted p-2 text-sm"
      >
        {gates
          .toSorted((one, other) => Number(other.comment_count > 0) - Number(one.comment_count > 0))
          .map((gate) => (
            <li key={gate.run_id}>
              <bdi className="block font-medium [overflow-wrap:anywhere]">{problemText(gate)}</bdi>
              <bdi dir="ltr" className="block whitespace-pre-wrap [overflow-wrap:anywhere]">
                {confirmedText(gate, gates)}
              </bdi>
              <Found text={evidenceText(gate)} common={common} />
              <Marks gate={gate} />
            </li>
          ))}
      </ul>
      {below > 0 && <p className="text-sm font-medium">{GATE_GROUPS.form.below(below)}</p>}
    </>
  )
}
