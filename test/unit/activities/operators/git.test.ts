import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGitCommit } from '#activities/operators/git/commit.ts'
import { createGitDiff } from '#activities/operators/git/diff.ts'
import { createGitRead } from '#activities/operators/git/read.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Operator } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createGit } from '#platform/git/git-program.ts'
import { startCanary } from '#test/support/canary.ts'
import { startGitServer } from '#test/support/git-server.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const PASSWORD = 'Pw55 RtYu81Ac'
const BASIC = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
// the name is known to nobody else: git goes to the address that was checked
const egress = createEgressClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
const deps = { egress, git: createGit({ path: process.env['PATH'] }) }
const [reader, differ, committer] = [createGitRead(deps), createGitDiff(deps), createGitCommit(deps)]
const AUTHOR = { name: 'Svc', email: 'svc@example.test' }

let server: Awaited<ReturnType<typeof startGitServer>>
let first: string
beforeAll(async () => {
  server = await startGitServer({ authorization: BASIC })
})
afterAll(() => server.stop())
beforeEach(async () => {
  server.lose(undefined)
  await server.git(server.work, 'checkout', '--quiet', '--orphan', 'next')
  await server.git(server.work, 'rm', '-rfq', '--ignore-unmatch', '.')
  await server.git(server.work, 'branch', '-D', 'main').catch(() => undefined)
  await server.git(server.work, 'branch', '-m', 'main')
  first = await server.commit({ 'deploy.yaml': 'version: 1\n', 'docs/über uns.md': 'us\n' }, 'first')
  server.requests.length = 0
})

type Changes = Parameters<typeof operatorContext>[0] & { password?: string }
const contextOf = ({ password = PASSWORD, ...changes }: Changes = {}) =>
  operatorContext({
    egress: ['git.test'],
    connections: { code: `http://ann:${encodeURIComponent(password)}@git.test:${server.port}` },
    ...changes,
  })
const parsed = (operator: Operator, input: JsonObject) =>
  operator.parse({ connection: 'code', repository: 'shop.git', ...input })
const run = async (operator: Operator, input: JsonObject, changes?: Changes) =>
  (await operator.execute(contextOf(changes), parsed(operator, input))).outputs
const change = (input: JsonObject = {}) => ({
  ...{ branch: 'main', parent: first, message: 'Roll back\n\nIt failed.', author: AUTHOR },
  changes: [{ path: 'deploy.yaml', text: 'version: 0\n' }],
  ...input,
})
const pushes = () => server.requests.filter(({ url }) => url.endsWith('/git-receive-pack'))

describe('git.read', () => {
  it('reads the head, files, names and the last commits', async () => {
    const second = await server.commit({ 'deploy.yaml': 'version: 2\n' }, 'second')
    const log = [
      expect.objectContaining({ commit: second, subject: 'second' }),
      expect.objectContaining({ commit: first, subject: 'first' }),
    ]
    const paths = ['deploy.yaml', 'docs/über uns.md', 'gone.txt']
    expect(await run(reader, { paths, list: '', log: 5 })).toEqual({
      ...{ commit: second, at: expect.stringMatching(/^\d{4}-/), author: 'Ann', subject: 'second' },
      files: { 'deploy.yaml': 'version: 2\n', 'docs/über uns.md': 'us\n' },
      ...{ list: ['deploy.yaml', 'docs/über uns.md'], truncated: false, log },
    })
    expect(await run(reader, { ref: 'main', list: 'docs' })).toMatchObject({ list: ['docs/über uns.md'] })
    expect(await run(reader, { ref: first, paths: ['deploy.yaml'] })).toMatchObject({
      ...{ commit: first, files: { 'deploy.yaml': 'version: 1\n' } },
    })
    expect(server.requests.some(({ authorization }) => authorization === BASIC)).toBe(true)
  })

  it('takes what is no text as such, and no file that is too large', async () => {
    await writeFile(join(server.work, 'logo.png'), Buffer.from([0x89, 0x50, 0, 0xff]))
    await server.commit({ 'large.txt': 'x'.repeat(600 * 1024) }, 'large')
    expect(await run(reader, { paths: ['logo.png'] })).toMatchObject({ files: { 'logo.png': null } })
    await expect(run(reader, { paths: ['large.txt'] })).rejects.toMatchObject({ code: 'response_too_large' })
    await expect(run(reader, { paths: ['docs'] })).resolves.toMatchObject({ files: {} })
  })

  it('says in the words of git what is wrong', async () => {
    await expect(run(reader, { ref: 'nope' })).rejects.toMatchObject({
      ...{ code: 'git_failed', message: expect.stringContaining("couldn't find remote ref nope") },
    })
    await expect(run(reader, { repository: 'bank.git' })).rejects.toMatchObject({
      ...{ code: 'git_failed', message: expect.stringContaining('not found') },
    })
    const refused = await run(reader, {}, { password: 'wrong one' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'login_refused', retryable: false })
    expect(JSON.stringify(refused) + String(refused)).not.toMatch(/wrong|Basic/)
  })

  it('runs no git that is missing, or too old to be led to a checked address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-old-git-'))
    const read = () => createGitRead({ egress, git: createGit({ path: `${folder}:/nowhere` }) })
    const failed = { code: 'not_configured', message: expect.stringContaining('2.37') }
    await expect(run(read(), {})).rejects.toMatchObject(failed)
    await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.36.6\n', { mode: 0o755 })
    await expect(run(read(), {})).rejects.toMatchObject(failed)
    await rm(folder, { recursive: true })
    await expect(run(createGitRead({ egress }), {})).rejects.toMatchObject({ code: 'not_configured' })
    expect(server.requests).toEqual([])
  })

  it('reaches nobody whom the environment does not open, and stops when it is told', async () => {
    await expect(run(reader, {}, { egress: [] })).rejects.toMatchObject({ code: 'egress_denied' })
    await expect(run(reader, {}, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect(server.requests).toEqual([])
  })

  it('follows no redirect, and has no settings, hooks or protocols of the machine', async () => {
    const elsewhere = await startCanary((_request, response) =>
      response.writeHead(302, { location: `http://git.test:${server.port}/shop.git/info/refs` }).end(),
    )
    const connections = { code: `http://git.test:${elsewhere.port}` }
    await expect(run(reader, {}, { connections })).rejects.toMatchObject({ code: 'git_failed' })
    await elsewhere.stop()
    expect(server.requests).toEqual([])
    const settings = await deps.git.open(
      { url: 'http://git.test/', addresses: ['127.0.0.1'] },
      { signal: AbortSignal.timeout(20_000), max_bytes: 1_000_000, max_memory: 2 ** 30 },
      async (folder) => {
        await expect(folder.run(['ls-remote', `file://${server.bare}`])).rejects.toThrow(/not allowed/)
        await expect(folder.run(['ls-remote', server.bare])).rejects.toThrow(/not allowed/)
        await expect(folder.run(['ls-remote', 'ssh://git.test/x'])).rejects.toThrow(/not allowed/)
        await expect(folder.run(['ls-remote', 'ext::sh -c true'])).rejects.toThrow(/not allowed/)
        const input = randomBytes(2_000_000)
        await expect(folder.run(['hash-object', '-w', '--stdin'], { input })).rejects.toMatchObject({
          reason: 'too_large',
        })
        return (await folder.run(['config', '--list', '--show-scope'])).toString()
      },
    )
    expect(settings).not.toMatch(/^(system|global)/m)
    expect(settings).toMatch(/core\.hookspath=\/dev\/null/)
    expect(settings).toMatch(/http\.emptyauth=false/)
  })
})

describe('a repository that is made to break its reader', () => {
  it('takes no more memory than git may have', async () => {
    const blob = await server.git(server.bare, 'rev-parse', `${first}:deploy.yaml`)
    const treeOf = async (mode: string, type: string, id: string) => {
      const lines = Array.from({ length: 10 }, (_, n) => `${mode} ${type} ${id}\t${n}`).join('\n')
      return await server.input(`${lines}\n`, 'mktree')
    }
    // ten million files in seven trees
    let tree = await treeOf('100644', 'blob', blob)
    for (let depth = 0; depth < 6; depth += 1) tree = await treeOf('040000', 'tree', tree)
    const commit = await server.git(server.bare, 'commit-tree', tree, '-m', 'bomb')
    await server.git(server.bare, 'update-ref', 'refs/heads/bomb', commit)
    const limits = { signal: AbortSignal.timeout(60_000), max_bytes: 2 ** 27, max_memory: 2 ** 28 }
    const remote = { url: `http://git.test:${server.port}/shop.git`, addresses: ['127.0.0.1'], authorization: BASIC }
    await deps.git.open(remote, limits, async (folder) => {
      await folder.run(['fetch', '--quiet', '--depth=1', remote.url, 'bomb'])
      await expect(folder.run(['read-tree', 'FETCH_HEAD'])).rejects.toMatchObject({ reason: 'too_large' })
      const threshold = await folder.run(['config', 'core.bigFileThreshold'])
      expect(threshold.toString().trim()).toBe('16m')
    })
    await server.git(server.bare, 'update-ref', '-d', 'refs/heads/bomb')
  }, 90_000)

  it('leads to no other server by its alternates', async () => {
    const other = await startCanary((_request, response) => response.writeHead(404).end())
    const files: Record<string, string> = {
      '/shop.git/info/refs': `${first}\trefs/heads/main\n`,
      '/shop.git/HEAD': 'ref: refs/heads/main\n',
      '/shop.git/objects/info/http-alternates': `${new URL('/objects', other.url)}\n`,
      '/shop.git/objects/info/alternates': `${new URL('/objects', other.url)}\n`,
    }
    const dumb = await startCanary((request, response) => {
      const found = files[new URL(request.url ?? '', 'http://git.test').pathname]
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(found)
    })
    const connections = { code: `http://git.test:${dumb.port}` }
    await expect(run(reader, {}, { connections })).rejects.toMatchObject({ code: 'git_failed' })
    expect([dumb.requests.length > 1, other.requests]).toEqual([true, []])
    await Promise.all([dumb.stop(), other.stop()])
  })
})

describe('git.diff', () => {
  it('says what differs between two commits', async () => {
    const second = await server.commit({ 'deploy.yaml': 'version: 2\n', 'new.txt': 'a\nb\n' }, 'second')
    expect(await run(differ, { from: first, to: 'main' })).toMatchObject({
      ...{ from: first, to: second, same: false, file_count: 2, truncated: false },
      files: [
        { path: 'deploy.yaml', added: 1, deleted: 1 },
        { path: 'new.txt', added: 2, deleted: 0 },
      ],
      diff: expect.stringContaining('-version: 1\n+version: 2\n'),
    })
    expect(await run(differ, { from: first, to: 'main', paths: ['new.txt'] })).toMatchObject({ file_count: 1 })
    expect(await run(differ, { from: second, to: second })).toMatchObject({ same: true, diff: '', files: [] })
  })
})

describe('git.commit', () => {
  it('makes one commit on the approved parent, and leaves the rest as it is', async () => {
    const changes = [
      { path: 'deploy.yaml', text: 'version: 0\n' },
      { path: 'docs/über uns.md', delete: true },
      { path: 'a b/neu.txt', text: 'ü' },
    ]
    const outputs = await run(committer, change({ changes }))
    expect(outputs).toEqual({ commit: await server.head(), parent: first, branch: 'main', changed: true })
    expect(await server.git(server.bare, 'log', '-1', '--format=%P|%an <%ae>|%B')).toBe(
      `${first}|Svc <svc@example.test>|Roll back\n\nIt failed.\n\nSvc-Step: run_1:act`,
    )
    expect(await run(reader, { list: '', paths: ['a b/neu.txt'] })).toMatchObject({
      ...{ list: ['a b/neu.txt', 'deploy.yaml'], files: { 'a b/neu.txt': 'ü' } },
    })
  })

  it('pushes nothing to a branch that moved after it was approved', async () => {
    const moved = await server.commit({ 'other.txt': 'x' }, 'of somebody else')
    await expect(run(committer, change())).rejects.toMatchObject({
      ...{ code: 'plan_changed', retryable: false, unknown_outcome: false },
      details: { branch: 'main', parent: first, head: moved },
    })
    expect([await server.head(), pushes()]).toEqual([moved, []])
  })

  it('pushes nothing where somebody slips in at the last moment', async () => {
    let moved = ''
    const beforeSending = async () => {
      moved = await server.commit({ 'other.txt': 'y' }, 'of somebody else')
    }
    await expect(run(committer, change(), { beforeSending })).rejects.toMatchObject({ code: 'plan_changed' })
    expect(await server.head()).toBe(moved)
    const halted = () => Promise.reject(new Error('halted'))
    await expect(run(committer, change({ parent: moved }), { beforeSending: halted })).rejects.toThrow('halted')
    expect(await server.head()).toBe(moved)
  })

  it('knows what became of a push whose answer was lost', async () => {
    server.lose('after')
    const outputs = await run(committer, change())
    expect(outputs).toMatchObject({ changed: true, commit: await server.head() })
    server.lose('before')
    const next = change({ parent: await server.head(), changes: [{ path: 'x', text: 'y' }] })
    await expect(run(committer, next, { idempotency_key: 'run_2:act' })).rejects.toMatchObject({
      ...{ code: 'connection_lost', retryable: true, unknown_outcome: false },
    })
    expect(await server.head()).toBe(outputs['commit'])
    expect(committer.replay(parsed(committer, next))).toBe('ask')
  })

  it('recognises the commit of an earlier attempt, also below others', async () => {
    const { commit } = await run(committer, change())
    expect(await run(committer, change(), { attempt: 2 })).toMatchObject({ commit, changed: true })
    await server.git(server.work, 'pull', '--quiet', server.bare, 'main')
    await server.commit({ 'other.txt': 'z' }, 'on top')
    expect(await run(committer, change(), { attempt: 3 })).toMatchObject({ commit })
    expect(pushes().length).toBeGreaterThan(0)
    // another change is not the one that was made
    const other = change({ changes: [{ path: 'deploy.yaml', text: 'version: 9\n' }] })
    await expect(run(committer, other)).rejects.toMatchObject({ code: 'plan_changed' })
  })

  it('makes a branch that does not exist yet, and no other', async () => {
    const input = change({ new_branch: 'fix/shop' })
    const { commit } = await run(committer, input)
    expect([await server.head('fix/shop'), await server.head()]).toEqual([commit, first])
    await expect(run(committer, input, { idempotency_key: 'run_2:act' })).rejects.toMatchObject({
      code: 'plan_changed',
    })
    await server.git(server.bare, 'update-ref', '-d', 'refs/heads/fix/shop')
  })

  it('makes no commit that changes nothing', async () => {
    const changes = [{ path: 'deploy.yaml', text: 'version: 1\n' }]
    expect(await run(committer, change({ changes }))).toMatchObject({ changed: false, commit: first })
    expect(pushes()).toEqual([])
    const gone = change({ changes: [{ path: 'gone.txt', delete: true }] })
    await expect(run(committer, gone)).rejects.toMatchObject({ code: 'git_failed' })
  })

  it('deletes nothing that no approver has seen, to make room or because a path names a folder', async () => {
    const into = change({ changes: [{ path: 'deploy.yaml/new.txt', text: 'x' }] })
    const refused = { code: 'git_failed', message: expect.stringContaining('deploy.yaml is in the way') }
    await expect(run(committer, into)).rejects.toMatchObject(refused)
    expect(await committer.simulate?.(contextOf(), parsed(committer, into))).toMatchObject({ ok: false })
    const folder = change({ changes: [{ path: 'docs', delete: true }] })
    await expect(run(committer, folder)).rejects.toMatchObject({
      ...{ code: 'git_failed', message: expect.stringContaining('docs cannot be deleted: it is a folder') },
    })
    expect([await server.head(), pushes()]).toEqual([first, []])
    const both = [
      { path: 'deploy.yaml', delete: true },
      { path: 'deploy.yaml/new.txt', text: 'x' },
    ]
    expect(await run(committer, change({ changes: both }))).toMatchObject({ changed: true })
  })

  it('knows what became of a push whose answer was garbled', async () => {
    server.lose('garbled')
    const outputs = await run(committer, change())
    expect(outputs).toMatchObject({ changed: true, commit: await server.head() })
  })

  it('says what a hook of the server says', async () => {
    const hook = join(server.bare, 'hooks', 'pre-receive')
    await writeFile(hook, '#!/bin/sh\necho "main is protected" >&2\nexit 1\n', { mode: 0o755 })
    const message = expect.stringContaining('main is protected')
    await expect(run(committer, change())).rejects.toMatchObject({ code: 'git_failed', message })
    await server.git(server.bare, 'config', 'core.hooksPath', '/dev/null')
    expect(await server.head()).toBe(first)
  })

  it('shows every file as it will be, and a dry run shows the difference and pushes nothing', async () => {
    const input = parsed(committer, change())
    const shown = committer.describe(input, { idempotency_key: 'run_1:act' })
    expect(shown).toMatchObject({
      summary: `commit 1 changed file to main of shop.git of code, on ${first}`,
      targets: { kind: 'git', ids: ['shop.git#main'] },
    })
    for (const part of [
      'Svc <svc@example.test>',
      'Roll back',
      'Svc-Step: run_1:act',
      'write deploy.yaml',
      'version: 0',
    ])
      expect(shown.diff?.body).toContain(part)
    expect(await committer.simulate?.(contextOf(), input)).toMatchObject({
      ...{ ok: true, details: { diff: expect.stringContaining('-version: 1\n+version: 0\n') } },
    })
    expect(await committer.simulate?.(contextOf({ egress: [] }), input)).toMatchObject({ ok: false })
    await server.commit({ 'other.txt': 'x' }, 'of somebody else')
    expect(await committer.simulate?.(contextOf(), input)).toMatchObject({
      ...{ ok: false, details: { code: 'plan_changed' } },
    })
    expect(pushes()).toEqual([])
  })

  it.each<JsonObject>([
    { changes: [{ path: '../x', text: '' }] },
    { changes: [{ path: '/etc/passwd', text: '' }] },
    { changes: [{ path: '.git/hooks/x', text: '' }] },
    { changes: [{ path: 'a/.GIT/config', text: '' }] },
    { changes: [{ path: 'a\nb', text: '' }] },
    { changes: [{ path: 'a' }] },
    { changes: [{ path: 'a', text: 'b', delete: true }] },
    {
      changes: [
        { path: 'a', text: '' },
        { path: 'a', delete: true },
      ],
    },
    { changes: [] },
    { branch: '--upload-pack=x' },
    { branch: 'a..b' },
    { branch: 'a:b' },
    { parent: 'main' },
    { repository: '../../etc' },
    { repository: 'https://evil.test/x.git' },
    { repository: '-x' },
    { author: { name: 'A <b>', email: 'a@example.test' } },
    { message: 'a\u0000b' },
  ])('refuses %j', (input) => {
    expect(() => parsed(committer, change(input))).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})
