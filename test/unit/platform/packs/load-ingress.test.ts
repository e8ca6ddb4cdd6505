import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, PACK_YAML, temporaryFolder } from './pack-folder.ts'

const INGRESS = `ingress:
  - name: hook
    verify: { scheme: github, secret: [env:NEW, env:OLD] }
    when: body.kind == "deploy"
    normalize:
      service: body.service
      symptom: '"DeployFailed"'
      labels: { url: 'headers["x-url"]' }
    rules:
      - name: deploy
        on: ingress
        run: demo/hello
        inputs: { url: "\${{ alert.labels.url }}" }
`
const HMAC = 'verify: { scheme: hmac, secret: env:A, header: X-Sign, '

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

function load(ingress: string) {
  folder.write({ ...DEMO_PACK, 'demo/pack.yaml': `${PACK_YAML}${ingress}` })
  return loadPack(join(folder.root, 'demo'), stubCatalog)
}
const change = (from: string, to: string) => INGRESS.replace(from, to)
const verify = (to: string) => change('verify: { scheme: github, secret: [env:NEW, env:OLD] }', to)

describe('the ingress of a pack', () => {
  it('is read with its rules, and is on unless it says otherwise', () => {
    const { pack, faults } = load(INGRESS)
    expect(faults).toEqual([])
    expect(pack?.ingress).toMatchObject([
      {
        pack: 'demo',
        name: 'hook',
        enabled: true,
        verify: { scheme: 'github', secret: ['env:NEW', 'env:OLD'] },
        rules: [{ name: 'deploy', layer: 'pack', pack: 'demo', origin: 'demo/pack.yaml' }],
      },
    ])
    expect(pack?.rules).toHaveLength(1)
  })

  it.each<[string, string, string]>([
    ['an unknown scheme', verify('verify: { scheme: rot13, secret: env:A }'), '7:23: scheme: the scheme is one of'],
    ['a secret that is a value', verify('verify: { scheme: github, secret: hunter2 }'), '7:39: secret: '],
    ['three secrets', change('[env:NEW, env:OLD]', '[env:A, env:B, env:C]'), '7:39: secret: '],
    [
      'a key that the scheme does not have',
      verify('verify: { scheme: github, secret: env:A, header: X }'),
      '7:46: header: unknown key',
    ],
    ['SNS without its topics', verify('verify: { scheme: sns }'), '7:13: topic: '],
    [
      'a timestamp that is not signed',
      verify(`${HMAC} timestamp_header: X-T }`),
      '7:13: {timestamp} and timestamp_header belong together',
    ],
    [
      'a template without the body',
      verify(`${HMAC} template: "{timestamp}", timestamp_header: X-T }`),
      '7:71: must hold {body} once',
    ],
    ['a template with an unknown name', verify(`${HMAC} template: "{body}{url}" }`), '7:71: unknown {url}'],
    ['an id that no header has', verify(`${HMAC} template: "{id}{body}" }`), '7:71: {id} needs an id_header'],
    [
      'an expression that does not parse',
      change('service: body.service', 'service: body.service +'),
      '10:30: expression',
    ],
    [
      'an expression over something else',
      change('service: body.service', 'service: alert.service'),
      '10:16: unknown variable alert',
    ],
    [
      'an expression that is no text',
      change('service: body.service', 'service: "1 + 1"'),
      '10:17: this must be text, not int',
    ],
    [
      'a condition that is none',
      change('when: body.kind == "deploy"', `when: '"deploy"'`),
      '8:11: a condition is true or false',
    ],
    [
      'a template string',
      change('service: body.service', 'service: "$'.concat('{{ body.service }}"')),
      '10:16: this is bare CEL',
    ],
    ['a rule on something else', change('on: ingress', 'on: alert'), '15:13: a rule of an ingress says on: ingress'],
    [
      'a rule for a template that there is not',
      change('demo/hello', 'demo/bye'),
      '16:14: there is no template bye in this pack',
    ],
    [
      'an input that the template does not have',
      change('{ url: "${{', '{ uri: "${{'),
      '17:19: demo/hello has no input uri; did you mean url?',
    ],
    ['an expression of a rule over the body', change('alert.labels.url', 'body.url'), '17:29: unknown variable body'],
  ])('names the place of %s', (_what, ingress, fault) => {
    expect(load(ingress).faults.map(faultText).join('\n')).toContain(`demo/pack.yaml:${fault}`)
  })

  it('has a name of its own', () => {
    const twice = `${INGRESS}${INGRESS.replace('ingress:\n', '')}`
    expect(load(twice).faults.map(faultText)).toEqual(['demo/pack.yaml:18:11: there is an ingress hook already'])
  })
})
