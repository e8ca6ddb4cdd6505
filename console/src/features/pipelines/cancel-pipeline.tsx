import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ReasonForm } from '../../components/reason-form.tsx'
import { useMe } from '../../lib/use-me.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import { cancelPipeline, type Pipeline } from './api.ts'

const words = PIPELINES.cancel

/** The button that stops a pipeline, for those who may and while there is something to stop. */
export function CancelPipeline({ pipeline: { id, ended_at, status_reason } }: { pipeline: Pipeline }) {
  const me = useMe()
  const [asking, setAsking] = useState(false)
  if (!me.isOperator || ended_at !== undefined || status_reason !== undefined) return null
  if (!asking)
    return (
      <Button variant="destructive" className="mb-4 print:hidden" onClick={() => setAsking(true)}>
        {words.open}
      </Button>
    )
  const leave = () => setAsking(false)
  return (
    <ReasonForm
      title={words.open}
      what={words.what}
      field={words.reason}
      words={words}
      variant="destructive"
      invalidates={[['pipelines']]}
      act={(reason) => cancelPipeline(id, reason)}
      onDone={leave}
      onLeave={leave}
    />
  )
}
