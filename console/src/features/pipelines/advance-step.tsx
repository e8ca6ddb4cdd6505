import { visibleLine } from '../../lib/visible-line.ts'
import { PIPELINES } from '../../words/pipelines.ts'
import { advanceStep, type PipelineStep } from './api.ts'
import { ReasonForm } from './reason-form.tsx'

const words = PIPELINES.advance

interface Props {
  pipelineId: string
  step: PipelineStep
  onLeave: () => void
}

/** Lets a step begin that waits for somebody. It is no approval. */
export function AdvanceStep({ pipelineId, step, onLeave }: Props) {
  return (
    <ReasonForm
      title={words.title(visibleLine(step.title))}
      what={words.what}
      field={words.note}
      words={words}
      look="main"
      act={(note) => advanceStep(pipelineId, step.id, note)}
      onLeave={onLeave}
    />
  )
}
