import { afterEach, describe, expect, it } from 'vitest'
import { createGitCommit } from '#activities/operators/git/commit.ts'
import { createSlackPost } from '#activities/operators/slack/post.ts'
import { createSmtpSend } from '#activities/operators/smtp/send.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Operator } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createGit } from '#platform/git/git-program.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import { gatedStep } from '#test/support/gated-step.ts'
import { startGitServer } from '#test/support/git-server.ts'
import { readBack, readCurl } from '#test/support/shown-text.ts'
import { startSlackEmulator } from '#test/support/slack-emulator.ts'
import { startSmtpSink } from '#test/support/smtp-sink.ts'

const PASSWORD = 'Pw55RtYu81Ac'
const deps = { egress: createEgressClient(), mail: createMailer(), git: createGit({ path: process.env['PATH'] }) }
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** A step that asks, through a connection of this kind. */
async function asking(operator: Operator, input: JsonObject, connection: { kind: string; url: string }) {
  const step = gatedStep({
    ...{ operator, input: { connection: 'out', ...input }, connections: { out: connection.url } },
    deps: { connect: async () => connection },
  })
  const pending = await step.ask()
  if (pending === undefined) throw new Error('it did not ask')
  const recorded = () => JSON.stringify([step.patches, step.settled()])
  expect(recorded()).not.toContain(PASSWORD)
  return { step, pending, recorded }
}

describe('smtp.send', () => {
  const MAIL = { from: 'svc@example.test', to: ['ann@example.test'], subject: 'Your access', text: 'It ends.' }
  const mailing = async () => {
    const sink = await startSmtpSink({ login: { user: 'svc', pass: PASSWORD } })
    stops.push(sink.close)
    const url = `smtp://svc:${PASSWORD}@${new URL(sink.url).host}?tls=none`
    return { sink, ...(await asking(createSmtpSend(deps), MAIL, { kind: 'smtp', url })) }
  }

  it('sends the mail that was shown, once it was approved', async () => {
    const { sink, step, pending, recorded } = await mailing()
    expect(sink.connected).toEqual([])
    expect(pending.operation.connection).toMatchObject({ kind: 'smtp', user: 'svc', parameters: { tls: 'none' } })
    step.approve()
    expect(await step.ask()).toBeUndefined()
    const [mail] = sink.received
    const [id] = mail?.headers['message-id'] ?? []
    const lines = ['From: svc@example.test', 'To: ann@example.test', 'Subject: Your access', `Message-ID: ${id}`]
    expect(readBack(pending.plan.command ?? '')).toBe([...lines, '', 'It ends.'].join('\n'))
    expect(recorded()).toContain(String(id).slice(1, -1))
    expect(recorded()).not.toContain(PASSWORD)
  })

  it('asks a person what became of a mail whose answer was lost, and sends it once', async () => {
    const { sink, step } = await mailing()
    sink.refuse({ at: 'end' })
    step.approve()
    expect(await step.ask()).toMatchObject({ kind: 'outcome_unknown' })
    expect(sink.received).toHaveLength(1)
  })
})

describe('slack.post', () => {
  it('posts the message that was shown, with the token that is not', async () => {
    const slack = await startSlackEmulator(PASSWORD)
    stops.push(slack.close)
    const url = slack.api_url.replace('://', `://:${PASSWORD}@`)
    const message = { channel: '#ops', text: "It's <!here>", blocks: [{ type: 'divider' }] }
    const { step, pending, recorded } = await asking(createSlackPost(deps), message, { kind: 'slack', url })
    expect(slack.calls).toEqual([])
    step.approve()
    expect(await step.ask()).toBeUndefined()
    const shown = readCurl(readBack(pending.plan.command ?? '', { out: `Bearer ${PASSWORD}` }))
    expect(shown.url).toBe(`${slack.api_url}chat.postMessage`)
    expect(shown.headers).toMatchObject({ authorization: `Bearer ${PASSWORD}` })
    expect(slack.calls.map(({ raw }) => raw)).toEqual([shown.body])
    expect(recorded()).not.toContain(PASSWORD)
  })
})

describe('git.commit', () => {
  const committing = async () => {
    const authorization = `Basic ${Buffer.from(`svc:${PASSWORD}`).toString('base64')}`
    const server = await startGitServer({ authorization })
    stops.push(server.stop)
    const parent = await server.commit({ 'deploy.yaml': 'version: 2\n' })
    const input = {
      ...{ repository: 'shop.git', branch: 'main', parent, message: 'Roll back' },
      ...{
        changes: [{ path: 'deploy.yaml', text: 'version: 1\n' }],
        author: { name: 'Svc', email: 'svc@example.test' },
      },
    }
    const url = server.url.replace('://', `://svc:${PASSWORD}@`)
    return { server, parent, ...(await asking(createGitCommit(deps), input, { kind: 'http', url })) }
  }

  it('commits what was shown, on the commit that was shown', async () => {
    const { server, parent, step, pending, recorded } = await committing()
    expect(server.requests).toEqual([])
    expect(pending.plan.summary).toContain(parent)
    expect(pending.plan.diff?.body).toContain('write deploy.yaml\n\nversion: 1')
    step.approve()
    expect(await step.ask()).toBeUndefined()
    expect(await server.git(server.bare, 'show', 'main:deploy.yaml')).toBe('version: 1')
    expect(await server.git(server.bare, 'rev-parse', 'main^')).toBe(parent)
    expect(recorded()).not.toContain(PASSWORD)
  })

  it('fails with plan_changed where the branch moved while the gate was open', async () => {
    const { server, step, recorded } = await committing()
    const moved = await server.commit({ 'other.txt': 'x' })
    step.approve()
    await step.ask().catch(() => undefined)
    expect(recorded()).toContain('plan_changed')
    expect(await server.head()).toBe(moved)
    expect(server.requests.filter(({ url }) => url.endsWith('/git-receive-pack'))).toEqual([])
  })
})
