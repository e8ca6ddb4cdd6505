import { sleep } from '@temporalio/workflow'
import type { RunClaim, RunResult } from '#core/contract.ts'
import type {
  ConnectionInput,
  DigestInput,
  EndInput,
  GateNoticesInput,
  GateNoticesResult,
  HaltInput,
  NoticesResult,
} from '#core/notify/contract.ts'
import type { PipelineClaim, PipelineResult } from '#core/pipeline/contract.ts'
import type { RemoteJobClaim } from '#core/remote-job/contract.ts'
import type { FireResult, ScheduleFiringInput } from '#core/schedule/contract.ts'

/** What `runV2` must never become under the same name: its first command is another. */
export async function runV2(_claim: RunClaim): Promise<RunResult> {
  await sleep('1 minute')
  return { status: 'succeeded' }
}

export async function actionV2(_input: GateNoticesInput): Promise<GateNoticesResult> {
  await sleep('1 minute')
  return { delivered: { opened: 0, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 0 }, stood_down: false }
}

export async function scheduleFiringV1(_input: ScheduleFiringInput): Promise<FireResult> {
  await sleep('1 minute')
  return { kind: 'done', outcome: 'ignored' }
}

export async function endV1(_input: EndInput): Promise<NoticesResult> {
  await sleep('1 minute')
  return { delivered: 0 }
}

export async function haltV1(_input: HaltInput): Promise<NoticesResult> {
  await sleep('1 minute')
  return { delivered: 0 }
}

export async function connectionV1(_input: ConnectionInput): Promise<NoticesResult> {
  await sleep('1 minute')
  return { delivered: 0 }
}

export async function remoteJobV1(_input: RemoteJobClaim): Promise<void> {
  await sleep('1 minute')
}

export async function digestV1(_input: DigestInput): Promise<NoticesResult> {
  await sleep('1 minute')
  return { delivered: 0 }
}

export async function pipelineV1(_claim: PipelineClaim): Promise<PipelineResult> {
  await sleep('1 minute')
  return { status: 'succeeded' }
}
