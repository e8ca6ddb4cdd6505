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
  /** something has happened since the record was last asked */
  woken: boolean
  /** in Temporal itself */
  cancelled: boolean
}

/** The pipeline: looks at its record, waits, and looks again. What it does is said by `advancePipeline`, from what is on record. */
export async function pipelineV1(claim: PipelineClaim): Promise<PipelineResult> {
  const state: PipelineState = { woken: false, cancelled: false }
  const wake = () => {
    state.woken = true
  }
  setHandler(wakeSignal, wake, { description: 'Has the pipeline look at its record. It carries nothing' })
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
    // it stands on record now
    if (cancelled) state.cancelled = false
    if (outcome.kind === 'ended') return endAs(outcome.status, null, 'pipeline')
    setCurrentDetails(`The pipeline waits for ${outcome.summary}.`)
    const look = nextEvaluation(outcome, historyFacts())
    // a cancellation that the record has not heard of would be lost; everything else stands there, and is found by the new execution
    if (state.cancelled) continue
    if (look.do === 'continue_as_new') return await continueAsNew<typeof pipelineV1>(claim)
    await condition(() => state.woken, look.for_ms, { summary: outcome.summary })
  }
}
