import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Json } from '#core/json/json.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import type { StartContext } from '#services/context.ts'
import { admitRun } from '#services/runs/admit-run.ts'
import type { BenchStack } from './stack.ts'

/** From the request to run to the end of the workflow, through the one way in. */
export async function governedRun(
  { services, client }: BenchStack,
  template: string,
  inputs: Record<string, Json>,
): Promise<string> {
  let started: Promise<void> = Promise.resolve()
  const ctx: StartContext = {
    ...services,
    later: (work) => {
      started = work()
    },
    actor: LOCAL_ACTOR,
    workspace_id: DEFAULT_WORKSPACE_ID,
    channel: 'api',
    request_id: 'req_bench',
  }
  const { run_id } = await admitRun(ctx, {
    pack: 'bench',
    template,
    inputs,
    wait: true,
    trigger: { type: 'direct' },
  })
  await started
  const result = (await client.workflow.getHandle(run_id).result()) as { status: string }
  if (result.status !== 'succeeded') throw new Error(`run ${run_id} ${result.status}`)
  return run_id
}
