import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface GitServerRequest {
  method: string
  url: string
  authorization: string | undefined
}

/** A bare repository `shop.git` of git itself, served over smart HTTP by `git http-backend`. */
export async function startGitServer({ authorization }: { authorization?: string } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'svc-git-server-'))
  const bare = join(root, 'shop.git')
  const work = join(root, 'work')
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.test' },
    ...{ GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.test' },
  }
  const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd, env })).stdout.trim()
  const input = async (text: string, ...args: string[]) => {
    const made = run('git', args, { cwd: bare, env })
    made.child.stdin?.end(text)
    return (await made).stdout.trim()
  }
  await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', bare)
  await git(bare, 'config', 'http.receivepack', 'true')
  await git(root, 'clone', '--quiet', bare, work).catch(() => undefined)
  await git(work, 'checkout', '--quiet', '-B', 'main')
  const requests: GitServerRequest[] = []
  let lose: 'before' | 'after' | 'garbled' | undefined

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, authorization: headers.authorization })
    if (authorization !== undefined && headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    const losing = method === 'POST' && url.endsWith('/git-receive-pack') ? lose : undefined
    if (losing === 'before') return void request.socket.destroy()
    backend(request, response, losing)
  })

  function backend(request: IncomingMessage, response: ServerResponse, losing: typeof lose): void {
    const url = new URL(request.url ?? '/', 'http://git.test')
    const child = spawn('git', ['http-backend'], {
      env: {
        ...{ ...env, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'ann' },
        ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method ?? 'GET' },
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(child.stdin)
    child.stdin.on('error', () => undefined)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', () => {
      if (losing === 'after') return void request.socket.destroy()
      const whole = Buffer.concat(chunks)
      const end = whole.indexOf('\r\n\r\n')
      const lines = whole.subarray(0, end).toString('utf8').split('\r\n')
      const headers = Object.fromEntries(lines.map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 2)]))
      const { Status: status = '200', ...others } = headers
      response
        .writeHead(Number.parseInt(status, 10), others)
        .end(losing === 'garbled' ? 'zzzz' : whole.subarray(end + 4))
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    bare,
    work,
    requests,
    git,
    /** runs git in the bare repository with this as its standard input */
    input,
    /** the answer to the next pushes is lost, before or after the repository has acted, or makes no sense; undefined: answered again */
    lose(next: typeof lose): void {
      lose = next
    },
    /** commits in the work tree and pushes; answers the id */
    async commit(files: Record<string, string>, message = 'change', branch = 'main'): Promise<string> {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, path)), { recursive: true })
        await writeFile(join(work, path), text)
      }
      await git(work, 'add', '--all')
      await git(work, 'commit', '--quiet', '--allow-empty', '--message', message)
      await git(work, 'push', '--quiet', '--force', bare, `HEAD:refs/heads/${branch}`)
      return await git(work, 'rev-parse', 'HEAD')
    },
    head: (branch = 'main') => git(bare, 'rev-parse', `refs/heads/${branch}`),
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await rm(root, { recursive: true, force: true })
    },
  }
}
