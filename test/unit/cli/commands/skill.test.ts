import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registerSkill } from '#cli/commands/skill.ts'
import { loadConfig } from '#platform/config.ts'
import { DEMO_PACK, temporaryFolder } from '#test/unit/platform/packs/pack-folder.ts'

let packs: ReturnType<typeof temporaryFolder>
let home: ReturnType<typeof temporaryFolder>

const GREET = `---
name: greet
description: Greets.
on: [run.failed]
run: demo/hello
inputs: { url: "http://a.test" }
colour: red
---
`

beforeEach(() => {
  packs = temporaryFolder()
  home = temporaryFolder()
  packs.write({ ...DEMO_PACK, 'demo/skills/greet/SKILL.md': GREET })
})
afterEach(() => {
  packs.remove()
  home.remove()
})

async function skill(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  let code = 0
  const program = new Command().exitOverride()
  registerSkill(program, {
    config: () => loadConfig({ SVC_HOME: home.root, SVC_PACKS_DIR: packs.root }),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    exit: (status) => {
      code = status
      throw new Error('exit')
    },
  })
  await program.parseAsync(['skill', ...args], { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof Error && error.message === 'exit')) throw error
  })
  return { code, out, err }
}

describe('svc skill lint', () => {
  test.each(['demo/skills/greet/SKILL.md', 'demo/skills/greet', 'demo/skills', 'demo'])(
    'checks what it finds at %s, and notes keys that do nothing',
    async (path) => {
      const file = join(packs.root, 'demo/skills/greet/SKILL.md')
      expect(await skill('lint', join(packs.root, path))).toEqual({
        code: 0,
        out: [
          `${file}: sound, starts demo/hello on run.failed`,
          `${file}: note: the key colour is kept, but nothing here reads it`,
        ],
        err: [],
      })
    },
  )

  test('names file, line and column of each fault, and exits with 1', async () => {
    home.write({ 'skills/greet/SKILL.md': GREET.replace('url:', 'uri:') })
    const file = join(home.root, 'skills/greet/SKILL.md')
    expect(await skill('lint', join(home.root, 'skills'))).toEqual({
      code: 1,
      out: [],
      err: [`${file}:6:9: url is required`, `${file}:6:11: uri is not known here; did you mean url?`],
    })
  })

  test('knows the templates of the pack that a skill stands in, installed or not', async () => {
    const other = temporaryFolder()
    other.write({
      'new/pack.yaml': DEMO_PACK['demo/pack.yaml'].replace('demo', 'new'),
      'new/templates/hello.yaml': DEMO_PACK['demo/templates/hello.yaml'],
      'new/skills/greet/SKILL.md': GREET.replace('demo/hello', 'new/hello'),
    })
    expect((await skill('lint', join(other.root, 'new'))).code).toBe(0)
    other.remove()
  })

  test('exits with 66 where there is none', async () => {
    await expect(skill('lint', join(home.root, 'nothing'))).rejects.toMatchObject({ code: 'not_found' })
  })

  test('shows control characters of a file as such', async () => {
    home.write({ 'skills/greet/SKILL.md': GREET.replace('colour', '"\\u001b[31mcolour"') })
    expect((await skill('lint', join(home.root, 'skills'))).out.join()).toContain('\\u{1b}[31mcolour')
  })
})

describe('svc skill list', () => {
  test('shows every skill, what starts it and what it starts', async () => {
    const { code, out } = await skill('list')
    expect(code).toBe(0)
    expect(out).toEqual([
      'db/maintenance-check  switched off',
      'sre/failed-run-report  switched off',
      'demo/greet  starts demo/hello on run.failed',
    ])
  })

  test('shows a deployment what it replaced, as JSON too, and fails for the broken', async () => {
    home.write({
      'skills/greet/SKILL.md': GREET.replace('on: [run.failed]', 'cron: "@daily"\ndays: or'),
      'skills/bad/SKILL.md': 'nothing',
    })
    const { code, out, err } = await skill('list', '--json')
    expect(code).toBe(1)
    expect(err).toEqual(['skills/bad/SKILL.md:1:1: it must begin with a line of ---'])
    expect(out.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
      id: 'overlay/greet',
      layer: 'overlay',
      start: { pack: 'demo', template: 'hello', cron: { cron: '@daily', timezone: 'UTC', days: 'or' } },
    })
  })
})
