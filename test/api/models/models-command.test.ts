import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createModelSource } from '#platform/models/model-source.ts'
import { runCli } from '#test/support/cli.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openModelWorld } from '#test/support/model-world.ts'
import { PATIENCE } from '#test/support/patience.ts'

const PRICES = ['--price-in', '0.15', '--price-out', '0.6', '--context', '8000', '--output', '1000']

let home: string
let file: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-models-'))
  file = join(home, 'models.yaml')
})
const source = fileFixture(() => createModelSource({ file, log: { info: () => {}, warn: () => {} } }))
const world = fileFixture(() => openModelWorld(inject('postgres_url'), { source, env: { MODEL_KEY: 'sk-canary' } }))
afterAll(async () => {
  rmSync(home, { recursive: true })
})

const svc = (...args: string[]) => runCli(args, { env: { SVC_URL: new URL(world.url).origin, SVC_HOME: home } })
const add = (id: string, ...args: string[]) =>
  svc('models', 'add', id, '--provider', 'openai_compatible', '--base-url', world.upstream.url, ...PRICES, ...args)

describe('svc models', () => {
  it('says in one sentence how to bind a model where none is', async () => {
    const listed = await svc('models', 'list')
    expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, '', expect.stringContaining('`svc models add`')])
    expect(listed.stderr).toContain('svc dev model-server')
  })

  it('adds a model that answers, and leaves the comments of the file where they are', async () => {
    writeFileSync(file, '# ours\nmodels: [] # none yet\n')
    source.reload()
    const { code, stdout, stderr } = await add('echo', '--key', 'env:MODEL_KEY', '--role', 'default')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ok {2}echo {2}\d+ ms {2}\$0\.\d+\necho {2}added to /)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('# ours\n')
    expect(text).toContain('prices: { input: 150000, output: 600000 }')
    expect(source.bound()).toMatchObject({
      models: [{ id: 'echo', key: 'env:MODEL_KEY', prices: { input: 150_000, output: 600_000 } }],
      roles: { default: { model: 'echo' } },
    })
  })

  it('saves nothing where the model does not answer', async () => {
    const before = readFileSync(file, 'utf8')
    const refused = await add('bad-key')
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^failed {2}bad-key .*refuses the key/)])
    expect(refused.stderr).toContain('--no-probe')
    const keyless = await add('elsewhere', '--model', 'echo', '--key', 'env:NOT_SET', '--json')
    expect([keyless.code, JSON.parse(keyless.stdout)]).toMatchObject([
      1,
      { added: null, probe: { ok: false, failed: { message: 'the secret env:NOT_SET is not set' } } },
    ])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('refuses what models.yaml refuses, in the same words, and asks nobody', async () => {
    const before = [readFileSync(file, 'utf8'), { ...world.upstream.received() }]
    const twice = await add('echo')
    expect([twice.code, twice.stderr]).toEqual([
      64,
      expect.stringMatching(/^models\.yaml:\d+:\d+: .*a second model echo/),
    ])
    const literal = await add('other', '--key', 'sk-secret')
    expect([literal.code, literal.stderr]).toEqual([64, expect.stringContaining('never the secret itself')])
    expect(literal.stderr).not.toContain('sk-secret')
    const unpriced = await svc('models', 'add', 'new', '--provider', 'openai', '--key', 'env:MODEL_KEY')
    expect([unpriced.code, unpriced.stderr]).toEqual([64, expect.stringContaining('say --price-in, --price-out')])
    expect([readFileSync(file, 'utf8'), world.upstream.received()]).toEqual(before)
  })

  it('takes prices of the catalogue, says of which day they are, and does not ask where it is told not to', async () => {
    const added = await svc(
      'models',
      'add',
      'gpt-4o-mini',
      '--provider',
      'openai',
      '--key',
      'env:NOT_SET',
      '--no-probe',
    )
    expect([added.code, added.stderr]).toEqual([0, expect.stringMatching(/read on \d{4}-\d\d-\d\d: check them/)])
    expect(added.stdout).toContain('It was not asked, as --no-probe says')
    const ids = () => source.bound().models.map(({ id }) => id)
    await expect.poll(ids, PATIENCE).toEqual(['echo', 'gpt-4o-mini'])
    const listed = await svc('models', 'list', '--json')
    const lines = listed.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'echo', callable: true, roles: [{ role: 'default' }], last_probe: { ok: true } },
      { id: 'gpt-4o-mini', prices: { cached_input_usd: 0.075 }, callable: false },
    ])
    expect(listed.stdout).not.toContain('sk-canary')
    expect((await svc('models', 'list')).stdout).toContain('env:NOT_SET (not set)')
  })

  it('says which models the roles are over models.yaml, and takes it back', async () => {
    const changed = await svc('models', 'roles', 'small=echo', 'judge=echo,gpt-4o-mini')
    expect([changed.code, changed.stdout]).toEqual([0, expect.stringMatching(/small +echo +console/)])
    const back = await svc('models', 'roles', 'small=', 'judge=', '--json')
    expect([back.code, JSON.parse(back.stdout)]).toMatchObject([0, { said: {}, roles: { default: { layer: 'file' } } }])
    const wrong = await svc('models', 'roles', 'small=ecco')
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('did you mean echo?')])
    expect((await svc('models', 'roles', 'jury=echo')).code).toBe(64)
  })

  it('probes models, and exits by what became of it', async () => {
    const probed = await svc('models', 'probe', 'echo', 'gpt-4o-mini')
    expect([probed.code, probed.stdout]).toEqual([
      1,
      expect.stringMatching(/^ok {2}echo .*\nfailed {2}gpt-4o-mini .*not set\n$/),
    ])
    expect((await svc('models', 'probe', 'gpt-9')).code).toBe(66)
  })

  it('says what calls cost', async () => {
    const spent = await svc('models', 'spend', '--by', 'person')
    expect([spent.code, spent.stdout]).toEqual([
      0,
      expect.stringMatching(/^\$0\.\d+ in \d+ calls over 7d\n[\s\S]*usr_local/),
    ])
    const json = JSON.parse((await svc('models', 'spend', '--window', '24h', '--json')).stdout)
    expect(json).toMatchObject({ by_model: expect.arrayContaining([expect.objectContaining({ model: 'echo' })]) })
  })

  it('saves nothing where no service runs that could ask', async () => {
    const before = readFileSync(file, 'utf8')
    const away = await runCli(
      ['models', 'add', 'slow', '--provider', 'openai_compatible', '--base-url', world.upstream.url, ...PRICES],
      { env: { SVC_URL: 'http://127.0.0.1:9', SVC_HOME: home } },
    )
    expect([away.code, away.stderr]).toEqual([69, expect.stringContaining('--no-probe saves it without')])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})
