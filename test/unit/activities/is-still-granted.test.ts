import { expect, test, vi } from 'vitest'
import type { Operator } from '#core/operator.ts'
import { gatedStep } from '#test/support/gated-step.ts'

function operator() {
  const execute = vi.fn(async () => ({ outputs: {} }))
  const simulate = vi.fn(async () => ({ ok: true, summary: 'would act' }))
  const acting: Operator = {
    ...{ id: 'test.act', version: 1, title: 'Act', risk: 'low', action_type: 'service.restart', capabilities: [] },
    ...{ requires_approval: false, input_schema: {}, wants_scope: false },
    parse: (input) => input,
    replay: () => 'safe',
    describe: () => ({ summary: 'acts', targets: { kind: 'test', ids: [] } }),
    execute,
    simulate,
  }
  return { acting, execute, simulate }
}

test('what was approved does not run once the environment is granted to others, and nobody can let it through', async () => {
  const { acting, execute, simulate } = operator()
  const step = gatedStep({ operator: acting, input: {}, require_dry_run: true })
  expect(await step.ask()).toMatchObject({ kind: 'approval' })
  step.approve()
  simulate.mockClear()
  step.environment.workspaces = ['lab']
  for (let times = 0; times < 2; times += 1) {
    const asked = await step.ask()
    expect(asked).toMatchObject({
      kind: 'standing_lost',
      required: { approvals: 1, approval_roles: [['owner']] },
      because: [expect.stringMatching(/^the workspace of this run may no longer use the environment /)],
    })
    // whoever vouches vouches for people: the answer changes nothing while the grant is gone
    step.approve()
  }
  expect(simulate).not.toHaveBeenCalled()
  expect(execute).not.toHaveBeenCalled()
  step.environment.workspaces = ['default']
  expect(await step.ask()).toBeUndefined()
  expect(execute).toHaveBeenCalledOnce()
})

test('what no gate asks for is stopped too, and ends where the environment says so', async () => {
  const { acting, execute } = operator()
  const step = gatedStep({ operator: acting, input: {}, requires_approval: false })
  step.environment.workspaces = []
  step.environment.on_lost_standing = 'cancel'
  await expect(step.ask()).rejects.toThrow('"status":"cancelled","status_reason":"standing_lost"')
  expect(execute).not.toHaveBeenCalled()
  expect(step.patches.at(-1)).toMatchObject({
    run: { status: 'cancelled', status_reason: 'standing_lost' },
    events: [{ type: 'run.cancelled', data: { cause: 'standing_lost', why: 'grant_lost' } }],
  })
})

test('a dry run that loses its environment ends, whatever the environment says, because it asks nobody', async () => {
  const { acting, execute, simulate } = operator()
  const step = gatedStep({ operator: acting, input: {}, dry_run: true })
  step.environment.workspaces = []
  await expect(step.ask()).rejects.toThrow('"status":"cancelled","status_reason":"standing_lost"')
  expect(simulate).not.toHaveBeenCalled()
  expect(execute).not.toHaveBeenCalled()
})

test('a workspace that nobody knows any more may use what all may', async () => {
  const { acting, execute } = operator()
  const workspaces = { find: async () => undefined }
  const step = gatedStep({ operator: acting, input: {}, requires_approval: false, deps: { workspaces } })
  expect(await step.ask()).toMatchObject({ kind: 'standing_lost' })
  step.environment.workspaces = ['*']
  await step.ask()
  expect(execute).toHaveBeenCalledOnce()
})
