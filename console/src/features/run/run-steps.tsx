import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Part } from '../../components/part.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { visibleLine } from '../../lib/text.ts'
import { elapsedText } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { STRINGS } from '../../strings.ts'
import { type Run, type RunStep, stepsQuery } from '../runs/api.ts'
import { StepGraph } from './step-graph.tsx'
import { StepPart } from './step-part.tsx'

const words = STRINGS.run

/** The steps of a run in their order, each with when it ran; what is known of one opens below it. */
export function RunSteps({ run }: { run: Run }) {
  const { data: steps, error, isPending, refetch } = useQuery(stepsQuery(run.id))
  return (
    <Part id="steps" title={words.steps}>
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {steps?.length === 0 && <Empty>{words.no_steps}</Empty>}
      {steps !== undefined && steps.length > 0 && <StepGraph steps={steps} />}
      <ol>
        {steps?.map((step) => (
          <StepLine key={step.id} run={run} step={step} />
        ))}
      </ol>
    </Part>
  )
}

function StepLine({ run, step }: { run: Run; step: RunStep }) {
  const [open, setOpen] = useState(false)
  const name = visibleLine(step.name)
  const took = elapsedText(step.started_at, step.ended_at)
  return (
    <li className="border-b border-line py-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <button
          type="button"
          aria-expanded={open}
          aria-label={words.step.open(name)}
          onClick={() => setOpen(!open)}
          className="rounded border border-line px-2 text-soft print:hidden"
        >
          {open ? '−' : '+'}
        </button>
        <Status of={step.state} />
        <span className="min-w-0 break-words font-medium">{name}</span>
        <code className="text-sm text-soft">{step.operator}</code>
        <span className="text-sm text-soft sm:ml-auto">
          {[
            step.attempt > 0 && words.step.attempt(step.attempt),
            took,
            step.cost_usd > 0 && words.dollars(String(step.cost_usd)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      <Bar run={run} step={step} />
      {step.message !== undefined && <p className="break-words text-soft">{step.message}</p>}
      {open && <StepPart run={run} step={step} />}
    </li>
  )
}

const WIDE = 1_000

/** The duration of a step, on the scale of its run. */
function Bar({ run, step }: { run: Run; step: RunStep }) {
  const now = useNow()
  const gates = run.gates.filter((gate) => gate.step === step.id)
  if (step.started_at === undefined && gates.length === 0) return null
  const from = Date.parse(run.created_at)
  // running and waiting steps reach to now
  const last = run.ended_at ?? new Date(Math.max(now, Date.parse(run.updated_at))).toISOString()
  const to = Date.parse(last)
  const place = (time: string) => (to <= from ? 0 : Math.max(0, Math.min(1, (Date.parse(time) - from) / (to - from))))
  const begun = step.started_at === undefined ? undefined : place(step.started_at) * WIDE
  const ended = place(step.ended_at ?? last) * WIDE
  return (
    <svg
      role="img"
      aria-label={words.step.scale}
      viewBox={`0 0 ${WIDE} 6`}
      preserveAspectRatio="none"
      className="my-1 h-1.5 w-full"
    >
      <rect width={WIDE} height="6" className="fill-sunk" />
      {gates.map(({ gate_id, opened_at, resolved_at }) => {
        const opened = place(opened_at) * WIDE
        const width = place(resolved_at ?? last) * WIDE - opened
        return <rect key={gate_id} x={opened} width={Math.max(4, width)} height="6" className="fill-wait" />
      })}
      {begun !== undefined && <rect x={begun} width={Math.max(4, ended - begun)} height="6" className="fill-mark" />}
    </svg>
  )
}
