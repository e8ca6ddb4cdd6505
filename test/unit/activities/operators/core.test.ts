import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { busPublish } from '#activities/operators/bus/publish.ts'
import { CORE_WAIT, coreWait } from '#activities/operators/core/wait.ts'
import { createOperators } from '#activities/operators/index.ts'
import type { Json } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const FOLDER = fileURLToPath(new URL('../../../../activities/operators', import.meta.url))
const catalog = createOperators({ egress: createEgressClient() })

describe('the catalog', () => {
  it('lists each operator that a file here defines once, under its id', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const defining = files.filter((file) => readFileSync(join(FOLDER, file), 'utf8').includes('defineOperator'))
    const ids = catalog.list().map(({ id }) => id)
    const listed = ids.map((id) => `${id.replace('.', '/').replaceAll('_', '-')}.ts`)
    expect(listed.sort(), 'list each in activities/operators/index.ts, in a file named like its id').toEqual(
      defining.sort(),
    )
    for (const id of ids) expect(catalog.get(id)?.id).toBe(id)
    expect(catalog.get('toString')).toBeUndefined()
  })

  it('is described in docs/packs.md, operator by operator', () => {
    const page = readFileSync('docs/packs.md', 'utf8')
    const missing = catalog.list().filter(({ id }) => !page.includes(`\n| \`${id}\` |`))
    expect(missing.map(({ id }) => `${id}: add a row to the table of operators in docs/packs.md`)).toEqual([])
  })

  it('only what writes by SQL, gives access or ends a login asks by its own definition', () => {
    expect(
      catalog
        .list()
        .filter((operator) => operator.requires_approval)
        .map(({ id }) => id),
    ).toEqual(['postgres.execute', 'postgres.grant', 'postgres.retire'])
  })

  it('every operator can be simulated, and its input schema is closed JSON Schema', () => {
    for (const operator of catalog.list()) {
      expect(operator.simulate).toBeTypeOf('function')
      expect(operator.input_schema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(operator.input_schema.$schema).toContain('2020-12')
    }
  })
})

describe('bus.publish', () => {
  const input = busPublish.parse({ event: 'order.created', data: { n: 1 }, subject: 'order 1' })

  it('carries its event in its result, and is governed as an effect of little risk', async () => {
    const { outputs, events } = await busPublish.execute(operatorContext(), input)
    expect(outputs).toEqual({ event: 'order.created' })
    expect(events).toEqual([{ event: 'order.created', data: { n: 1 }, subject: 'order 1' }])
    expect(busPublish).toMatchObject({ action_type: 'event.publish', risk: 'low', capabilities: ['bus.publish'] })
    expect(busPublish.replay(input)).toBe('safe')
  })

  it('says what it would publish', async () => {
    expect(await busPublish.simulate?.(operatorContext(), input)).toEqual({
      ok: true,
      summary: 'would publish the event "order.created" of the pack',
      details: { event: 'order.created', data: { n: 1 }, subject: 'order 1' },
    })
  })

  it('needs no more than a name', () => {
    expect(busPublish.parse({ event: 'a' })).toEqual({ event: 'a', data: null })
    expect(busPublish.input_schema['required']).toEqual(['event'])
  })

  it('publishes nothing that the database cannot keep', () => {
    const nul = busPublish.parse({ event: 'a', data: { text: 'a\u0000b' }, subject: 'c\u0000' })
    expect(nul).toEqual({ event: 'a', data: { text: 'a\uFFFDb' }, subject: 'c\uFFFD' })
    let deep: Json = 1
    for (let level = 0; level < 70; level += 1) deep = [deep]
    expect(() => busPublish.parse({ event: 'a', data: deep })).toThrow('/data')
  })

  it('refuses a name that is no topic, and data of more than 64 kB', () => {
    for (const event of ['', 'a b', 'a..b', 'a.*', '>']) expect(() => busPublish.parse({ event })).toThrow('/event')
    expect(() => busPublish.parse({ event: 'a', data: 'x'.repeat(65_534) })).not.toThrow()
    expect(() => busPublish.parse({ event: 'a', data: 'x'.repeat(65_535) })).toThrow('/data')
  })
})

describe('core.wait', () => {
  it('tells the engine how long, and records it', async () => {
    const input = coreWait.parse({ for: '1.5h' })
    expect(CORE_WAIT).toBe('core.wait')
    expect(coreWait.delay_ms?.(input)).toBe(5_400_000)
    expect((await coreWait.execute(operatorContext(), input)).outputs).toEqual({ waited_ms: 5_400_000 })
  })

  it.each(['', 'soon', '-1s', '5', '1 h'])('refuses %j', (text) =>
    expect(() => coreWait.parse({ for: text })).toThrow(/for/),
  )
})

describe('core.fail', () => {
  it('fails with the words of the template', async () => {
    const fail = catalog.get('core.fail')
    const work = fail?.execute(operatorContext(), fail.parse({ message: 'no owner' }))
    await expect(work).rejects.toMatchObject({ code: 'failed_by_template', message: 'no owner', retryable: false })
  })
})
