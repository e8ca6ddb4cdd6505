import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerLineage } from '#cli/commands/lineage.ts'
import type { Schema } from '#client/create-client.ts'
import { chainedLines, draft } from '#test/unit/core/audit/drafts.ts'
import { temporaryLog } from '#test/unit/platform/audit-sink/temporary-log.ts'

const lines = chainedLines(21)
const RUN = draft(3).run_id ?? ''

const ADA = `usr_${'a'.repeat(26)}`
const REMOTE = {
  url: 'https://svc.example.test',
  runs: async () => ({ items: [{ id: `run_0000${'a'.repeat(22)}` }] as Schema<'Run'>[] }),
  lineage: async () => ({ story: [{ title: 'asked', text: `by ${ADA}` }] }) as unknown as Schema<'RunLineage'>,
  audit: async () => ({
    items: [
      {
        ...{ seq: 7, hash: 'f'.repeat(64), people: [{ id: ADA, display: 'Ada', email: 'ada@example.test' }] },
        event: {
          ...{ ts: '2026-01-05T09:30:00.000Z', action: 'gate.decided', actor: { type: 'user', id: ADA } },
          ...{ subject: { type: 'gate', id: 'gate_1' }, data: { decision: 'approve', note: 'seen\u202e' } },
        },
      } as unknown as Schema<'AuditRecord'>,
    ],
  }),
}

const lineage = (stored: string | undefined, ...args: string[]) => lineageWith(REMOTE, stored, ...args)

const lineageWith = async (service: typeof REMOTE, stored: string | undefined, ...args: string[]) => {
  const path = temporaryLog()
  if (stored !== undefined) writeFileSync(path, stored)
  const out: string[] = []
  const err: string[] = []
  const codes: number[] = []
  const program = new Command().exitOverride()
  registerLineage(program, {
    api: () => service,
    auditFile: () => path,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    exit: (code) => codes.push(code),
  })
  await program.parseAsync(['lineage', ...args], { from: 'user' })
  expect(codes).toHaveLength(1)
  return { code: codes[0], out, err }
}

test('where there is no log the service tells a run, with names, and what proves it', async () => {
  const out: string[] = []
  const err: string[] = []
  const program = new Command().exitOverride()
  const exit = () => undefined
  registerLineage(program, {
    ...{ api: () => REMOTE, auditFile: () => '/nowhere/audit.jsonl', exit },
    ...{ out: (line) => out.push(line), err: (line) => err.push(line) },
  })
  const svc = async (...args: string[]) => {
    out.length = err.length = 0
    await program.parseAsync(['lineage', ...args], { from: 'user' })
    return out
  }
  expect(await svc('run_0000')).toEqual([`asked    by Ada <ada@example.test> (${ADA})`])
  expect(err.join()).toMatch(/^not verified: 1 record up to #7 f+, from https:.*audit\.jsonl$/)
  await expect(svc('gate_1')).rejects.toMatchObject({ code: 'not_configured' })
  expect(await svc('run_0000', '--records')).toEqual([
    expect.stringMatching(/Ada <ada@example\.test> \(usr_a+\) {2}gate:gate_1 {2}approve: seen\\u\{202e\}$/),
  ])
})

test('a run is found by its first characters, where no other has them', async () => {
  const { code, out } = await lineage(text(chainedLines(1, () => draft(3))), 'run_0000')
  expect([code, out.length]).toEqual([0, 2])
  await expect(lineage(text(lines), 'run_0000')).rejects.toMatchObject({ code: 'conflict' })
})

test('the steps of a run are no runs of their own', async () => {
  const steps = ['health', 'restart'].map((step) => draft(3, { subject: { type: 'step', id: `${RUN}:${step}` } }))
  const { code, out } = await lineage(text(chainedLines(2, (n) => steps[n - 1] ?? draft(3))), RUN.slice(0, 12))
  expect([code, out.length]).toEqual([0, 3])
})

test('what the log tells is printed with the names of people, where the service answers', async () => {
  const answered = draft(3, { actor: { type: 'user', id: ADA, auth: 'jwt' } })
  const of = text(chainedLines(1, () => answered))
  expect((await lineage(of, RUN)).out[0]).toContain(`user:Ada <ada@example.test> (${ADA})`)
  expect((await lineage(of, RUN, '--json')).out[0]).not.toContain('example.test')
  const away = { ...REMOTE, audit: () => Promise.reject(new Error('away')) }
  expect((await lineageWith(away, of, RUN)).out[0]).toContain(`user:${ADA}`)
})

const text = (of: string[]) => `${of.join('\n')}\n`

test('prints what is recorded about a run and the head of the chain', async () => {
  const { code, out } = await lineage(text(lines), RUN)
  expect(code).toBe(0)
  expect(out.map((line) => line.split('  ').slice(1, 6))).toEqual([
    ...[3, 10, 17].map((n) => [`#${n}`, 'policy_decision', 'policy.evaluated', 'service:engine', 'api']),
    [],
  ])
  expect(out.at(-1)).toBe(`chain ok: 21 records, head 21 ${JSON.parse(lines[20] ?? '').hash}`)
})

test('what was decided, and by way of whom, stands in the part of a line that is shown', async () => {
  const data = { approvals: { have: 1, need: 2 }, asserted: false, cause: null, delegations: ['x'.repeat(90)] }
  const decided = { ...draft(1), data: { ...data, decision: 'approve', note: null, via: 'usr_bot' } }
  const { out } = await lineage(text(chainedLines(1, () => decided)), draft(1).id)
  expect(out[0]).toContain('{"decision":"approve","via":"usr_bot","approvals":')
})

test('finds a record by its own id and by the id of its subject', async () => {
  expect((await lineage(text(lines), draft(5).id)).out).toHaveLength(2)
  expect((await lineage(text(lines), 'step_5')).out).toHaveLength(3)
})

test('a broken link names the first bad record and the exit status is 1, no matter what was found before it', async () => {
  const { code, out } = await lineage(text(lines.toSpliced(11, 1)), RUN)
  expect(code).toBe(1)
  expect(out).toHaveLength(3)
  expect(out.at(-1)).toMatch(/^chain BROKEN at record 12 \(line 12\): seq_gap/)
})

test('a chain that holds but says nothing about the subject is exit status 3', async () => {
  expect(await lineage(text(lines), 'run_unknown')).toMatchObject({ code: 3, err: ['no record about run_unknown'] })
  expect((await lineage('', RUN)).code).toBe(3)
})

test('the unfinished record of a crash is told and is no broken link', async () => {
  const { code, out } = await lineage(text(lines).slice(0, -50), RUN)
  expect(code).toBe(0)
  expect(out.at(-1)).toMatch(/^chain ok: 20 records.*unfinished record/)
})

test('bounds are sequence numbers or times; the whole chain is verified all the same', async () => {
  expect((await lineage(text(lines), RUN, '--from', '4', '--to', '16')).out).toHaveLength(2)
  expect((await lineage(text(lines), RUN, '--from', draft(10).ts)).out).toHaveLength(3)
  expect((await lineage(text(lines.toSpliced(0, 1)), RUN, '--from', '15')).code).toBe(1)
  expect((await lineage(text(lines), RUN, '--from', 'yesterday')).code).toBe(64)
})

test('as JSON lines the stored records come back whole, with the verdict last', async () => {
  const { out } = await lineage(text(lines), RUN, '--json')
  expect(out.slice(0, -1)).toEqual([3, 10, 17].map((n) => lines[n - 1]))
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ ok: true, records: 21, matches: 3, head: { seq: 21 } })
})

test('a stored hash that is no hash cannot steer it either', async () => {
  const { code, out } = await lineage(text(lines).replace(/"hash":"...../, '"hash":"\u001b[2J\u0007'), RUN)
  expect(code).toBe(1)
  expect(out).toEqual([
    expect.stringContaining('BROKEN at record 1 (line 1): hash_mismatch: stored hash \\u{1b}[2J\\u{7}'),
  ])
})

test('what strangers wrote into a record cannot steer the terminal', async () => {
  const hostile = chainedLines(1, () => draft(1, { data: { summary: 'ok\u001b[2J\u202e\nchain ok' } }))
  const { out } = await lineage(text(hostile), draft(1).id)
  expect(out[0]).toContain('ok\\u{1b}[2J\\u{202e}\\u{a}chain ok')
  expect(out).toHaveLength(2)
})

test('a log that is not there is an error of its own', async () => {
  expect((await lineage(undefined, RUN, '--file', '/nowhere/audit.jsonl')).code).toBe(69)
})

test('prints what a record says whole, however long it is', async () => {
  const long = { ...draft(1), data: { summary: `${'x'.repeat(500)} end` } }
  const { out } = await lineage(text(chainedLines(1, () => long)), draft(1).id)
  expect(out[0]).toContain(`${'x'.repeat(500)} end`)
})
