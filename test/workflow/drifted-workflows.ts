import { sleep } from '@temporalio/workflow'
import type { RunInput, RunResult } from '#core/contract.ts'

/** What `runV1` must never become under the same name: its first command is another. */
export async function runV1(_input: RunInput): Promise<RunResult> {
  await sleep('1 minute')
  return { status: 'succeeded' }
}
