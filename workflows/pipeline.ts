import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { nextEvaluation } from '#core/pipeline/awaited-updates.ts'
import { type PipelineClaim, type PipelineResult, WAKE_PIPELINE } from '#core/pipeline/contract.ts'
import { historyFacts } from './history-facts.ts'
import { advancePipeline } from './ledger.ts'
import { endAs } from './shown.ts'

const wakeSignal = defineSignal(WAKE_PIPELINE)

interface PipelineState {
  /** true after an update since the record was last read */
  woken: boolean
  /** in Temporal itself */
  cancelled: boolean
}

/** The pipeline: evaluates its record, waits, and evaluates again. `advancePipeline` decides each step from the record. */
export async function pipelineV1(claim: PipelineClaim): Promise<PipelineResult> {
  const state: PipelineState = { woken: false, cancelled: false }
  const wake = () => {
    state.woken = true
  }
  setHandler(wakeSignal, wake, { description: 'Has the pipeline evaluate its record. It carries nothing' })
  CancellationScope.current().cancelRequested.catch(() => {
    state.cancelled = true
    state.woken = true
  })
  return await CancellationScope.nonCancellable(() => live(claim, state))
}

async function live(claim: PipelineClaim, state: PipelineState): Promise<PipelineResult> {
  for (;;) {
    state.woken = false
    const { cancelled } = state
    const outcome = await advancePipeline({ ...claim, cancelled })
    // it is recorded now
    if (cancelled) state.cancelled = false
    if (outcome.kind === 'ended') return endAs(outcome.status, null, 'pipeline')
    setCurrentDetails(`The pipeline waits for ${outcome.summary}.`)
    const evaluation = nextEvaluation(outcome, historyFacts())
    // an unrecorded cancellation would be lost; everything else is recorded, and found by the new execution
    if (state.cancelled) continue
    if (evaluation.do === 'continue_as_new') return await continueAsNew<typeof pipelineV1>(claim)
    await condition(() => state.woken, evaluation.for_ms, { summary: outcome.summary })
  }
}
