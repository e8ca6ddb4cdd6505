import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RunLink } from '../../components/link.tsx'
import { Part } from '../../components/part.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { cn } from '../../lib/cn.ts'
import { visibleLine } from '../../lib/text.ts'
import { elapsedText, spanText } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { STRINGS } from '../../strings.ts'
import { type Run, type RunStep, stepsQuery } from '../runs/api.ts'
import { StepPart } from './step-part.tsx'

const words = STRINGS.run

/** The steps of a run in their order, each with when it ran; what is known of one opens below it. */
export function RunSteps({ run, folds }: { run: Run; folds: boolean }) {
  const { data: steps, error, isPending, refetch } = useQuery(stepsQuery(run.id))
  return (
    <Part id="steps" folds={folds} title={words.steps}>
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {steps?.length === 0 && <Empty>{words.no_steps}</Empty>}
      <ol className="rounded-lg border bg-card">
        {steps?.map((step) => (
          <StepLine key={step.id} run={run} step={step} />
        ))}
      </ol>
    </Part>
  )
}

function StepLine({ run, step }: { run: Run; step: RunStep }) {
  const [open, setOpen] = useState(false)
  const now = useNow()
  const name = visibleLine(step.name)
  const gates = run.gates.filter((gate) => gate.step === step.id)
  const took = elapsedText(step.started_at, step.ended_at ?? (step.state === 'running' ? now : undefined))
  const waited_ms = gates.reduce((sum, gate) => sum + spanOf(gate, now), 0)
  const waited = waited_ms < MIN_SHOWN_MS ? undefined : spanText(waited_ms)
  return (
    <li className="border-t px-4 py-3 first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          variant="ghost"
          size="icon"
          aria-expanded={open}
          aria-label={words.step.open(name)}
          onClick={() => setOpen(!open)}
          className="-ml-2 size-7 print:hidden"
        >
          <ChevronRight aria-hidden className={cn('size-4', open && 'rotate-90')} />
        </Button>
        <span className="min-w-0 break-words font-medium">{name}</span>
        <Status of={step.state} />
        <code className="text-xs text-muted-foreground">{step.operator}</code>
        <span className="text-sm text-muted-foreground tabular-nums sm:ml-auto">
          {[
            step.attempt > 1 && words.step.attempt(step.attempt),
            waited !== undefined && words.step.waited(waited),
            took,
            step.cost_usd > 0 && words.dollars(String(step.cost_usd)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      <Timeline run={run} step={step} gates={gates} label={words.step.scale(took, waited)} />
      {step.taken_over_from !== undefined && (
        <p className="text-sm text-muted-foreground">
          {words.step.taken_over} <RunLink id={step.taken_over_from.run_id} />
        </p>
      )}
      {step.message !== undefined && <p className="break-words text-sm text-muted-foreground">{step.message}</p>}
      {open && <StepPart run={run} step={step} />}
    </li>
  )
}

const MIN_SHOWN_MS = 1_000

const spanOf = ({ opened_at, resolved_at }: Run['gates'][number], now: number) =>
  (resolved_at === undefined ? now : Date.parse(resolved_at)) - Date.parse(opened_at)

interface TimelineProps {
  run: Run
  step: RunStep
  gates: Run['gates']
  label: string
}

/** When a step ran, solid, and waited for an approval, hatched, between the beginning and the end of its run. */
function Timeline({ run, step, gates, label }: TimelineProps) {
  const now = useNow()
  if (step.started_at === undefined && gates.length === 0) return null
  const from = Date.parse(run.created_at)
  // running and waiting steps reach to now
  const to = run.ended_at === undefined ? Math.max(now, Date.parse(run.updated_at)) : Date.parse(run.ended_at)
  const share = (time: number) => (to <= from ? 0 : Math.max(0, Math.min(1, (time - from) / (to - from))) * 100)
  const bar = (start: string, end: string | undefined) => {
    const left = share(Date.parse(start))
    return { left: `${left}%`, width: `max(3px, ${share(end === undefined ? to : Date.parse(end)) - left}%)` }
  }
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className="relative my-1.5 h-2 overflow-hidden rounded-full bg-muted"
    >
      {gates.map(({ gate_id, opened_at, resolved_at }) => (
        <span key={gate_id} style={bar(opened_at, resolved_at)} className="hatched absolute inset-y-0" />
      ))}
      {step.started_at !== undefined && (
        <span
          style={bar(step.started_at, step.ended_at)}
          className={cn('absolute inset-y-0 rounded-full', step.state === 'failed' ? 'bg-destructive' : 'bg-primary')}
        />
      )}
    </div>
  )
}
