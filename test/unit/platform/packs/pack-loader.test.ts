import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, PACK_YAML, TEMPLATE_YAML, temporaryFolder } from './pack-folder.ts'

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder()
  folder.write(DEMO_PACK)
})
afterEach(() => folder.remove())

const load = () => loadPack(join(folder.root, 'demo'), stubCatalog)
const faults = () => load().faults.map(faultText)

describe('loadPack', () => {
  it('takes the folder of pipelines as part of the pack and of its digest', () => {
    const digestWith = (files: Record<string, string>) => {
      folder.write(files)
      const { pack, faults } = load()
      expect(faults).toEqual([])
      return pack?.digest
    }
    const without = digestWith({})
    const first = digestWith({ 'demo/pipelines/daily/pipeline.yaml': 'apiVersion: svc/v1\n' })
    const second = digestWith({ 'demo/pipelines/daily/pipeline.yaml': 'apiVersion: svc/v2\n' })
    expect(new Set([without, first, second]).size).toBe(3)
  })

  it('compiles the same files once, and again once a byte of them is another', () => {
    const first = load()
    expect(load()).toBe(first)
    folder.write({ 'demo/pack.yaml': `${PACK_YAML}\ndigest: sha256:${'0'.repeat(64)}\n` })
    expect(faults().join()).toContain('the digest of this pack')
    folder.write({ 'demo/pack.yaml': PACK_YAML })
    expect(load()).toBe(first)
  })

  it('compiles everything that a pack brings', () => {
    const { pack, faults } = load()
    expect(faults).toEqual([])
    expect(pack).toMatchObject({
      name: 'demo',
      version: '1.0.0',
      title: 'Demo',
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    expect(pack?.templates).toMatchObject([
      {
        pack: 'demo',
        template: 'hello',
        title: 'Say hello',
        risk: 'low',
        inputs_schema: { required: ['url'] },
        digest: pack?.digest,
      },
    ])
    expect(pack?.templates[0]?.plan.steps[1]?.with.body).toBe('It answered {{ steps.ask.outputs.status }}.\n')
    expect(pack?.rules).toMatchObject([{ name: 'any', layer: 'pack', pack: 'demo', origin: 'demo/rules/alerts.yaml' }])
    expect(pack?.policies).toEqual([
      { pack: 'demo', source: 'demo/policies/guard.yaml', text: 'name: guard\nrules: [{ effect: require_hitl }]\n' },
    ])
  })

  it('takes a rule whose input the template declares by a composed schema', () => {
    folder.write({
      'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
        'required: [url]',
        'required: [url], allOf: [{ properties: { region: { type: string } } }]',
      ),
      'demo/rules/alerts.yaml':
        '- { name: a, on: alert, run: demo/hello, inputs: { url: "http://x.example", region: eu } }',
    })
    expect(load().faults).toEqual([])
  })

  it('has a digest that any changed byte, name or file changes, and nothing else', () => {
    const before = load().pack?.digest
    folder.write(DEMO_PACK)
    folder.write({ 'demo/.editor-state': 'x' })
    expect(load().pack?.digest).toBe(before)
    folder.write({ 'demo/README.md': '' })
    const withReadme = load().pack?.digest
    folder.write({ 'demo/README.md': 'a' })
    expect(new Set([before, withReadme, load().pack?.digest]).size).toBe(3)
  })

  it.each<[string, Record<string, string>, string[]]>([
    [
      'an unknown operator',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('http.request', 'http.reqest') },
      ['demo/templates/hello.yaml:8:15: unknown operator http.reqest; did you mean http.request?'],
    ],
    [
      'an expression that does not parse',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('inputs.url }}', 'inputs.url + }}') },
      ['demo/templates/hello.yaml:9:49: expression `inputs.url +`: Unexpected token: EOF'],
    ],
    [
      'a reference to nothing, inside a block of text',
      {
        'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
          `outputs: { status: "\${{ steps.ask.outputs.status }}" }`,
          `outputs:\n  text: |\n    first line\n    then \${{ steps.aks.status }}`,
        ),
      },
      ['demo/templates/hello.yaml:16:14: there is no step aks: there are ask, report; did you mean ask?'],
    ],
    [
      'an unknown key',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('risk: low', 'risk: low\nrisks: [low]') },
      ['demo/templates/hello.yaml:5:1: risks: unknown key "risks"; did you mean risk?'],
    ],
    [
      'an unknown risk',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('risk: low', 'risk: lowest') },
      ['demo/templates/hello.yaml:4:7: risk: unknown risk "lowest": takes low, medium, high'],
    ],
    [
      'a bad duration',
      {
        'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
          '    operator: http.request',
          '    timeout: 30\n    operator: http.request',
        ),
      },
      ['demo/templates/hello.yaml:8:14: timeout: a duration such as 250ms, 30s, 5m or 2h'],
    ],
    [
      'a field that its operator does not know',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('method: GET,', 'method: GET, verb: GET,') },
      ['demo/templates/hello.yaml:9:26: verb is not known here'],
    ],
    [
      'a number that would be rounded',
      {
        'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
          'method: GET,',
          'method: GET, json: { id: 9007199254740993 },',
        ),
      },
      [
        'demo/templates/hello.yaml:9:38: this is a number that cannot be kept exactly; write it as text, in quotes, or with at most 15 digits where only a number will do',
      ],
    ],
    [
      'a key that stands twice',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('risk: low', 'risk: low\nrisk: high') },
      ['demo/templates/hello.yaml:5:1: Map keys must be unique'],
    ],
    [
      'broken YAML',
      { 'demo/templates/hello.yaml': 'a: [1' },
      [expect.stringMatching(/^demo\/templates\/hello.yaml:1:6: Flow sequence/)],
    ],
    [
      'an unknown tag',
      { 'demo/templates/hello.yaml': 'a: !js/function x' },
      [expect.stringContaining('demo/templates/hello.yaml:1:4: Unresolved tag')],
    ],
    ['an empty file', { 'demo/templates/hello.yaml': '' }, ['demo/templates/hello.yaml:1:1: the document is empty']],
    [
      'too many bytes',
      { 'demo/templates/hello.yaml': `# ${'x'.repeat(300_000)}` },
      ['demo/templates/hello.yaml: larger than 256 kB; shorten it or split it up'],
    ],
    [
      'too many levels',
      { 'demo/templates/hello.yaml': `a: ${'['.repeat(50_000)}` },
      ['demo/templates/hello.yaml:1:1: nested deeper than 32 levels'],
    ],
    [
      'merge keys',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('risk: low', 'risk: low\n<<: { title: b }') },
      ['demo/templates/hello.yaml:5:1: <<: unknown key "<<"'],
    ],
    [
      'a Liquid error',
      { 'demo/templates/hello.md.liquid': 'ok\n{% if x %}never closed' },
      [expect.stringMatching(/^demo\/templates\/hello.md.liquid:2:1: tag {% if x %} not closed/)],
    ],
    [
      'a report that is not there',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('hello.md.liquid', '../../other.liquid') },
      ['demo/templates/hello.yaml:12:33: there is no file ../other.liquid in this pack'],
    ],
    [
      'an id that is not its file name',
      { 'demo/templates/hello.yaml': TEMPLATE_YAML.replace('id: hello', 'id: hallo') },
      ['demo/templates/hello.yaml:2:5: the id is hallo, so the file must be called hallo.yaml'],
    ],
    [
      'a rule over something that alerts do not have',
      { 'demo/rules/alerts.yaml': `- { name: a, on: alert, run: demo/hello, inputs: { url: "\${{ alert.url }}" } }` },
      [expect.stringMatching(/^demo\/rules\/alerts.yaml:1:62: there is no alert.url/)],
    ],
    [
      'a rule for a template that is not there',
      { 'demo/rules/alerts.yaml': '- { name: a, on: alert, run: demo/nope }' },
      ['demo/rules/alerts.yaml:1:30: there is no template nope in this pack'],
    ],
    [
      'a rule whose expression has another type than the input',
      {
        'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
          'url: { type: string }',
          'url: { type: string }, n: { type: integer, default: 1 }',
        ),
        'demo/rules/alerts.yaml': `- { name: a, on: alert, run: demo/hello, inputs: { url: x, n: "\${{ alert.labels.n }}" } }`,
      },
      ['demo/rules/alerts.yaml:1:63: the input n of demo/hello has the type integer, but this has the type string'],
    ],
    [
      'a default that does not fit',
      {
        'demo/templates/hello.yaml': TEMPLATE_YAML.replace(
          'url: { type: string }',
          'url: { type: string, default: 3 }',
        ),
      },
      ['demo/templates/hello.yaml:5:86: default must be string'],
    ],
    [
      'a rule whose inputs do not fit',
      { 'demo/rules/alerts.yaml': '- { name: a, on: alert, run: demo/hello, inputs: { uri: x } }' },
      [
        'demo/rules/alerts.yaml:1:52: demo/hello has no input uri; did you mean url?',
        'demo/rules/alerts.yaml:1:50: demo/hello needs the input url',
      ],
    ],
    [
      'another name than its directory',
      { 'demo/pack.yaml': PACK_YAML.replace('name: demo', 'name: other') },
      ['demo/pack.yaml:2:7: the pack is called other, so its directory must be, not demo'],
    ],
    [
      'a version that is a number',
      { 'demo/pack.yaml': PACK_YAML.replace('1.0.0', '1.0') },
      ['demo/pack.yaml:3:10: version: a semantic version such as 1.0.0, in quotes'],
    ],
    [
      'an unlisted template',
      { 'demo/pack.yaml': `${PACK_YAML}templates: [{ id: bye, file: templates/bye.yaml }]\n` },
      [
        'demo/pack.yaml:5:30: there is no template file templates/bye.yaml',
        'demo/pack.yaml:5:12: templates/hello.yaml is not listed',
      ],
    ],
  ])('names file, line and column of %s', (_what, files, expected) => {
    folder.write(files)
    expect(faults()).toEqual(expected)
  })

  describe('with files that pack.yaml lists', () => {
    const guard = (name: string) => `name: ${name}\nrules: [{ effect: require_hitl }]\n`

    it('takes the policies and metric contracts that it names, wherever they stand', () => {
      folder.write({
        'demo/pack.yaml': `${PACK_YAML}policies: [policies/*.yaml, governance/*.yml]\nmetrics: [metrics/hello.yaml]\n`,
        'demo/governance/night.yml': guard('night'),
        'demo/metrics/hello.yaml': 'template: hello\n',
      })
      const { pack, faults } = load()
      expect(faults).toEqual([])
      expect(pack?.policies.map(({ source }) => source)).toEqual([
        'demo/governance/night.yml',
        'demo/policies/guard.yaml',
      ])
      expect(pack?.metrics).toEqual(['metrics/hello.yaml'])
    })

    it.each<[string, Record<string, string>, string]>([
      [
        'a list that names nothing',
        { 'demo/pack.yaml': `${PACK_YAML}policies: [policies/*.yaml, rules/guard.yaml]\n` },
        'demo/pack.yaml:5:29: there is no file rules/guard.yaml in this pack',
      ],
      [
        'metric contracts that are not there',
        { 'demo/pack.yaml': `${PACK_YAML}metrics: [metrics/*]\n` },
        'demo/pack.yaml:5:11: there is no file metrics/* in this pack',
      ],
      [
        'a policy that the list leaves out',
        {
          'demo/pack.yaml': `${PACK_YAML}policies: [policies/guard.yaml]\n`,
          'demo/policies/more/other.yaml': guard('other'),
        },
        'demo/pack.yaml:5:11: policies/more/other.yaml is not listed',
      ],
      [
        'a policy that is not YAML by its name',
        { 'demo/policies/guard.json': '{}' },
        'demo/pack.yaml:1:1: policies/guard.json is not read: policies are in *.yaml and *.yml',
      ],
      [
        'a digest that is none',
        { 'demo/pack.yaml': `${PACK_YAML}digest: abc\n` },
        'demo/pack.yaml:5:9: digest: sha256: and 64 hexadecimal digits in lower case, on one line',
      ],
    ])('refuses %s, and keeps what its policies ask for', (_, files, expected) => {
      folder.write(files)
      expect(faults()).toContain(expected)
      expect(load()).toMatchObject({
        policies: expect.arrayContaining([
          expect.objectContaining({ source: 'demo/policies/guard.yaml', stops_only: true }),
        ]),
      })
    })

    it('checks the digest, which is that of everything but its own line', () => {
      const { pack } = load()
      const withDigest = (digest: string) => ({ 'demo/pack.yaml': `${PACK_YAML}digest: ${digest}\n` })
      folder.write(withDigest(pack?.digest ?? ''))
      expect(load()).toMatchObject({ faults: [], pack: { digest: pack?.digest } })
      folder.write({ 'demo/policies/guard.yaml': 'name: guard\nrules: [{ effect: allow_auto }]\n' })
      expect(faults()).toEqual([expect.stringMatching(/pack.yaml:5:9: the digest of this pack's files is sha256:/)])
      expect(load()).toMatchObject({ policies: [{ stops_only: true }] })
    })
  })

  it('refuses an alias bomb quickly', () => {
    const lines = Array.from({ length: 9 }, (_, n) => `  - &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`)
    folder.write({ 'demo/templates/hello.yaml': `bomb:\n  - &a0 [x]\n${lines.join('\n')}\n` })
    expect(faults()).toEqual([expect.stringContaining('demo/templates/hello.yaml:1:1: Excessive alias count')])
  })

  it('reads nothing through a link that leads out of the pack', () => {
    writeFileSync(join(folder.root, 'secret.yaml'), 'password: hunter2')
    symlinkSync(join(folder.root, 'secret.yaml'), join(folder.root, 'demo/templates/link.yaml'))
    symlinkSync(folder.root, join(folder.root, 'demo/loop'))
    expect(faults()).toEqual([
      'demo/loop: this link leads out of the pack; copy the file into it',
      'demo/templates/link.yaml: this link leads out of the pack; copy the file into it',
    ])
  })

  it('keeps the policies of a broken pack in force', () => {
    folder.write({ 'demo/pack.yaml': 'broken: [' })
    expect(load()).toMatchObject({ name: 'demo', policies: [{ pack: 'demo', source: 'demo/policies/guard.yaml' }] })
  })
})
