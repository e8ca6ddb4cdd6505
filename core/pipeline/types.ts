import type { JsonObject } from '../json/json.ts'

/** The effect of a failed step on its pipeline. */
export const ON_FAILURE = ['fail', 'continue', 'compensate'] as const
export type OnFailure = (typeof ON_FAILURE)[number]

/** Gates of a step's runs: `none`, `manual` (a user advances the step), or `approval` (the gates of the run itself). */
export const STEP_GATES = ['none', 'manual', 'approval'] as const
export type StepGate = (typeof STEP_GATES)[number]

/** The template that a step runs. */
export interface TemplateName {
  pack: string
  template: string
}

/** Makes one run for each entry of a list. */
export interface ForEach {
  /** bare CEL; a list of at most `MAX_ITEMS` */
  items: string
  /** most runs that may be open at once */
  parallel: number
}

interface StepBase {
  id: string
  title: string
  /** ids of the steps that have to have ended */
  needs: string[]
  /** bare CEL; the step is skipped when it is false */
  when?: string
  on_failure: OnFailure
}

/** A step that runs a template: once, or once for each entry of a list. */
export interface RunStep extends StepBase {
  kind: 'run'
  uses: TemplateName
  /** inputs of the run, with `${{ CEL }}` expressions over `inputs`, `steps`, `pipeline` and, in a `for_each`, `item` and `index` */
  with: JsonObject
  gate: StepGate
  /** time limit of the step's runs; waiting for people does not count */
  timeout_ms: number
  for_each?: ForEach
  /** the template that compensates a run of this step, with the inputs that it takes from that run */
  compensate?: TemplateName
}

/** A step that waits for a time. */
export interface TimerStep extends StepBase {
  kind: 'timer'
  /** a delay, the text of one with `${{ CEL }}` expressions as in `with`, or the next time of a cron expression */
  timer: { delay_ms: number } | { delay: string } | { cron: string; timezone: string }
}

/** A step that waits for an event on the bus. */
export interface EventStep extends StepBase {
  kind: 'event'
  /** a topic, or a pattern of topics */
  topic: string
  /** bare CEL over `event`, `inputs`, `steps` and `pipeline`: other events are passed over */
  matches?: string
  /** events published so long before the wait still count */
  look_back_ms: number
  timeout_ms: number
}

export type PipelineStep = RunStep | TimerStep | EventStep

/** A compiled pipeline: all that it needs, and nothing that a later edit could change. Plain JSON. */
export interface PipelineDefinition {
  v: 1
  name: string
  title: string
  description?: string
  inputs_schema: JsonObject
  /** sorted: each step comes after those that it needs */
  steps: PipelineStep[]
  /** expressions over the steps, rendered when the pipeline succeeds */
  outputs: JsonObject
  /** cost limit of all its runs together, in micro-dollars; absent: the environment's limit of a single run */
  cap_micro_usd?: number
  /** digest of each template that it runs, by `pack/template`, at compile time */
  template_digests: Record<string, string>
  /** `sha256:` over the files of the bundle */
  bundle_digest: string
}

/** The most entries of a `for_each`, and the most runs of one step at once. */
export const MAX_ITEMS = 1_000
export const MAX_PARALLEL = 50
