import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { ReasonForm } from '../../components/reason-form.tsx'
import { Status } from '../../components/status.tsx'
import { visibleLine } from '../../lib/text.ts'
import { elapsedText } from '../../lib/time.ts'
import { useMe } from '../../lib/use-me.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import { advanceStep, type Pipeline, type PipelineStep } from './api.ts'

const words = PIPELINES.step

/** The steps with what each waits for and runs. */
export function StepList({ pipeline: { id, steps } }: { pipeline: Pipeline }) {
  return (
    <ol>
      {steps.map((step) => (
        <StepLine key={step.id} pipelineId={id} step={step} />
      ))}
    </ol>
  )
}

function StepLine({ pipelineId, step }: { pipelineId: string; step: PipelineStep }) {
  const me = useMe()
  const [advancing, setAdvancing] = useState(false)
  const { state, error, reason } = step
  return (
    <li id={`step-${step.id}`} className="border-b py-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <Status of={state} />
        <span className="min-w-0 break-words font-medium">{visibleLine(step.title)}</span>
        <code className="text-sm text-muted-foreground">{step.id}</code>
        <span className="text-sm text-muted-foreground sm:ml-auto">{elapsedText(step.started_at, step.ended_at)}</span>
      </div>
      {reason !== undefined && <p className="break-words text-muted-foreground">{reason}</p>}
      {error !== undefined && (
        <p className="break-words text-destructive">
          {error.message} ({error.code})
        </p>
      )}
      <Facts rows={rowsOf(step)} />
      <Runs step={step} answers={me.isApprover ? words.answer : words.look} />
      {step.outputs !== undefined && Object.keys(step.outputs).length > 0 && (
        <details>
          <summary className="cursor-pointer text-primary">{words.outputs}</summary>
          <Data value={step.outputs} />
        </details>
      )}
      {state === 'ready' && me.isOperator && !advancing && step.advanced === undefined && (
        <Button variant="default" className="my-2" onClick={() => setAdvancing(true)}>
          {PIPELINES.advance.open}
        </Button>
      )}
      {advancing && state === 'ready' && (
        <AdvanceStep pipelineId={pipelineId} step={step} onLeave={() => setAdvancing(false)} />
      )}
    </li>
  )
}

function rowsOf(step: PipelineStep): Parameters<typeof Facts>[0]['rows'] {
  const isOpen = step.ended_at === undefined
  return [
    [words.uses, step.uses],
    [words.needs, step.needs.join(', ')],
    [words.gate, step.gate !== undefined && step.gate !== 'none' && words.gates[step.gate]],
    [words.fires, isOpen && step.fire_at !== undefined && <Timer key="fires" at={step.fire_at} />],
    [words.awaits, step.state === 'waiting_event' && step.topic],
    [
      words.deadline,
      // it is paused while people are asked
      isOpen && step.state !== 'awaiting_approval' && step.deadline_at !== undefined && (
        <Timer key="deadline" at={step.deadline_at} />
      ),
    ],
    [words.advanced, step.advanced && [step.advanced['by'], step.advanced['note']].filter(Boolean).join(': ')],
  ]
}

function Timer({ at }: { at: string }) {
  return (
    <>
      <Countdown to={at} calm /> (<Time at={at} />)
    </>
  )
}

function Runs({ step: { runs }, answers }: { step: PipelineStep; answers: string }) {
  if (runs.length === 0) return null
  return (
    <ul aria-label={words.runs} className="mt-1">
      {runs.map(({ run_id, index, role, status, gate_id, error }) => (
        <li key={run_id} className="flex flex-wrap items-baseline gap-x-3">
          {runs.length > 1 && <span className="text-muted-foreground">{words.entry(index)}</span>}
          {role === 'compensation' && <span className="text-warning">{words.compensation}</span>}
          {status === 'refused' ? (
            <span className="break-all text-muted-foreground">{words.no_run}</span>
          ) : (
            <RunLink id={run_id} />
          )}
          <Status of={status} />
          {gate_id !== undefined && (
            <Link to="/gates" search={{}} className="link">
              {answers}
            </Link>
          )}
          {error !== undefined && status === 'refused' && (
            <span className="text-destructive">
              {error.message} ({error.code})
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

const advanceWords = PIPELINES.advance

interface Props {
  pipelineId: string
  step: PipelineStep
  onLeave: () => void
}

/** Advances a step that waits for a user. It is no approval. */
function AdvanceStep({ pipelineId, step, onLeave }: Props) {
  return (
    <ReasonForm
      title={advanceWords.title(visibleLine(step.title))}
      what={advanceWords.what}
      field={advanceWords.note}
      words={advanceWords}
      variant="default"
      invalidates={[['pipelines']]}
      act={(note) => advanceStep(pipelineId, step.id, note)}
      onDone={onLeave}
      onLeave={onLeave}
    />
  )
}
