import { statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { type ChannelSource, createChannelSource } from '#platform/notify/channel-source.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

/** A busy machine may take a while; a quick one does not wait. */

const HOOK = '- { name: ops-hook, kind: webhook, url: "https://hooks.example.test/svc", secret: env:HOOK }\n'
const CHAT = '- { name: chat, kind: slack, channel: "#ops", token: env:BOT, signing_secret: [env:NEW, env:OLD] }\n'

const log = { info: () => undefined, warn: () => undefined }
let home: ReturnType<typeof temporaryFolder>
let source: ChannelSource | undefined

beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  source?.close()
  home.remove()
})

function open(text?: string, env: Record<string, string> = {}, poll_ms = 60_000): ChannelSource {
  if (text !== undefined) home.write({ 'channels.yaml': text })
  source = createChannelSource({ home: home.root, log, env, follow: { poll_ms } })
  return source
}

const names = (from: ChannelSource) => from.list().map(({ name }) => name)
const problems = (from: ChannelSource) => from.errors().map(faultText)

describe('createChannelSource', () => {
  it('a deployment without the file has no channels and no problem', () => {
    const channels = open()
    expect(names(channels)).toEqual([])
    expect(problems(channels)).toEqual([])
  })

  it('finds channels by their names', () => {
    const channels = open(HOOK + CHAT)
    expect(names(channels)).toEqual(['ops-hook', 'chat'])
    expect(channels.get('chat')).toMatchObject({ kind: 'slack', secrets: ['env:BOT', 'env:NEW', 'env:OLD'] })
    expect(channels.get('nobody')).toBeUndefined()
  })

  it('a broken file is reported with its place and keeps its last good version', () => {
    const channels = open(HOOK)
    home.write({ 'channels.yaml': `${HOOK}- { name: chat, kind: slack, channel: "#ops", token: xoxb-1 }\n` })
    channels.reload()
    expect(names(channels)).toEqual(['ops-hook'])
    expect(problems(channels)).toEqual([
      'channels.yaml:2:54: token: a secret reference: env:NAME or file:path, never the secret itself',
      expect.stringMatching(/^channels\.yaml:2:3: signing_secret: /),
    ])
    home.write({ 'channels.yaml': HOOK + CHAT })
    channels.reload()
    expect(names(channels)).toEqual(['ops-hook', 'chat'])
    expect(problems(channels)).toEqual([])
  })

  it('a file that is no YAML is reported with its place', () => {
    expect(problems(open('- { name: x\n'))).toEqual([expect.stringMatching(/^channels\.yaml:\d+:\d+: /)])
  })

  it('a file that cannot be read keeps the channels it had', () => {
    const channels = open(HOOK)
    unlinkSync(join(home.root, 'channels.yaml'))
    home.write({ 'channels.yaml/inside': '' })
    channels.reload()
    expect(names(channels)).toEqual(['ops-hook'])
    expect(problems(channels)).toEqual(['channels.yaml: cannot be read: EISDIR'])
  })

  it('a file that is being written keeps the channels it had until it is still', async () => {
    const file = join(home.root, 'channels.yaml')
    home.write({ 'channels.yaml': HOOK + CHAT })
    let ahead = 0
    const clock = vi.fn(() => statSync(file).mtimeMs + ahead)
    const channels = createChannelSource({ home: home.root, log, follow: { poll_ms: 5, clock } })
    source = channels
    home.write({ 'channels.yaml': HOOK })
    const looks = clock.mock.calls.length
    await vi.waitUntil(() => clock.mock.calls.length > looks + 3, PATIENCE)
    expect(names(channels)).toEqual(['ops-hook', 'chat'])
    ahead = 60_000
    await vi.waitUntil(() => names(channels).length === 1, PATIENCE)
  })

  it('a removed file removes its channels', () => {
    const channels = open(HOOK)
    unlinkSync(join(home.root, 'channels.yaml'))
    channels.reload()
    expect(names(channels)).toEqual([])
  })

  it('follows the file without a restart', async () => {
    const channels = open(HOOK, {}, 10)
    home.write({ 'channels.yaml': HOOK + CHAT })
    await vi.waitFor(() => expect(names(channels)).toEqual(['ops-hook', 'chat']), PATIENCE)
  })

  it('names every secret that closes a channel, and never its value', () => {
    const channels = open(HOOK + CHAT, { HOOK: 'not base64!', BOT: 'xoxb-1', NEW: 's' })
    expect(channels.secretProblems()).toEqual([
      {
        channel: 'ops-hook',
        reference: 'env:HOOK',
        problem: 'the secret env:HOOK is not a Standard Webhooks secret: whsec_ and base64',
      },
      { channel: 'chat', reference: 'env:OLD', problem: 'the secret env:OLD is not set' },
    ])
    expect(channels.secret('env:BOT')).toBe('xoxb-1')
    expect(() => channels.secret('env:OLD')).toThrow('the secret env:OLD is not set')
  })

  it('a secret that appears in its file opens the channel', () => {
    const reference = `file:${join(home.root, 'hook.key')}`
    const channels = open(HOOK.replace('env:HOOK', JSON.stringify(reference)))
    expect(channels.secretProblems()).toHaveLength(1)
    home.write({ 'hook.key': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n' })
    expect(channels.secretProblems()).toEqual([])
  })
})
