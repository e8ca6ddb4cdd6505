import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { StartPlan, sealPlan } from '#cli/ask/start-plan.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openPlanningWorld } from '#test/support/planning-world.ts'

const url = 'http://127.0.0.1:8080/act'

const world = fileFixture(openPlanningWorld)
beforeEach(() => world.judge(undefined))

const svc = (args: string[], input?: string) => world.svc(args, input)

/** The plan of a start, and the status that it came with. */
async function planOf(...args: string[]) {
  const { code, stdout, stderr } = await svc(['ask', 'plan', ...args, '--json'])
  expect(stderr).toBe('')
  return { code, stdout, plan: StartPlan.parse(JSON.parse(stdout)) }
}

/** That no run begins meanwhile. */
async function startsNothing(check: () => Promise<void>): Promise<void> {
  const before = await world.runs()
  await check()
  expect(await world.runs()).toBe(before)
}

describe('svc ask plan', () => {
  test('says what a runnable start would be and how it is run, in the same bytes each time', async () => {
    await startsNothing(async () => {
      const { code, stdout, plan } = await planOf('asked/act', '-i', `url=${url}`, '--environment', 'live')
      expect(code).toBe(0)
      expect(stdout).toBe(`${canonicalText(plan)}\n`)
      expect(plan).toMatchObject({
        runnable: true,
        inputs: { url, text: 'hello' },
        environment: 'live',
        profile: 'default',
        config_preset: null,
        missing: [],
        policy: { effect: 'require_hitl' },
        gates_expected: [{ step: 'post', because: [expect.stringContaining('requires a person')] }],
        estimate_usd: 0,
        steps: [{ step: 'post', operator: 'http.request' }],
      })
      expect(plan.command).toBe(
        `svc run asked/act -i text=hello -i url=${url} --environment live --profile default --plan-hash ${plan.plan_hash}`,
      )
      const again = await planOf('asked/act', '--environment', 'live', '-i', `url=${url}`)
      expect(again.stdout).toBe(stdout)
      const [one, other] = [
        ['-i', 'text=hi'],
        ['-i', `url=${url}`],
      ]
      expect((await planOf('asked/act', ...one, ...other)).stdout).toBe(
        (await planOf('asked/act', ...other, ...one)).stdout,
      )
    })
  })

  test('tells a person the same, with nothing in it that a terminal would act on', async () => {
    const { code, stdout } = await svc(['ask', 'plan', 'asked/note', '-i', 'text=a\u001b[2J\u202eb'])
    expect(code).toBe(0)
    for (const raw of ['\u001b', '\u202e']) expect(stdout).not.toContain(raw)
    for (const text of ['asked/note 1.0.0', 'text=a\\u{1b}[2J\\u{202e}b', 'list=[1,"two"]', '✓ inputs', 'run exactly'])
      expect(stdout).toContain(text)
    expect(stdout).toContain(`svc run asked/note -i 'list=[1,"two"]' -i 'text="a\\u001b[2J\\u202eb"' --environment`)
    const { stdout: json } = await svc(['ask', 'plan', 'asked/note', '-i', 'text=a\u001b[2J\u202eb', '--json'])
    for (const raw of ['\u001b', '\u202e']) expect(json).not.toContain(raw)
    const gated = await svc(['ask', 'plan', 'asked/act', '-i', `url=${url}`, '--environment', 'live'])
    expect(gated.stdout).toMatch(/gate +before post: .*requires a person/)
  })

  test('ends with another status where an input is missing or wrong, or a policy refuses it', async () => {
    const missing = await planOf('asked/act')
    expect([missing.code, missing.plan]).toEqual([
      1,
      expect.objectContaining({
        runnable: false,
        command: null,
        missing: [{ name: 'url', schema: { type: 'string', format: 'uri' } }],
      }),
    ])
    const wrong = await planOf('asked/act', '-i', `url=${url}`, '-i', 'txt=a')
    expect([wrong.code, wrong.plan.faults]).toEqual([
      1,
      [{ pointer: '/txt', msg: 'is not known here; did you mean text?' }],
    ])
    const shut = await planOf('asked/act', '-i', `url=${url}`, '--environment', 'shut')
    expect([shut.code, shut.plan.policy.effect, shut.plan.runnable]).toEqual([1, 'deny', false])
    expect(shut.plan.checks).toContainEqual(expect.objectContaining({ id: 'policy', status: 'fail' }))
    const nowhere = await svc(['ask', 'plan', 'asked/act', '-i', `url=${url}`, '--environment', 'lvie'])
    expect([nowhere.code, nowhere.stdout]).toEqual([
      1,
      expect.stringContaining('not runnable: there is no environment lvie; did you mean live?'),
    ])
    const preset = await svc(['ask', 'plan', 'asked/act', '-i', `url=${url}`, '--config-preset', 'night'])
    expect([preset.code, preset.stdout]).toEqual([1, expect.stringContaining('there is no config preset night')])
  })

  test('names the nearest template for one that there is not, and what is wrong with its own words', async () => {
    const unknown = await svc(['ask', 'plan', 'asked/nte', '--json'])
    expect([unknown.code, JSON.parse(unknown.stderr)]).toEqual([
      66,
      expect.objectContaining({
        code: 'not_found',
        detail: 'there is no template asked/nte; did you mean asked/note?',
      }),
    ])
    for (const args of [['note'], [], ['asked/note', '-i', 'text'], ['asked/note', '--no-such']])
      expect((await svc(['ask', 'plan', ...args])).code, args.join(' ')).toBe(64)
  })

  test('takes inputs of a file, and never shows a secret', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'svc-plan-')), 'inputs.yaml')
    await writeFile(file, 'token: hunter2hunter2\ntext: from a file\n')
    const { code, stdout, plan } = await planOf('asked/keyed', '--inputs-file', file, '-i', 'text=over it')
    expect(code).toBe(0)
    expect(stdout).not.toContain('hunter2')
    expect([plan.inputs, plan.secrets]).toEqual([{ text: 'over it' }, ['token']])
    expect(plan.command).toContain(`-i "token=\${TOKEN:?}"`)
    expect((await planOf('asked/keyed')).plan.missing).toMatchObject([{ name: 'token' }])
  })
})

describe('svc run --plan', () => {
  test('starts what was planned, and that command does as well', async () => {
    const { stdout, plan } = await planOf('asked/act', '-i', `url=${url}`, '--profile', 'careful')
    const started = await svc(['run', '--plan', '-', '--detach', '--json', '--reason', 'as planned'], stdout)
    expect(started.code).toBe(0)
    expect(JSON.parse(started.stdout)).toMatchObject({
      inputs: { url, text: 'hello' },
      profile: 'careful',
      template_digest: plan.template_digest,
      reason: 'as planned',
    })
    const words = (plan.command ?? '').split(' ').slice(1)
    expect((await svc([...words, '--detach'])).code).toBe(0)
  })

  test('takes the secrets of the plan again, and nothing else beside it', async () => {
    const { stdout } = await planOf('asked/keyed', '-i', 'token=hunter2hunter2')
    expect((await svc(['run', '--plan', '-', '-i', 'token=another', '--detach'], stdout)).code).toBe(0)
    await startsNothing(async () => {
      for (const [args, expected] of [
        [[], 'give the secrets of the plan again: -i token=…'],
        [['-i', 'token=a', '-i', 'text=b'], 'the plan says what text is'],
        [['-i', 'token=a', '--environment', 'live'], 'leave out --environment'],
        [['-i', 'token=a', '--dry-run'], 'leave out --dry-run'],
        [['-i', 'token=a', 'asked/note'], 'leave out asked/note'],
      ] as const)
        expect(await svc(['run', '--plan', '-', ...args], stdout)).toMatchObject({
          code: 64,
          stderr: expect.stringContaining(expected),
        })
    })
  })

  test('starts nothing of a plan that was edited, no matter what of it', async () => {
    const { stdout, plan } = await planOf('asked/act', '-i', `url=${url}`)
    await startsNothing(async () => {
      for (const edit of [
        { inputs: { ...plan.inputs, text: 'other' } },
        { environment: 'live' },
        { profile: 'careful' },
        { template: 'note' },
        { gates_expected: [{ step: 'post', because: [], approval_roles: [] }] },
        { plan_hash: plan.template_digest },
      ]) {
        const edited = await svc(['run', '--plan', '-', '--json'], JSON.stringify({ ...plan, ...edit }))
        expect([edited.code, JSON.parse(edited.stderr)], JSON.stringify(edit)).toEqual([
          4,
          expect.objectContaining({ code: 'plan_changed' }),
        ])
      }
      const more = await svc(['run', '--plan', '-'], JSON.stringify({ ...plan, dry_run: false }))
      expect([more.code, more.stderr]).toEqual([64, expect.stringContaining('this is no plan')])
      expect((await svc(['run', '--plan', '-'], `${stdout}x`)).code).toBe(64)
      expect((await svc(['run', '--plan', '/nowhere/plan.json'])).code).toBe(64)
      const blocked = await planOf('asked/act')
      const refused = await svc(['run', '--plan', '-'], blocked.stdout)
      expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('not runnable')])
    })
  })

  test('cannot be made to act elsewhere by anyone who forges a plan to the last byte', async () => {
    const { plan } = await planOf('asked/act', '-i', `url=${url}`)
    const { digest: _digest, ...rest } = plan
    await startsNothing(async () => {
      for (const edit of [
        { environment: 'live' },
        { environment: 'sandbox' },
        { inputs: { ...plan.inputs, url: `${url}/other` } },
        { plan_hash: plan.template_digest },
        { plan_hash: plan.template_digest, environment: 'live' },
        { profile: 'careful' },
        { profile: null, environment: 'staging' },
      ]) {
        const forged = JSON.stringify(sealPlan({ ...rest, ...edit }))
        const refused = await svc(['run', '--plan', '-', '--json'], forged)
        expect([refused.code, JSON.parse(refused.stderr)], JSON.stringify(edit)).toEqual([
          4,
          expect.objectContaining({ code: 'plan_changed', status: 409 }),
        ])
      }
      const command = await svc(['run', 'asked/act', '-i', `url=${url}/other`, '--plan-hash', plan.plan_hash])
      expect([command.code, command.stderr]).toEqual([4, expect.stringContaining('plan_changed')])
    })
  })

  test('starts nothing once the policies say something else', async () => {
    const { stdout, plan } = await planOf('asked/act', '-i', `url=${url}`, '--environment', 'staging')
    expect(plan.gates_expected).toEqual([])
    world.judge('require_hitl')
    const after = await planOf('asked/act', '-i', `url=${url}`, '--environment', 'staging')
    expect(after.plan.gates_expected).toMatchObject([{ step: 'post' }])
    await startsNothing(async () => {
      const outdated = await svc(['run', '--plan', '-'], stdout)
      expect([outdated.code, outdated.stderr]).toEqual([4, expect.stringContaining('svc ask plan')])
    })
    expect((await svc(['run', '--plan', '-', '--detach'], after.stdout)).code).toBe(0)
  })

  test('starts nothing once the preset that fills it in is another', async () => {
    const preset = { pack: 'asked', template: 'note', name: 'usual', values: { inputs: { text: 'preset' } } }
    const made = await world.api.post('/console/api/config-presets', preset)
    const { id } = JSON.parse(await made.text())
    const named = await planOf('asked/note', '--config-preset', 'usual')
    expect([named.code, named.plan.inputs, named.plan.config_preset]).toEqual([
      0,
      { text: 'preset', list: [1, 'two'] },
      'usual',
    ])
    expect((await svc(['run', '--plan', '-', '--detach'], named.stdout)).code).toBe(0)
    const changed = await world.api.app.request(`/console/api/config-presets/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': made.headers.get('etag') ?? '' },
      body: JSON.stringify({ values: { inputs: { text: 'changed' } } }),
    })
    expect(changed.status).toBe(200)
    await startsNothing(async () => {
      expect((await svc(['run', '--plan', '-'], named.stdout)).code).toBe(4)
    })
  })
})
