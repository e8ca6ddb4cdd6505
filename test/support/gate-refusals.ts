import type { GateOpening } from '#core/run/patch.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { GuardWorld } from './guard-world.ts'
import { likeItsExample, type Prepare } from './refused-operation.ts'
import { admitTestRun, parkTestRun } from './test-runs.ts'

/** The example of the operation, about a run that waits at such a gate. */
export function atGate(
  required: Partial<GateOpening['required']>,
  run: (owner: string) => Partial<RunDraft> = () => ({}),
): Prepare<GuardWorld> {
  return async (world, route) => {
    const { id: owner } = (await (await world.api.get('/auth/me', world.as('owner'))).json()) as { id: string }
    const id = await admitTestRun(world.api, run(owner))
    const asked = { approvals: 1, approval_roles: [], prevent_self: false, ...required }
    await parkTestRun(world.api, id, { required: asked })
    return likeItsExample({ params: { id } })(world, route)
  }
}

/** The run has not come to a gate. */
export const beforeItsGate: Prepare<GuardWorld> = async (world, route) =>
  likeItsExample({ params: { id: await world.queuedRun() } })(world, route)

/** Its gate was approved, and the run is about to go on. */
export const behindItsGate: Prepare<GuardWorld> = async (world, route) => {
  const id = await world.parkedRun()
  const decided = await world.api.post(`/runs/${id}/resume`, { decision: 'approve' }, world.as('owner'))
  if (decided.status !== 200) throw new Error(`the gate was not approved: ${decided.status}`)
  return likeItsExample({ params: { id } })(world, route)
}
