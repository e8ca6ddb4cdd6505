import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, open, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leftFiles, openFolder } from '#platform/processes/left-files.ts'
import { createProcessRunner, type ProcessExit, type ProcessRun } from '#platform/processes/process-runner.ts'
import { type ProcessLab, processLab, runs } from '#test/support/process-lab.ts'

const runner = createProcessRunner()
let lab: ProcessLab
beforeAll(async () => {
  lab = await processLab()
})
afterAll(() => lab.remove())

interface Wanted extends Partial<ProcessRun> {
  /** of the entry */
  entry?: object
}

async function start(body: string, { entry, ...run }: Wanted = {}): Promise<ProcessExit> {
  const path = await lab.script('job', body)
  const { command, user, env, limits } = lab.allow(path, entry)
  const { sha256 } = await runner.inspect({ command, user })
  const end = await runner.run(
    { command, sha256, env, limits, ...(user !== undefined && { user }) },
    {
      ...{
        args: [],
        signal: new AbortController().signal,
        beforeStart: async () => undefined,
        onLine: () => undefined,
      },
      ...run,
    },
  )
  if (end === 'changed') throw new Error('it has changed')
  return end
}

/** The process ids that a script prints in one line; it goes on when they are there. */
async function startWithPids(body: string, wanted: Wanted & { whenStarted: (pids: number[]) => void }) {
  let pids: number[] = []
  const onLine = (line: string) => {
    pids = line.split(' ').map(Number)
    wanted.whenStarted(pids)
  }
  const end = await start(body, { ...wanted, onLine })
  return { end, pids }
}

it('of which a line comes in pieces is read whole, also the last one', async () => {
  const lines: string[] = []
  // the two bytes of an ä, one by one
  await start("printf 'a\\303'; sleep 0.05; printf '\\244\\nlast'", { onLine: (line) => void lines.push(line) })
  expect(lines).toEqual(['aä', 'last'])
})

const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('svc-process-'))

describe('a process', () => {
  it('gets its arguments to the letter, what the entry lists as its environment, its input, and an empty folder', async () => {
    const before = await left()
    const { code, stdout, stderr } = await start(
      `printf '%s\\n' "$@"; tr '\\0' '\\n' < /proc/$$/environ; ls -A | wc -l; cat; [ -e /proc/$$/fd/3 ] || echo alone; echo gone >&2`,
      { args: ['$HOME', '; touch x', '*', '`id`'], stdin: 'input\n', entry: { rest: '.*', env: { LANG: 'C' } } },
    )
    const lines = stdout.text.split('\n')
    expect(lines.slice(0, 5)).toEqual(['$HOME', '; touch x', '*', '`id`', 'LANG=C'])
    expect(lines[5]).toMatch(/^SVC_PROCESS_[0-9A-F]{24}=1$/)
    expect(lines.slice(6)).toEqual(['0', 'input', 'alone', ''])
    expect([code, stderr.text]).toEqual([0, 'gone\n'])
    expect(await left()).toEqual(before)
  })

  it('runs as the user of its entry, in no group of root, where the worker may change the user', async () => {
    const asNobody = start('id -u; id -G', { entry: { user: 'nobody' } })
    if (process.getuid?.() === 0) expect((await asNobody).stdout.text).toBe('65534\n65534\n')
    else await expect(asNobody).rejects.toThrow('only a worker that is root can run it as nobody')
  })

  it('does not start where its file is replaced while its start is asked for', async () => {
    const path = await lab.script('job', 'echo approved')
    const replaced = start('echo approved', { beforeStart: () => writeFile(path, '#!/bin/sh\necho not approved\n') })
    await expect(replaced).rejects.toThrow('it has changed')
  })

  it('keeps so much of what it says, and counts and digests all of it', async () => {
    const { stdout, stderr } = await start(
      'i=0; while [ $i -lt 1000 ]; do echo 0123456789; i=$((i+1)); done; echo first >&2; head -c 3000 /dev/zero >&2; echo last >&2',
      { entry: { limits: { output_kb: 1 } } },
    )
    expect(stdout).toMatchObject({ bytes: 11_000, truncated: true, text: expect.stringMatching(/^0123456789\n/) })
    expect(stdout.text).toHaveLength(1_024)
    expect(stderr).toMatchObject({ bytes: 3_011, truncated: true, text: expect.stringMatching(/last\n$/) })
  })
})

it('that says very much holds up nobody else', async () => {
  let [lines, most, isOver] = [0, 0, false]
  const turn = () => {
    most = Math.max(most, lines)
    lines = 0
    if (!isOver) setImmediate(turn)
  }
  turn()
  const onLine = () => {
    lines += 1
  }
  const { stdout } = await start('yes | head -c 8000000', { onLine })
  isOver = true
  expect(stdout.bytes).toBe(8_000_000)
  // what is read at once has 64 kB
  expect(most).toBeLessThanOrEqual(65_536)
})

describe('the limits', () => {
  it('of memory, files, their size and computing hold', async () => {
    const limits = { memory_mb: 32, file_mb: 1, open_files: 20, cpu_seconds: 1 }
    const { stdout } = await start('ulimit -d; ulimit -n; ulimit -f; ulimit -c; ulimit -t', { entry: { limits } })
    expect(stdout.text).toBe('32768\n20\n2048\n0\n1\n')
    expect(await start('head -c 2000000 /dev/zero > file; exit $?', { entry: { limits } })).toMatchObject({ code: 153 })
    expect(await start('exec dd if=/dev/zero of=/dev/null bs=100M count=1', { entry: { limits } })).toMatchObject({
      code: 1,
      stderr: { text: expect.stringMatching(/memory/) },
    })
    expect(await start('while :; do :; done', { entry: { limits } })).toMatchObject({
      code: null,
      signal: expect.stringMatching(/SIGXCPU|SIGKILL/),
    })
  })

  it('of time ends it', async () => {
    const end = await start('sleep 60', { entry: { limits: { time: '200ms' } } })
    expect(end).toMatchObject({ code: null, signal: 'SIGTERM', stopped: 'time' })
  })
})

/** A child in a session of its own. */
const STRAY = `setsid sleep 600 & until [ "$(cut -d' ' -f6 /proc/$!/stat)" = "$!" ]; do :; done`

describe('the end', () => {
  it('of one that ignores being told takes its children with it', async () => {
    const stopping = new AbortController()
    const { end, pids } = await startWithPids(`trap '' TERM; sleep 60 & echo $$ $!; while :; do wait; done`, {
      ...{ signal: stopping.signal, entry: { limits: { grace: '100ms' } } },
      whenStarted: () => stopping.abort(),
    })
    expect(end).toMatchObject({ code: null, signal: 'SIGKILL', stopped: 'aborted' })
    expect(pids).toHaveLength(2)
    expect(await Promise.all(pids.map(runs))).toEqual([false, false])
  })

  it('leaves nothing of it running, also not what left its session or holds its output', async () => {
    const { end, pids } = await startWithPids(`sleep 60 & ${STRAY}; echo $$ $!; exit 3`, {
      whenStarted: () => undefined,
    })
    expect(end).toMatchObject({ code: 3 })
    expect(await Promise.all(pids.map(runs))).toEqual([false, false])
  })

  it('comes also where what watches it is killed', async () => {
    const { end, pids } = await startWithPids(`sleep 600 & ${STRAY}; echo $$ $!; wait`, {
      whenStarted: ([pid]) => {
        const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
        process.kill(Number(parent), 'SIGKILL')
      },
    })
    expect(end).toMatchObject({ code: null, stopped: 'lost' })
    await expect.poll(() => Promise.all(pids.map(runs))).toEqual([false, false])
  })

  it('comes also where what watches it was stopped', async () => {
    const stopping = new AbortController()
    const { end, pids } = await startWithPids(`${STRAY}; echo $$ $!; wait`, {
      ...{ signal: stopping.signal, entry: { limits: { grace: '10ms' } } },
      whenStarted: ([pid]) => {
        const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
        process.kill(Number(parent), 'SIGSTOP')
        stopping.abort()
      },
    })
    expect(end).toMatchObject({ code: null, stopped: 'aborted' })
    await expect.poll(() => Promise.all(pids.map(runs))).toEqual([false, false])
  }, 20_000)

  it('begins nothing where it is told before', async () => {
    await expect(start('echo', { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
  })
})

describe('what it leaves', () => {
  const leaves = async (body: string, keep: string[], limits: object = {}) => {
    const { code, files } = await start(body, { keep, entry: { limits } })
    expect(code).toBe(0)
    return 'problem' in files ? files.problem : files.map(({ name, body: bytes }) => [name, bytes.toString()])
  }

  it('is kept by name, folders with what is below them, and nothing else', async () => {
    const body =
      'mkdir -p out/deep; echo 1 > a.json; echo 2 > out/b; echo 3 > out/deep/c; echo x > scratch; echo h > .hidden'
    expect(await leaves(body, ['out', 'a.json', 'out/b'])).toEqual([
      ['out/b', '2\n'],
      ['out/deep/c', '3\n'],
      ['a.json', '1\n'],
    ])
    expect(await leaves(body, ['.'])).toHaveLength(5)
    expect(await leaves(body, [])).toEqual([])
  })

  it.each([
    ['a link to a file', 'ln -s /etc/passwd left', 'left', 'left is a link, or behind one'],
    ['a link to a folder', 'ln -s /etc left', 'left', 'left is a link, or behind one'],
    ['what is behind a link', 'ln -s /etc left', 'left/passwd', 'left is a link, or behind one'],
    ['a link in a folder', 'mkdir left; ln -s /etc/passwd left/x', 'left', 'left/x is a link, or behind one'],
    ['a pipe', 'mkfifo left', 'left', 'left is not a file'],
    ['nothing', 'true', 'left', 'it left no left'],
    [
      'what its name hides',
      'echo > "$(printf "a\\033[2Jb")"',
      '.',
      expect.stringMatching(/characters that are not seen/),
    ],
    ['too many', 'touch 1 2 3 4', '.', 'there are more than 3 files'],
    ['too much', 'head -c 600000 /dev/zero > a; cp a b', '.', 'the files have more than 1 MB'],
    ['a file of holes', 'truncate -s 1G a', 'a', 'the files have more than 1 MB'],
    ['very many folders', 'seq 1001 | xargs mkdir', '.', 'there are more than 1000 files and folders'],
  ])('is not kept where it is %s', async (_what, body, wanted, problem) => {
    expect(await leaves(body, [wanted], { artifacts: 3, artifact_mb: 1, file_mb: 2_000 })).toEqual(problem)
  })

  it('is that of the folder it was given, also where it put another one in its place', async () => {
    const before = await left()
    const body = 'echo mine > passwd; here=$(pwd); mv "$here" "$here-moved" && ln -s /etc "$here"; cd /; echo "$here"'
    const { files, stdout } = await start(body, { keep: ['passwd'] })
    expect(files).toMatchObject([{ name: 'passwd', body: Buffer.from('mine\n') }])
    await rm(`${stdout.text.trim()}-moved`, { recursive: true })
    expect(await left()).toEqual(before)
  })

  it.runIf(process.getuid?.() === 0)('is no file of another user, also by a hard link', async () => {
    const { folder } = lab
    const secret = join(folder, 'secret')
    await writeFile(secret, 'not for nobody', { mode: 0o600 })
    const [parent, name] = [await openFolder(folder), 'secret']
    try {
      const limits = { files: 9, bytes: 1_000 }
      expect(await leftFiles(parent, [name], { limits, uid: 65534 })).toEqual({
        problem: 'secret belongs to another user',
      })
      expect(await leftFiles(parent, [name], { limits, uid: 0 })).toHaveLength(1)
    } finally {
      await parent.close()
    }
  })

  it('does not fail it where its folder cannot be removed', async () => {
    const before = await left()
    expect((await start('mkdir -p a/b; chmod 000 a')).code).toBe(0)
    for (const name of (await left()).filter((each) => !before.includes(each))) {
      await chmod(join(tmpdir(), name, 'a'), 0o700)
      await rm(join(tmpdir(), name), { recursive: true })
    }
  })
})

it('hands on no descriptor that the start of the worker left open', async () => {
  const supervisor = fileURLToPath(new URL('../../../../platform/processes/supervise.mjs', import.meta.url))
  const cwd = await mkdtemp(join(tmpdir(), 'svc-process-'))
  const inherited = await open('/etc/passwd')
  const child = spawn(process.execPath, [supervisor], {
    ...{ env: {}, cwd: '/' },
    // Node closes what it has inherited only up to the first gap
    stdio: ['pipe', 'pipe', 'inherit', 'pipe', ...Array.from({ length: 96 }, () => 'ignore' as const), inherited.fd],
  })
  const order = { file: '/bin/sh', args: ['-c', 'ls /proc/$$/fd; true'], cwd, env: {}, mark: 'MARK', grace_ms: 1 }
  child.stdin?.write(`${JSON.stringify(order)}\n`)
  const said = text(child.stdout as Readable)
  for await (const report of createInterface({ input: child.stdio[3] as Readable }))
    if ('code' in JSON.parse(report)) break
  child.stdin?.end()
  await once(child, 'exit')
  await inherited.close()
  expect((await said).trim().split('\n')).toEqual(['0', '1', '2'])
})

describe('a file is refused', () => {
  const inspect = (command: string) => runner.inspect({ command, user: lab.allow(command).user })
  const refused = (message: RegExp) => ({ name: 'ProcessRefusal', message: expect.stringMatching(message) })

  it('that is a link, behind one, missing, a folder or not executable', async () => {
    const path = await lab.script('real', 'true')
    await symlink(path, join(lab.folder, 'link'))
    await symlink(lab.folder, join(lab.folder, 'behind'))
    await expect(inspect(join(lab.folder, 'link'))).rejects.toMatchObject(refused(/is a link.*\/real/))
    await expect(inspect(join(lab.folder, 'behind/real'))).rejects.toMatchObject(refused(/is a link/))
    await expect(inspect(join(lab.folder, 'none'))).rejects.toMatchObject(refused(/is not there/))
    await expect(inspect(lab.folder)).rejects.toMatchObject(refused(/is not a file/))
    await chmod(path, 0o644)
    await expect(inspect(path)).rejects.toMatchObject(refused(/not executable/))
  })

  it('that others may change, or that runs as somebody else', async () => {
    const path = await lab.script('open', 'true')
    await chmod(path, 0o775)
    await expect(inspect(path)).rejects.toMatchObject(refused(/changed by other users \(mode 775\)/))
    await chmod(path, 0o1777)
    await expect(inspect(path)).rejects.toMatchObject(refused(/changed by other users \(mode 1777\)/))
    await chmod(path, 0o4755)
    await expect(inspect(path)).rejects.toMatchObject(refused(/setuid/))
    await chmod(path, 0o755)
    await chmod(lab.folder, 0o777)
    await expect(inspect(path)).rejects.toMatchObject(refused(/changed by other users/))
    await chmod(lab.folder, 0o755)
    await expect(inspect(path)).resolves.toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('for a user whom the machine or the worker does not have', async () => {
    const command = await lab.script('whom', 'true')
    await expect(runner.inspect({ command, user: 'nobody-here' })).rejects.toMatchObject(refused(/no user nobody-here/))
    const other = process.getuid?.() === 0 ? undefined : 'root'
    await expect(runner.inspect({ command, user: other })).rejects.toMatchObject(refused(/root/))
  })
})
