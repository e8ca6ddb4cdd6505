import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CHANNEL_KINDS, ChannelsFile } from '#platform/notify/channel-kinds.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { channelProblems } from './channel-problems.ts'

type Entry = { name: string; kind: string } & Record<string, unknown>

const page = readFileSync('docs/notifications.md', 'utf8')
const documented = parse(docBlocks('notifications', 'yaml')[0] ?? '') as Entry[]

describe('channels.yaml', () => {
  it('shows a channel of every kind in docs/notifications.md', () => {
    expect(documented.map(({ kind }) => kind).sort()).toEqual(CHANNEL_KINDS.map(({ kind }) => kind).sort())
  })

  it('refuses unknown kinds, and says which there are', () => {
    const kinds = CHANNEL_KINDS.map(({ kind }) => kind).join(', ')
    expect(channelProblems({ ...documented[0], kind: 'pager' })).toEqual([`0.kind: kind: takes ${kinds}`])
  })

  it('refuses two channels of one name', () => {
    const [one, other] = documented
    expect(channelProblems(one, { ...other, name: one?.name })).toEqual([`1.name: a second channel ${one?.name}`])
  })
})

describe('max_per_minute', () => {
  const given = (entry: Entry | undefined, max_per_minute: unknown) => ({ ...entry, max_per_minute })
  const of = (kind: string) => documented.find((each) => each.kind === kind)

  it.each([
    ['email', 10],
    ['slack', 10],
    ['webhook', 0],
  ])('is by default, for %s, %d', (kind, per_minute) => {
    expect(ChannelsFile.parse([of(kind)])).toMatchObject([{ per_minute, edits: kind === 'slack' }])
  })

  it.each(documented)('is by default, for $kind, what the page says', (entry) => {
    const [, row = ''] = /^\| default \| (.*) \|$/m.exec(page) ?? []
    const [, most] = /(\d+) for [^\d]*$/.exec(row.split(`\`${entry.kind}\``)[0] ?? '') ?? []
    expect(row, `say in the row "default" of docs/notifications.md what it is for ${entry.kind}`).toContain(entry.kind)
    expect(ChannelsFile.parse([entry])).toMatchObject([{ per_minute: Number(most) }])
  })

  it('is what the channel says, 0 included, and nothing else than a whole number up to 1,000', () => {
    for (const max of [0, 3, 1_000])
      expect(ChannelsFile.parse([given(of('email'), max)])).toMatchObject([{ per_minute: max }])
    for (const max of [-1, 1.5, 1_001, '10'])
      expect(channelProblems(given(of('slack'), max))).toEqual([expect.stringContaining('0.max_per_minute')])
  })
})

describe.each(documented)('a channel of the kind $kind', (entry) => {
  const [channel] = ChannelsFile.parse([entry])
  const secrets = Object.entries(entry).filter(([, value]) => typeof value === 'string' && value.startsWith('env:'))

  it('is told by its name, and reaches somebody through a machine', () => {
    expect(channel).toMatchObject({ name: entry.name, kind: entry.kind, host: expect.stringMatching(/./) })
    expect(channel?.addresses.length).toBeGreaterThan(0)
  })

  it('names every secret that it needs', () => {
    expect([...(channel?.secrets ?? [])].sort()).toEqual(secrets.map(([, value]) => value).sort())
  })

  it('takes no secret that is written down', () => {
    for (const [key] of secrets)
      expect(channelProblems({ ...entry, [key]: 'written-down' })).toEqual([expect.stringContaining(`0.${key}`)])
  })

  it('refuses unknown keys, and a name with spaces', () => {
    expect(channelProblems({ ...entry, headers: {} })).toEqual(['0: Unrecognized key: "headers"'])
    expect(channelProblems({ ...entry, name: 'ops hook' })).toEqual([expect.stringContaining('0.name: ')])
  })
})
