import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createProcessRun } from '#activities/operators/process/run.ts'
import type { AllowedProcess } from '#core/environment/process-schema.ts'
import type { JsonObject } from '#core/json/json.ts'
import { checkInput } from '#core/plan/check-input.ts'
import type { PendingSettlement } from '#core/run/patch.ts'
import { createProcessRunner } from '#platform/processes/process-runner.ts'
import { type GatedStep, type GatedStepOptions, gatedStep } from '#test/support/gated-step.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { type ProcessLab, processLab, runs } from '#test/support/process-lab.ts'

const operator = createProcessRun(createProcessRunner())
let lab: ProcessLab
beforeAll(async () => {
  lab = await processLab()
})
afterAll(() => lab.remove())

const stopping: AbortController[] = []
afterEach(() => {
  for (const each of stopping.splice(0)) each.abort()
})

/** A step of an environment that allows these. */
function step(input: JsonObject, processes: AllowedProcess[], options: Partial<GatedStepOptions> = {}) {
  const made = gatedStep({ operator, input, ...options })
  made.environment.processes = processes
  return made
}

const outputsOf = (made: GatedStep) => (made.settled() as PendingSettlement | null | undefined)?.settle

/** What a run that needs no gate brings, or fails with. */
async function run(input: JsonObject, processes: AllowedProcess[], options: Partial<GatedStepOptions> = {}) {
  const made = step(input, processes, { requires_approval: false, ...options })
  const asked = await made.ask().catch((error: unknown) => String(error))
  return { asked, settled: outputsOf(made), patches: made.patches, text: JSON.stringify(made.patches) }
}

describe('what is not allowed fails before anybody is asked', () => {
  const A_NAME = /a name of lower-case letters/
  const attempts: [what: string, input: JsonObject, message: RegExp][] = [
    [
      'another name',
      { command: 'jobs' },
      /does not allow the process \\"jobs\\"; allowed: job;.*environments\/development.yaml/,
    ],
    ['a path', { command: '/usr/bin/id' }, A_NAME],
    ['a relative path', { command: './job' }, A_NAME],
    ['a name that the PATH would find', { command: 'Sh' }, A_NAME],
    ['a variable', { command: '$HOME/job' }, A_NAME],
    ['a shell line', { command: 'job;id' }, A_NAME],
    ['a name with its arguments', { command: 'job -c id' }, A_NAME],
    ['a substitution', { command: '`id`' }, A_NAME],
    ['a line break', { command: 'job\nid' }, A_NAME],
    ['an environment', { command: 'job', env: { LD_PRELOAD: '/tmp/x.so' } }, /env/],
    ['a folder to work in', { command: 'job', cwd: '/' }, /cwd/],
    ['one argument too few', { command: 'job', args: [] }, /takes 1 or more arguments, and there are 0/],
    [
      'an argument with more than its pattern',
      { command: 'job', args: ['--size=1; id'] },
      /argument 1 does not match --size/,
    ],
    ['an argument with a second line', { command: 'job', args: ['--size=1\n--x'] }, /argument 1 does not match/],
    ['a further argument', { command: 'job', args: ['--size=1', 'a', '$(id)'] }, /argument 3 does not match \[a-z\]\+/],
  ]

  it.each(attempts)('%s', async (_what, input, message) => {
    const path = await lab.script('job', 'echo ran')
    const allowed = [lab.allow(path, { args: ['--size=[0-9]+'], rest: '[a-z]+' })]
    const { asked, patches, text } = await run({ args: ['--size=1'], ...input }, allowed, { requires_approval: true })
    expect(asked).toMatch(/the step ended as/)
    expect(text).toMatch(message)
    expect(patches.filter(({ gate }) => gate !== undefined)).toEqual([])
  })

  it('a link, and a file that is not there', async () => {
    for (const command of ['/proc/self/exe', join(lab.folder, 'none')]) {
      const { text, patches } = await run({ command: 'job' }, [lab.allow(command)], { requires_approval: true })
      expect(text).toMatch(/process_refused/)
      expect(patches.filter(({ gate }) => gate !== undefined)).toEqual([])
    }
  })

  it('anything, where an environment lists nothing', async () => {
    expect((await run({ command: 'job' }, [])).text).toMatch(/allowed: none; add it under processes of/)
    const undefinedList = gatedStep({ operator, input: { command: 'job' } })
    await expect(undefinedList.ask()).rejects.toThrow(/allowed: none/)
  })

  it('a command that is no name, when its template is loaded', () => {
    const faults = (command: string) => checkInput({ command }, operator, ['with'])
    expect(faults('./job')).toMatchObject([{ path: ['with', 'command'] }])
    expect(faults(`\${{ inputs.command }}`)).toEqual([])
    expect(faults('job')).toEqual([])
  })
})

describe('preflight', () => {
  const refusedIn = (input: JsonObject) =>
    operator.refusedIn?.(
      { ...operatorContext().environment, processes: [lab.allow('/opt/job', { args: ['[0-9]+'] })] },
      input,
    )

  it('says what the environment does not allow, as far as the values are known', () => {
    expect(refusedIn({ command: 'other' })).toMatchObject({
      fix: expect.stringContaining('environments/development.yaml'),
    })
    expect(refusedIn({ command: 'job', args: ['x'] })).toMatchObject({ message: expect.stringContaining('argument 1') })
    expect(refusedIn({ command: 'job', args: ['1', '2'] })).toMatchObject({
      message: expect.stringContaining('takes 1'),
    })
    for (const args of [['1'], [`\${{ steps.a.outputs.n }}`], `\${{ inputs.args }}`])
      expect(refusedIn({ command: 'job', args })).toBeUndefined()
    expect(refusedIn({ command: `\${{ inputs.command }}` })).toBeUndefined()
  })
})

describe('what was approved is what runs', () => {
  it('is shown with its file, its user and its limits, and runs once it is approved', async () => {
    const path = await lab.script('job', 'echo "{\\"n\\": 12345678901234567890, \\"by\\": \\"$2\\"}"')
    const input = { command: 'job', args: ['a b', "it's"], stdin: 'x', parse: 'json' }
    const made = step(input, [lab.allow(path, { rest: '.*', env: { LANG: 'C' } })])
    const pending = await made.ask()
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    expect(pending?.operation).toMatchObject({
      ...{
        operator: 'process.run@1',
        action_type: 'process.run',
        risk: 'high',
        targets: { kind: 'process', ids: [path] },
      },
      deployment: { command: path, sha256, env: { LANG: 'C' }, limits: { memory_mb: 512, time_ms: 600_000 } },
    })
    expect(pending?.plan.command).toBe(`printf %s 'x' | ${path} 'a b' 'it'\\''s'`)
    made.approve()
    expect(await made.ask()).toBeUndefined()
    expect(outputsOf(made)).toMatchObject({
      outputs: { exit_code: 0, json: { n: '12345678901234567890', by: "it's" }, truncated: false },
    })
  })

  it('is another plan where the file has changed since, and says so', async () => {
    const path = await lab.script('job', 'echo good')
    const made = step({ command: 'job' }, [lab.allow(path)])
    await made.ask()
    made.approve()
    await lab.script('job', 'echo evil')
    const again = await made.ask()
    expect(again?.because).toEqual(
      expect.arrayContaining(['plan_changed', expect.stringMatching(/what the deployment gives it \(was.*sha256/)]),
    )
    made.approve()
    expect(await made.ask()).toBeUndefined()
    expect(outputsOf(made)).toMatchObject({ outputs: { stdout: 'evil\n' } })
  })

  it('does not start where the file changes after it was judged', async () => {
    const path = await lab.script('job', 'echo good')
    const environment = { ...operatorContext().environment, processes: [lab.allow(path)] }
    const deployment = await operator.deployment?.({ command: 'job' }, environment)
    await lab.script('job', 'echo evil')
    const ctx = operatorContext({ ...(deployment && { deployment }) })
    await expect(operator.execute(ctx, { command: 'job' })).rejects.toMatchObject({ code: 'plan_changed', cost: {} })
  })

  it('a dry run says what it would run, and runs nothing', async () => {
    const marker = join(lab.folder, 'ran')
    const path = await lab.script('job', `touch ${marker}`)
    const { settled } = await run({ command: 'job' }, [lab.allow(path)], { dry_run: true })
    expect(JSON.stringify(settled)).toContain(`would run ${path}`)
    await expect(readFile(marker)).rejects.toThrow(/ENOENT/)
  })
})

describe('its end', () => {
  const job = async (
    body: string,
    input: JsonObject = {},
    limits: object = {},
    options: Partial<GatedStepOptions> = {},
  ) => await run({ command: 'job', ...input }, [lab.allow(await lab.script('job', body), { limits })], options)

  it('with an exit code that the step accepts is a success', async () => {
    const { settled } = await job('echo diff; exit 1', { accept_exit: [0, 1] })
    expect(settled).toMatchObject({ outputs: { exit_code: 1, stdout: 'diff\n', stderr: '' } })
  })

  it('has the digest and the length of all that it wrote, also where only a part is kept', async () => {
    const { settled } = await job(`head -c 300000 /dev/zero | tr '\\0' a; echo b >&2`, {}, { output_kb: 1 })
    const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
    expect(settled).toMatchObject({
      outputs: {
        ...{
          stdout: 'a'.repeat(1_024),
          stdout_bytes: 300_000,
          stdout_digest: digest('a'.repeat(300_000)),
          truncated: true,
        },
        ...{ stderr: 'b\n', stderr_bytes: 2, stderr_digest: digest('b\n') },
      },
    })
  })

  it('with any other one fails with its last words, and by a signal with its name', async () => {
    expect((await job('echo out; echo no disk >&2; exit 7')).text).toMatch(
      /"process_failed".*ended with exit code 7: no disk/,
    )
    expect((await job('kill -KILL $$')).text).toMatch(/was ended by SIGKILL/)
    const { text } = await job('exit 7', { idempotent: true }, {}, { attempts: 2 })
    expect(text.match(/step.retrying|"retry/g)).not.toBeNull()
  })

  it('with JSON beside lines of progress has that JSON', async () => {
    const body = `echo 'progress: 1 of 2'; echo '{"n":'; echo 'progress: 2 of 2'; echo '1}'`
    expect((await job(body, { parse: 'json' })).settled).toMatchObject({ outputs: { json: { n: 1 } } })
  })

  it('with something that is no JSON, or more than is kept of it, fails', async () => {
    expect((await job('echo nope', { parse: 'json' })).text).toMatch(/answer_invalid.*no JSON: nope/)
    expect((await job('head -c 2000 /dev/zero', { parse: 'json' }, { output_kb: 1 })).text).toMatch(
      /response_too_large/,
    )
  })

  it('leaves artifacts, with their digests on record and its step in their names', async () => {
    const body = 'mkdir out; echo 1 > out/a.json; echo 2 > out/b; echo scratch > c'
    const { settled } = await job(body, { artifacts: ['out'] })
    expect(settled).toMatchObject({
      outputs: { artifacts: ['act/out/a.json', 'act/out/b'] },
      artifacts: [
        { name: 'act/out/a.json', media_type: 'application/json', size_bytes: 2 },
        {
          name: 'act/out/b',
          media_type: 'application/octet-stream',
          digest: `sha256:${createHash('sha256').update('2\n').digest('hex')}`,
        },
      ],
    })
    expect((await job(body)).settled).toMatchObject({ artifacts: [] })
  })

  it('without the files that the step keeps is a failure, and leaves nothing', async () => {
    const { text } = await job('ln -s /etc/passwd a', { artifacts: ['a'] })
    expect(text).toMatch(/"process_failed".*what it left is not kept: a is a link, or behind one/)
    expect(text).not.toContain('artifact.created')
    // what it ended with comes first
    expect((await job('exit 7', { artifacts: ['a'] })).text).toMatch(/ended with exit code 7/)
  })

  it('keeps nothing that is not below its folder', () => {
    const faults = (path: string) => checkInput({ command: 'job', artifacts: [path] }, operator, ['with'])
    for (const path of ['..', '../a', 'a/..', 'a/../../b', '/etc/passwd', './a', 'a//b', '', 'a b', '$HOME'])
      expect(faults(path), path).not.toEqual([])
    for (const path of ['.', 'a', '..a', 'a/b.c', '.hidden']) expect(faults(path), path).toEqual([])
  })

  it('after its time asks a person, unless it may be repeated', async () => {
    const { asked } = await job('sleep 60', {}, { time: '100ms' })
    expect(asked).toMatchObject({
      kind: 'outcome_unknown',
      because: expect.arrayContaining([expect.stringMatching(/stopped after 100 ms/)]),
    })
    expect((await job('sleep 60', { idempotent: true }, { time: '100ms' })).text).toMatch(/"code":"timeout"/)
    const late = await job('sleep 60', {}, {}, { timeout_ms: 300 })
    expect(late.asked).toMatchObject({ kind: 'outcome_unknown' })
  })

  it('by a cancel comes although it ignores that, with its children, and is charged once', async () => {
    const cancelling = new AbortController()
    stopping.push(cancelling)
    let pids: number[] = []
    const info = (_fields: JsonObject, message: string) => {
      pids = message.split(' ').map(Number)
      cancelling.abort(new Error('CANCELLED'))
    }
    const { asked, patches } = await job(
      `trap '' TERM; sleep 60 & echo progress: $$ $!; while :; do wait; done`,
      { cost: { gpu_usd: 0.5 } },
      { grace: '100ms' },
      {
        signal: cancelling.signal,
        deps: {
          log: { info, warn: () => undefined, error: () => undefined },
          decisions: { runState: async () => ({ status: 'cancelling' }) as never },
        },
      },
    )
    expect(asked).toMatch(/stopped/)
    expect(await Promise.all(pids.map(runs))).toEqual([false, false])
    const opened = patches.flatMap(({ open }) => open ?? [])
    expect(opened).toMatchObject([{ reserve_micro_usd: 500_000, reserve_gpu_micro_usd: 500_000 }])
    const ended = patches.flatMap(({ settle }) => settle ?? [])
    // without an amount all that was reserved is charged
    expect(ended).toEqual([expect.not.objectContaining({ gpu_micro_usd: expect.anything() })])
    expect(ended).toMatchObject([{ state: 'cancelled', attempt: 1 }])
  })
})
