import { ReasonForm } from '../../components/reason-form.tsx'
import { visibleLine } from '../../lib/text.ts'
import { PIPELINES } from '../../words/pipelines.ts'
import { advanceStep, type PipelineStep } from './api.ts'

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
      invalidates={[['pipelines']]}
      act={(note) => advanceStep(pipelineId, step.id, note)}
      onDone={onLeave}
      onLeave={onLeave}
    />
  )
}
