import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { STRINGS } from '../../strings.ts'
import { type Decision, gatesQuery } from '../gates/api.ts'
import { GoesOn } from '../gates/goes-on.tsx'
import { OpenGate } from '../gates/open-gate.tsx'

const words = STRINGS.run.gate

/** The open gate of a run, which can be answered here as in the queue. */
export function RunGate({ run_id }: { run_id: string }) {
  const { data } = useQuery(gatesQuery({ q: run_id }))
  const gate = data?.gates.find((each) => each.run_id === run_id)
  const [answering, setAnswering] = useState<Decision>()
  const [message, setMessage] = useState('')
  return (
    <>
      <p role="status" className={message === '' ? 'sr-only' : 'mb-3 break-words rounded-lg border bg-muted px-3 py-2'}>
        <bdi>{message}</bdi>
        {message !== '' && <GoesOn run_id={run_id} />}
      </p>
      {gate !== undefined && (
        <Card aria-labelledby="gate-title" className="mb-6 border-warning">
          <h2 id="gate-title" className="mb-1 text-lg font-semibold">
            {words.title}
          </h2>
          <OpenGate key={gate.gate_id} gate={gate} answering={answering} onAnswer={setAnswering} onDone={setMessage} />
        </Card>
      )}
    </>
  )
}
