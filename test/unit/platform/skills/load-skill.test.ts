import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Skill } from '#core/skill/skill.ts'
import { loadSkill } from '#platform/skills/load-skill.ts'

const SCHEMA = {
  type: 'object',
  required: ['run_id'],
  properties: {
    run_id: { type: 'string' },
    tries: { type: 'integer', minimum: 1 },
    login: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } } },
  },
}
const findInputs = (pack: string, template: string) => (`${pack}/${template}` === 'demo/hello' ? SCHEMA : undefined)

const load = (frontmatter: string, folder = 'follow-up') => loadText(`---\n${frontmatter}\n---\n# How\n`, folder)
const loadText = (text: string | Uint8Array, folder = 'follow-up') => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return loadSkill({ file: 'demo/skills/SKILL.md', folder, bytes }, { layer: 'pack', pack: 'demo' }, findInputs)
}
const faults = (loaded: Skill | FileFault[]) =>
  Array.isArray(loaded)
    ? loaded.map((each) => faultText(each)).map((text) => text.replace('demo/skills/SKILL.md', ''))
    : []
const faultsOf = (frontmatter: string) => faults(load(`name: follow-up\ndescription: Follows up.\n${frontmatter}`))

const ON = 'on: [run.failed]\nrun: demo/hello\n'

describe('a sound SKILL.md', () => {
  it('is what it says, and keeps the keys and the text that are for others', () => {
    const loaded = load(
      [
        'name: follow-up',
        'description: Follows up.',
        'license: Apache-2.0',
        'metadata: { author: somebody, version: "1.0" }',
        'allowed-tools: Bash(git:*) Read',
        'x-colour: [red, { dark: true }]',
        'on: [run.failed, "pack.demo.*", "gate.>"]',
        'run: demo/hello',
        `inputs: { run_id: "\${{ event.data.run_id }}", tries: "\${{ size(event.data.steps) }}" }`,
        'environment: staging',
        'dry_run: true',
      ].join('\n'),
    )
    expect(loaded).toMatchObject({
      id: 'demo/follow-up',
      layer: 'pack',
      description: 'Follows up.',
      instructions: '# How',
      frontmatter: { license: 'Apache-2.0', 'x-colour': ['red', { dark: true }] },
      start: {
        pack: 'demo',
        template: 'hello',
        on: ['run.failed', 'pack.demo.*', 'gate.>'],
        environment: 'staging',
        dry_run: true,
      },
    })
  })

  it('needs no more than a name and a description, and then starts nothing', () => {
    const loaded = load('name: follow-up\ndescription: Only read.')
    expect(loaded).toMatchObject({ name: 'follow-up' })
    expect(loaded).not.toHaveProperty('start')
  })

  it('starts nothing while it is switched off, and is checked all the same', () => {
    const off = `name: follow-up\ndescription: Off.\nenabled: false\n${ON}`
    expect(load(`${off}inputs: { run_id: a }`)).not.toHaveProperty('start')
    expect(faults(load(`${off}inputs: { run: a }`))).not.toEqual([])
  })

  it('has a zone for its cron, UTC unless it says another', () => {
    const cron = 'name: follow-up\ndescription: Weekly.\ncron: 0 6 * * 1\nrun: demo/hello\ninputs: { run_id: a }'
    expect(load(cron)).toMatchObject({ start: { cron: { cron: '0 6 * * 1', timezone: 'UTC' } } })
    expect(load(`${cron}\ntimezone: Europe/Berlin`)).toMatchObject({ start: { cron: { timezone: 'Europe/Berlin' } } })
  })

  it('may come with a byte order mark and the line ends of Windows', () => {
    const text = '\uFEFF---\r\nname: follow-up\r\ndescription: Windows.\r\n---\r\nText\r\n'
    expect(loadText(text)).toMatchObject({ description: 'Windows.', instructions: 'Text' })
  })
})

describe('every fault names its line and column in the SKILL.md', () => {
  it.each([
    ['an unknown template', 'run: demo/nope', [':4:6: there is no template demo/nope']],
    ['a cron without a template', 'cron: 0 6 * * 1', [':4:1: cron needs run: pack/template']],
    ['topics without a template', 'on: [run.failed]', [':4:1: on needs run: pack/template']],
    ['a zone without a cron', `${ON}inputs: { run_id: a }\ntimezone: UTC`, [':7:1: timezone needs cron']],
    [
      'a broken cron',
      'run: demo/hello\ninputs: { run_id: a }\ncron: 0 6 * * MONDAY',
      [':6:15: "MONDAY" is not a day of the week'],
    ],
    [
      'days of the month and of the week without a word on how they go together',
      'run: demo/hello\ninputs: { run_id: a }\ncron: 0 6 1 * MON',
      [':6:7: ', 'days: and, or days: or'],
    ],
    [
      'an unknown zone',
      'run: demo/hello\ninputs: { run_id: a }\ncron: 0 6 * * MON\ntimezone: Berlin',
      [':7:11: "Berlin" is not a time zone'],
    ],
    ['a topic that matches everything', 'on: [">"]\nrun: demo/hello\ninputs: { run_id: a }', [':4:6: ', 'run.failed']],
    ['an input that does not exist', `${ON}inputs: { run_id: a, extra: 1 }`, [':6:22: extra is not known here']],
    ['an input that is missing', `${ON}inputs: { tries: 1 }`, [':6:9: run_id is required']],
    ['a constant that does not fit', `${ON}inputs: { run_id: a, tries: 0 }`, [':6:29: tries must be >= 1']],
    [
      'a secret',
      `${ON}inputs: { run_id: a, login: { password: hunter2 } }`,
      [':6:31: the input login/password is secret, and a skill cannot hold secrets'],
    ],
    [
      'a member that events do not have',
      `${ON}inputs:\n  run_id: "\${{ event.datum.run_id }}"`,
      [':7:16: there is no event.datum: there are specversion'],
    ],
    ['an unknown variable', `${ON}inputs: { run_id: "\${{ alert.id }}" }`, [':6:24: unknown variable alert']],
    ['broken CEL', `${ON}inputs: { run_id: "\${{ event.data. }}" }`, [':6:']],
    [
      'an expression for a cron',
      `cron: 0 6 * * 1\nrun: demo/hello\ninputs: { run_id: "\${{ event.id }}" }`,
      [':6:19: only a skill that has `on`'],
    ],
    ['a number among the metadata', 'metadata: { version: 1 }', [':4:22: version: a text; put numbers in quotes']],
    ['a key that is there twice', 'license: a\nlicense: b', [':5:1: Map keys must be unique']],
  ])('%s', (_what, frontmatter, expected) => {
    const found = faultsOf(frontmatter)
    expect(found, found.join('\n')).toHaveLength(1)
    for (const text of expected) expect(found[0]).toContain(text)
  })

  it.each(['Follow-up', '-follow', 'follow-', 'follow--up', 'a'.repeat(65), 'über', '../up'])(
    'the name %s is refused',
    (name) => {
      const found = faults(load(`name: ${name}\ndescription: Named.`, name))
      expect(found[0]).toMatch(/^:2:7: name: /)
    },
  )

  it('a name is that of its folder', () => {
    expect(faults(load('name: other\ndescription: Moved.'))).toEqual([
      ':2:7: the name is other, so its folder must be called that, not follow-up',
    ])
  })

  it('a description has 1 to 1024 characters', () => {
    const described = (text: string) => faults(load(`name: follow-up\ndescription: ${text}`))
    expect(described('d'.repeat(1_024))).toEqual([])
    expect(described('d'.repeat(1_025))).toEqual([':3:14: description: at most 1024 characters'])
    expect(described('"  "')).toEqual([':3:14: description: must say what the skill does'])
  })
})

describe('hostile files are refused, quickly and with a reason', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]']
  for (let n = 1; n < 8; n += 1)
    bomb.push(
      `${'bcdefghij'[n]}: &${'bcdefghij'[n]} [${Array(9)
        .fill(`*${'bcdefghij'[n - 1]}`)
        .join(', ')}]`,
    )

  it.each([
    ['an alias bomb', bomb.join('\n'), 'alias'],
    ['forty thousand levels', `deep: ${'['.repeat(40_000)}`, 'nested deeper than 32 levels'],
    ['two documents', 'x: 1\n...\ny: 2', 'more than one document'],
    ['a tag that makes objects', 'x: !!js/function "() => 1"', 'tag'],
    ['a merge key', 'base: &base { run: demo/hello }\n<<: *base', ''],
  ])('%s', (_what, frontmatter, reason) => {
    const loaded = load(`name: follow-up\ndescription: Hostile.\n${frontmatter}`)
    if (reason === '') expect(loaded).not.toHaveProperty('start')
    else expect(faults(loaded).join()).toContain(reason)
  })

  it('more than 256 kB', () => {
    expect(faults(loadText(`---\nname: follow-up\n---\n${'x'.repeat(256 * 1024)}`))).toEqual([
      ': larger than 256 kB; move what is long into files beside it',
    ])
  })

  it.each([
    ['nothing at all', new Uint8Array(), ': the file is missing, empty or not readable'],
    ['no UTF-8', Uint8Array.of(0x2d, 0xff, 0xfe), ': not UTF-8 text; save it as UTF-8'],
    ['no frontmatter', '# Title\n', ':1:1: it must begin with a line of ---'],
    ['no end', '---\nname: follow-up\n', ':1:1: the frontmatter is never closed by a line of ---'],
    ['an empty frontmatter', '---\n---\n', ':'],
  ])('%s', (_what, text, expected) => expect(faults(loadText(text))[0]).toContain(expected))

  it('JavaScript in the frontmatter is text that does not parse, never code', () => {
    expect(faults(loadText('---js\n{ name: process.exit(1) }\n---\n'))).toEqual([
      ':1:1: it must begin with a line of ---',
    ])
  })

  it('a key called __proto__ changes nothing but the skill that has it', () => {
    load('name: follow-up\ndescription: Sly.\n__proto__: { start: { on: [run.failed] } }')
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(load('name: follow-up\ndescription: Sly.\n__proto__: { start: 1 }')).not.toHaveProperty('start')
  })

  it('whatever the bytes, the answer is a skill or faults of that file', () => {
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 200 }).map((yaml) => new TextEncoder().encode(`---\n${yaml}\n---\n`)),
    )
    fc.assert(
      fc.property(text, (bytes) => {
        const loaded = loadText(bytes)
        expect(Array.isArray(loaded) ? loaded.length : 1).toBeGreaterThan(0)
      }),
    )
  })
})
