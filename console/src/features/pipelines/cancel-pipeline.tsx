import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useMe } from '../../lib/use-me.ts'
import { PIPELINES } from '../../words/pipelines.ts'
import { cancelPipeline, type Pipeline } from './api.ts'
import { ReasonForm } from './reason-form.tsx'

const words = PIPELINES.cancel

/** The button that stops a pipeline, for those who may and while there is something to stop. */
export function CancelPipeline({ pipeline: { id, ended_at, status_reason } }: { pipeline: Pipeline }) {
  const me = useMe()
  const [asking, setAsking] = useState(false)
  if (!me.isOperator || ended_at !== undefined || status_reason !== undefined) return null
  if (!asking)
    return (
      <Button look="danger" className="mb-4 print:hidden" onClick={() => setAsking(true)}>
        {words.open}
      </Button>
    )
  return (
    <ReasonForm
      title={words.open}
      what={words.what}
      field={words.reason}
      words={words}
      look="danger"
      act={(reason) => cancelPipeline(id, reason)}
      onLeave={() => setAsking(false)}
    />
  )
}
