import { expect, test } from 'vitest'
import { redactError, redactFailure, redactResult } from '#activities/step/redact-result.ts'
import { OperatorError } from '#core/operator.ts'
import { redactPatch } from '#core/run/redact-patch.ts'
import { createRedactor } from '#core/secret/redactor.ts'

const redactor = createRedactor([
  ['token', 'opensesame'],
  ['meat', 'beef'],
])

test('files are redacted where they are text, and left to the byte where they are not', () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...Buffer.from('opensesame')])
  const { artifacts } = redactResult(
    {
      outputs: {},
      artifacts: [
        { name: 'a.md', media_type: 'text/markdown', body: 'say opensesame' },
        { name: 'b.txt', media_type: 'text/plain', body: Buffer.from('\ufeffsay opensesame') },
        { name: 'c.bin', media_type: 'application/octet-stream', body: bytes },
        { name: 'd.txt', media_type: 'text/plain', body: Buffer.from('\ufeffplain') },
      ],
    },
    redactor,
  )
  expect(artifacts?.map((artifact) => artifact.body)).toEqual([
    'say <secret:token>',
    '\ufeffsay <secret:token>',
    bytes,
    Buffer.from('\ufeffplain'),
  ])
})

test('what is published gives no secret away', () => {
  const events = [{ event: 'done.opensesame', data: { token: ['opensesame'] }, subject: 'for opensesame' }]
  expect(redactResult({ outputs: {}, events }, redactor).events).toEqual([
    { event: 'done._secret_token_', data: { token: ['<secret:token>'] }, subject: 'for <secret:token>' },
  ])
})

test('an error stays what it is, without the secret in its texts and those of its causes', () => {
  const cause = new TypeError('bad opensesame')
  const error = new RangeError('outer opensesame', { cause })
  expect(redactError(error, redactor)).toBe(error)
  expect([error.message, cause.message]).toEqual(['outer <secret:token>', 'bad <secret:token>'])
  expect(`${error.stack}${cause.stack}`).not.toContain('opensesame')
  expect(redactError('not an error', redactor)).toBe('not an error')
})

test('a failure keeps what it says of its cost and its repetition', () => {
  const options = { retryable: true, unknown_outcome: true, cost: { llm: 3 }, details: { text: 'opensesame' } }
  expect(redactFailure(new OperatorError('connection_lost', 'opensesame', options), redactor)).toMatchObject({
    ...{ code: 'connection_lost', message: '<secret:token>', details: { text: '<secret:token>' } },
    ...{ retryable: true, unknown_outcome: true, cost: { llm: 3 } },
  })
})

test('a transition keeps its keys, hashes and bodies, and loses the secret everywhere else', () => {
  const bytes = { digest: `sha256:${'0'.repeat(64)}`, bytes: 1 }
  const plan_hash = `sha256:${'beef'.repeat(16)}`
  const text = 'opensesame and roast beef'
  const shown = '<secret:token> and roast <secret:meat>'
  const step = { step_id: 'beef', ordinal: 0, attempt: 1 }
  const patch = redactPatch(
    {
      settle: {
        ...step,
        state: 'succeeded',
        outputs: { text },
        error: { text },
        simulation: { text },
        message: text,
        artifacts: [
          { id: 'art', name: 'n', media_type: 'm', size_bytes: 1, digest: plan_hash, body_base64: 'opensesame' },
        ],
      },
      open: { ...step, plan_hash, inputs: { ...bytes, value: { text } }, simulation: { text }, reserve_micro_usd: 0 },
      gate: {
        ...step,
        id: 'beef',
        kind: 'approval',
        plan_hash,
        required: { approvals: 1, approval_roles: [['beef']], prevent_self: false },
        view: { plan: { command: text }, secret_commitments: { '/beef': `hmac-${plan_hash}` } },
        expires_at: '2026-01-05T09:30:00.000Z',
        inputs: { ...bytes, value: { text } },
        simulation: { text },
      },
      run: { status: 'failed', outputs: { text }, error: { text } },
      events: [{ key: 'step/beef', type: 'step.log', step: 'beef', data: { text, plan_hash } }],
      audit: [
        {
          ...{
            id: 'aud',
            ts: '2026-01-05T09:30:00.000Z',
            workspace_id: 'ws',
            category: 'lineage',
            action: 'step.beef',
          },
          ...{ actor: { type: 'system', id: 'svc', auth: 'none' }, subject: { type: 'step', id: 'beef' } },
          data: { targets: [text], plan_hash },
        },
      ],
    },
    redactor,
  )
  expect(patch).toMatchObject({
    settle: {
      step_id: 'beef',
      outputs: { text: shown },
      error: { text: shown },
      simulation: { text: shown },
      message: shown,
      artifacts: [{ digest: plan_hash, body_base64: 'opensesame' }],
    },
    open: { plan_hash, inputs: { value: { text: shown } }, simulation: { text: shown } },
    gate: {
      id: 'beef',
      required: { approval_roles: [['beef']] },
      view: { plan: { command: shown }, secret_commitments: { '/beef': `hmac-${plan_hash}` } },
      inputs: { value: { text: shown } },
      simulation: { text: shown },
    },
    run: { outputs: { text: shown }, error: { text: shown } },
    events: [{ key: 'step/beef', step: 'beef', data: { text: shown, plan_hash } }],
    audit: [{ action: 'step.beef', subject: { id: 'beef' }, data: { targets: [shown], plan_hash } }],
  })
})
