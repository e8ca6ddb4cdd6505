import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '#api/registry.ts'
import { type ApiServer, serveApi } from '#api/server.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'

/** With authentication on and no token, nothing but the public routes answers, however a path is spelled. */
let api: TestApi
let server: ApiServer
let run: string

const database = testDatabase()
beforeAll(async () => {
  const nobody = () => Promise.reject(new DomainError('unauthenticated', 'A valid bearer token is needed.'))
  api = await createTestApi(database, { auth: { enabled: true, actor: nobody, person: nobody } })
  server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  run = await admitTestRun(api)
  await parkTestRun(api, run)
})
afterAll(async () => {
  await server?.close()
  await api?.close()
})

const guarded = routes.filter((route) => route.auth !== 'public')
const byRule = guarded.filter((route) => route.auth !== 'signature')
const open = routes.filter((route) => route.auth === 'public')

/** A declared path with real values where it has parameters. */
const real = (path: string) =>
  path
    .replace('{pack}', 'incident')
    .replace('{tpl}', 'service-recovery')
    .replace('/workspaces/{id}', `/workspaces/${DEFAULT_WORKSPACE_ID}`)
    .replace(/\{\w+\}/g, run)

interface Answer {
  status: number
  body: string
}

/** Sends a request line byte for byte. Clients and URL parsers would tidy it up. */
function raw(method: string, target: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port, host } = new URL(server.url)
  const body = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? '' : '{}'
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries({ host, connection: 'close', 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(body === '' ? [] : [`content-length: ${body.length}`]),
  ]
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`),
    )
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', () =>
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
        body: text.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
      }),
    )
    socket.on('error', reject)
  })
}

/** Nothing of the run, the pack or the workspace stands in a refusal, and only refusals are given. */
function expectRefused(answer: Answer, statuses: readonly number[], what: string): void {
  expect(statuses, `${what} was answered with ${answer.status}`).toContain(answer.status)
  const reported = answer.body.replace(/"instance":"[^"]*"/, '')
  expect(reported, what).not.toMatch(/service-recovery|"slug"|"status":"|plan_hash|awaiting_approval/)
}

/** Every other way to write a path that some router, proxy or file system takes for the same one. */
const SPELLINGS: Record<string, (path: string) => string> = {
  'two slashes first': (path) => `/${path}`,
  'two slashes inside': (path) => path.replace(/(.)\//, '$1//'),
  'slash at the end': (path) => `${path}/`,
  'dot segment first': (path) => `/.${path}`,
  'dot segment last': (path) => `${path}/.`,
  'way up and back': (path) => `/healthz/..${path}`,
  'way up from docs': (path) => `/docs/../${path.slice(1)}`,
  'encoded dots': (path) => `/healthz/%2e%2e${path}`,
  'encoded slash': (path) => `/${path.slice(1).replaceAll('/', '%2f')}%2f`,
  'encoded letter': (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  'double encoding': (path) => `/%25${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  'encoded slash, twice': (path) => `/%252f${path.slice(1)}`,
  'overlong encoding': (path) => `/%c0%af${path.slice(1)}`,
  'path parameter': (path) => `${path};x`,
  'path parameter first': (path) => `/;x${path}`,
  'public path as parameter': (path) => `${path};/healthz`,
  backslash: (path) => `\\${path.slice(1)}`,
  'backslash at the end': (path) => `${path}\\`,
  'NUL at the end': (path) => `${path}%00`,
  'space at the end': (path) => `${path}%20`,
  'tab at the end': (path) => `${path}%09`,
  'newline at the end': (path) => `${path}%0a`,
  fragment: (path) => `${path}#/healthz`,
  'absolute form': (path) => `${server.url}${path}`,
  'absolute form of a stranger': (path) => `http://example.test${path}`,
  'authority inside': (path) => `//healthz@127.0.0.1${path}`,
  'upper case': (path) => path.toUpperCase(),
  'first letter in upper case': (path) => `/${path.charAt(1).toUpperCase()}${path.slice(2)}`,
  'health appended': (path) => `${path}/healthz`,
  'docs appended': (path) => `${path}/docs`,
  'specification appended': (path) => `${path}/openapi.json`,
  'configs appended': (path) => `${path}/configs`,
  'file extension': (path) => `${path}.json`,
  'style sheet appended': (path) => `${path}/x.css`,
  'public prefix': (path) => `/healthz${path}`,
  'prefix of the docs': (path) => `/docs${path}`,
  'one letter more': (path) => `${path}x`,
  'colon verb': (path) => `${path}:read`,
}

describe('no spelling of a guarded path is answered without a token', () => {
  it.each(Object.keys(SPELLINGS))('%s', async (name) => {
    const spell = SPELLINGS[name] ?? String
    for (const route of guarded) {
      for (const path of [real(route.path), `/workspaces/${DEFAULT_WORKSPACE_ID}${real(route.path)}`]) {
        const target = spell(path)
        const answer = await raw(route.method.toUpperCase(), target)
        // a link's own path takes any word: without its key it is no link
        const more = route.auth === 'signature' ? [501] : []
        expectRefused(answer, [400, 401, 404, 405, ...more], `${route.method} ${target}`)
      }
    }
  })

  it('and the workspace prefix has one spelling as well', async () => {
    const path = `/runs/${run}`
    for (const prefix of [
      `/workspaces/${DEFAULT_WORKSPACE_ID}/workspaces/${DEFAULT_WORKSPACE_ID}`,
      `/Workspaces/${DEFAULT_WORKSPACE_ID}`,
      `/workspaces//${DEFAULT_WORKSPACE_ID}`,
      `/workspaces/${DEFAULT_WORKSPACE_ID}/`,
      `/workspaces/${DEFAULT_WORKSPACE_ID}/.`,
      '/workspaces/..',
      '/workspaces/%77s_00000000000000000000000000',
      '/workspaces/*',
      '/workspaces/default',
      '/workspaces',
      '//workspaces/x',
    ]) {
      expectRefused(await raw('GET', `${prefix}${path}`), [400, 401, 404], prefix)
    }
  })
})

describe('the canonical path', () => {
  it.each(byRule.map((route) => [route.method.toUpperCase(), route.path] as const))(
    '%s %s asks for a token, plain and behind a workspace',
    async (method, path) => {
      for (const target of [real(path), `/workspaces/${DEFAULT_WORKSPACE_ID}${real(path)}`]) {
        expectRefused(await raw(method, target), [401], `${method} ${target}`)
        expectRefused(await raw(method, `${target}?access_token=x&token=x`), [401], `${method} ${target} with a query`)
      }
    },
  )

  it('HEAD asks as GET does, and OPTIONS tells nothing', async () => {
    for (const route of guarded.filter((each) => each.method === 'get' && each.auth !== 'signature')) {
      const head = await raw('HEAD', real(route.path))
      expect([head.status, head.body], route.path).toEqual([401, ''])
    }
    for (const route of guarded) expectRefused(await raw('OPTIONS', real(route.path)), [401, 405], route.path)
  })

  it.each(['x-http-method-override', 'x-http-method', 'x-method-override', '_method'])(
    '%s turns no method into another',
    async (header) => {
      for (const route of byRule) {
        const wanted = route.method.toUpperCase()
        const answers = [
          await raw('GET', real(route.path), { [header]: wanted }),
          await raw('POST', real(route.path), { [header]: wanted }),
          await raw('POST', `${real(route.path)}?_method=${wanted}`),
        ]
        if (open.some(({ path }) => path === route.path)) {
          // the path has public methods as well: each answers as itself
          const plain = [await raw('GET', real(route.path)), await raw('POST', real(route.path))].map(
            (each) => each.status,
          )
          expect(answers.map((each) => each.status)).toEqual([...plain, plain[1]])
          expect(wanted).not.toMatch(/GET|POST/)
        } else for (const answer of answers) expectRefused(answer, [401, 405], `${header} ${route.path}`)
      }
    },
  )

  it.each(['x-original-url', 'x-rewrite-url', 'x-forwarded-path', 'x-forwarded-prefix', 'x-script-name', 'forwarded'])(
    '%s turns no path into another',
    async (header) => {
      expect((await raw('GET', `/runs/${run}`, { [header]: '/healthz' })).status).toBe(401)
      const answer = await raw('GET', '/healthz', { [header]: `/runs/${run}` })
      expect(answer.body).not.toContain(run)
    },
  )

  it('unknown methods reach nothing', async () => {
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'get', 'GETX', 'QUERY', 'PURGE']) {
      const answer = await raw(method, `/runs/${run}`)
      expect([0, 400, 404, 405, 501], `${method} was answered with ${answer.status}`).toContain(answer.status)
    }
  })
})

describe('what is public', () => {
  it('is the reviewed list, exactly', () => {
    expect(open.map((route) => `${route.method} ${route.path}`).sort()).toEqual(PUBLIC)
  })

  it('answers alike behind any workspace prefix: the prefix opens nothing, and tells nobody which workspaces exist', async () => {
    const answers = await Promise.all(
      ['', `/workspaces/${DEFAULT_WORKSPACE_ID}`, '/workspaces/ws_zzzzzzzzzzzzzzzzzzzzzzzzzz'].map((prefix) =>
        raw('GET', `${prefix}/auth/status`),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  })
})

const PUBLIC: string[] = [
  'get /',
  'get /auth/status',
  'get /console',
  'get /console/*',
  'get /console/api/session',
  'get /docs',
  'get /docs/{asset}',
  'get /healthz',
  'get /oauth/callback',
  'get /openapi.json',
  'get /problems/{code}',
  'post /console/api/session',
  'post /oauth/callback',
  'post /token',
]
