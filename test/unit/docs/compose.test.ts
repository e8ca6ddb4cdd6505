import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { SEARCH_ATTRIBUTES } from '#core/run/search.ts'
import { loadConfig } from '#platform/config.ts'
import { environmentSchema, isSetting, metaOf } from '#platform/config-schema.ts'
import { ROOT } from './pages.ts'

const Mount = z.union([z.string(), z.looseObject({ source: z.string(), target: z.string(), read_only: z.boolean() })])
const Service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(Mount).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z
    .object({ test: z.array(z.string()) })
    .loose()
    .optional(),
})
const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const compose = Compose.parse(parse(read('docker-compose.yml'), { merge: true }))
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build === '.')
const at = (name: string) => {
  const service = compose.services[name]
  if (service === undefined) throw new Error(`no service ${name}`)
  return service
}

/** A setting, or the file of a secret one. */
function isKnown(name: string): boolean {
  const secret = name.replace(/_FILE$/, '')
  return isSetting(name) || (isSetting(secret) && metaOf(secret).secret !== undefined)
}

describe('docker-compose.yml', () => {
  it('runs svc as the migration, the API and workers', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker'])
  })

  it.each(ours)('gives %s known settings, with every secret in a file that it is given', (_name, service) => {
    for (const [name, value] of Object.entries(service.environment)) {
      expect(isKnown(name), name).toBe(true)
      if (isSetting(name)) expect(metaOf(name).secret, name).toBeUndefined()
      else expect(service.secrets, name).toContain(value.replace('/run/secrets/', ''))
    }
  })

  it('turns authentication on for the API and the workers, and opens nothing', () => {
    for (const name of ['api', 'worker']) expect(at(name).environment).toHaveProperty('OBS_JWT_SECRET_FILE')
    expect(read('docker-compose.yml')).not.toContain('SVC_ALLOW_OPEN')
    expect(services.flatMap(([, { ports }]) => ports)).toEqual([
      expect.stringMatching(/^\$\{SVC_PUBLISH:-127\.0\.0\.1:9090\}:9090$/),
    ])
  })

  it.each(ours)('runs %s without rights on a root filesystem that is read only', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  })

  it.each(services)('names for %s an image with its version, and only what exists', (_name, service) => {
    if (service.build === undefined) expect(service.image).toMatch(/^[\w/-]+:\d[\w.-]*$/)
    for (const secret of service.secrets) expect(compose.secrets, secret).toHaveProperty(secret)
    for (const other of Object.keys(service.depends_on)) expect(compose.services, other).toHaveProperty(other)
    for (const mount of service.volumes) {
      const [source = '', , mode] =
        typeof mount === 'string' ? mount.split(':') : [mount.source, '', mount.read_only ? 'ro' : 'rw']
      if (!source.startsWith('.')) expect(compose.volumes, source).toHaveProperty(source)
      else expect([existsSync(join(ROOT, source)), mode], source).toEqual([true, 'ro'])
    }
  })

  it('waits for a server until it is healthy, and for a job until it is done', () => {
    for (const [, { depends_on }] of services)
      for (const [other, { condition }] of Object.entries(depends_on))
        expect(condition, other).toBe(at(other).healthcheck ? 'service_healthy' : 'service_completed_successfully')
  })

  it.each(ours)('starts in %s a program that is built into the image', (_name, { command }) => {
    const start = command ?? z.array(z.string()).parse(JSON.parse(/^CMD (.*)$/m.exec(read('Dockerfile'))?.[1] ?? ''))
    const program = start.at(-1) ?? ''
    expect(existsSync(join(ROOT, program))).toBe(true)
    expect(/^RUN node platform\/program\/prepare\.mjs (.*)$/m.exec(read('Dockerfile'))?.[1]?.split(' ')).toContain(
      program,
    )
  })

  it.each(['api', 'worker'])('has a health check of %s that follows the answer', async (name) => {
    let status = 200
    const server = createServer((_request, response) => response.writeHead(status).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const [, program = '', ...args] = at(name).healthcheck?.test ?? []
    const { port } = server.address() as AddressInfo
    const here = args.map((arg) => arg.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
    const check = async () => (await execa(program, here, { reject: false })).exitCode
    expect(await check()).toBe(0)
    status = 503
    expect(await check()).toBe(1)
    server.close()
    await once(server, 'close')
    expect(await check()).toBe(1)
  })

  it('starts with the secrets that the script writes, and keeps those that are there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'compose-secrets-'))
    const make = () => execFileSync('sh', [join(ROOT, 'deploy/make-secrets.sh'), folder])
    make()
    const first = readFileSync(join(folder, 'jwt_secret'), 'utf8')
    make()
    expect(readFileSync(join(folder, 'jwt_secret'), 'utf8')).toBe(first)
    expect(statSync(folder).mode & 0o077).toBe(0)
    for (const { file } of Object.values(compose.secrets))
      expect(readFileSync(join(folder, file.replace('./deploy/secrets/', '')), 'utf8').length, file).toBeGreaterThan(32)
    for (const [, { environment }] of ours) {
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replace('/run/secrets', folder)
          .replace(/\$\{SVC_ADMIN_EMAIL:.*\}/, 'a@b.test')
          .replace(/\$\{\w+:-(.*)\}/, '$1'),
      ])
      expect(loadConfig(Object.fromEntries(filled)).databaseUrl).toMatch(
        /^postgres:\/\/svc(_app)?:[0-9a-f]{64}@postgres:5432\/svc$/,
      )
    }
    rmSync(folder, { recursive: true })
  })

  it('keeps the secrets out of the repository and of the image', () => {
    expect(read('.gitignore').split('\n')).toContain('/deploy/secrets/')
    expect(read('.dockerignore').split('\n')).toContain('deploy/secrets')
  })
})

it('has a database that takes what its processes open, as docs/operations.md adds it up', () => {
  const [api = 0, worker = 0] = ['api/api-runtime.ts', 'workers/worker-runtime.ts'].map((path) =>
    Number(/^const CONNECTIONS = (\d+)$/m.exec(read(path))?.[1]),
  )
  const page = read('docs/operations.md').replaceAll('\n', ' ')
  const documented =
    /at least (\d+) for each API, (\d+) for each worker, (\d+) for the migration, (\d+) for .*? and (\d+) in reserve/
  const [, ...each] = (documented.exec(page) ?? []).map(Number)
  const [, , migration = 0, temporal = 0, reserve = 0] = each
  expect(each).toEqual([api, worker, 2, 64, 10])
  const need = (apis: number, workers: number) => apis * api + workers * worker + migration + temporal + reserve
  expect(page).toContain(`One API, one worker and Temporal need ${need(1, 1)}; compose sets 300`)
  expect(at('postgres').command).toContain('max_connections=300')
  expect(page).toContain('enough for three APIs and six workers')
  expect(need(3, 6)).toBeLessThanOrEqual(300)
})

describe('the Temporal server of compose', () => {
  it('has the settings of the embedded one', () => {
    const settings = z.record(z.string(), z.unknown()).parse(parse(read('deploy/temporal/dynamic-config.yaml')))
    const embedded = [...read('platform/embedded/temporal.ts').matchAll(/^ {4}'([a-z]+\.\w+)':/gm)].map(
      ([, name]) => name,
    )
    expect(embedded.length).toBeGreaterThan(5)
    expect(Object.keys(settings).sort()).toEqual(embedded.sort())
  })

  it('knows what people filter by', () => {
    const registered = /for name in (.*); do/.exec(read('deploy/temporal/namespace.sh'))?.[1]?.split(' ')
    expect(registered).toEqual(SEARCH_ATTRIBUTES)
  })
})

describe('the scripts of deploy', () => {
  it.each(['make-secrets.sh', 'postgres/10-temporal.sh', 'temporal/schema.sh', 'temporal/namespace.sh'])(
    '%s is a script',
    (path) => {
      execFileSync('sh', ['-n', join(ROOT, 'deploy', path)])
      expect(statSync(join(ROOT, 'deploy', path)).mode & 0o111).not.toBe(0)
    },
  )
})

it('says nothing of a setting that does not exist in the Dockerfile', () => {
  for (const [, name = ''] of read('Dockerfile').matchAll(/\b(SVC_\w+)=/g))
    expect(Object.keys(environmentSchema.shape)).toContain(name)
})
