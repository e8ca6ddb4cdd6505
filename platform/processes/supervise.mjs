/**
 * Runs one process in a group of its own, and ends the whole group with it, or when the standard input ends: the worker closes that to
 * cancel, and its death closes it as well. The report goes to descriptor 3; output goes straight to whom started the supervisor.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { killGroup, killStrays } from './kill-processes.mjs'

/** O_CLOEXEC */
const CLOSES_ON_EXEC = 0o2000000

/**
 * @typedef {object} Order
 * @property {string} file
 * @property {string[]} args
 * @property {string} cwd removed at the end
 * @property {Record<string, string>} env
 * @property {string} mark a variable of the environment by which what left the group is found
 * @property {number} grace_ms
 * @property {string} [stdin]
 * @property {number} [uid]
 * @property {number} [gid]
 */

let received = ''
/** @type {((why?: unknown) => void) | undefined} */
let stop

process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  if (stop !== undefined) return
  received += chunk
  const end = received.indexOf('\n')
  if (end >= 0) stop = start(JSON.parse(received.slice(0, end)))
})
let released = false
let release = () => {
  released = true
}
process.stdin.on('close', () => {
  release()
  stop?.()
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop?.())

closeInherited()

/** @param {Order} order */
function start({ file, args, cwd, env, mark, grace_ms, stdin, uid, gid }) {
  const owner = uid === undefined || gid === undefined ? {} : { uid, gid }
  const child = spawn(file, args, {
    cwd,
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'],
    ...owner,
    env: { ...env, [mark]: '1' },
  })
  let ended = false
  /** @type {NodeJS.Timeout | undefined} */
  let last
  if (child.pid !== undefined) report({ pid: child.pid })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin)
  child.on('error', (error) => finish({ error: error.message }))
  child.on('exit', (code, signal) => finish({ code, signal }))

  /** @param {object} end */
  function finish(end) {
    if (ended) return
    ended = true
    clearTimeout(last)
    killGroup(child.pid, 'SIGKILL')
    killStrays(mark)
    report(end)
    // the worker may look at the files until it lets go
    release = () => spawnSync('/bin/rm', ['-rf', '--', cwd], { env: {} })
    if (released) release()
  }

  return () => {
    if (ended || last !== undefined) return
    killGroup(child.pid, 'SIGTERM')
    last = setTimeout(() => killGroup(child.pid, 'SIGKILL'), grace_ms)
  }
}

/** Descriptors that whoever started the worker left open would be handed on. Those of Node close by themselves. */
function closeInherited() {
  for (const fd of readdirSync('/proc/self/fd')
    .map(Number)
    .filter((each) => each > 3)) {
    try {
      const [, flags = '0'] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
      if ((Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0) closeSync(fd)
    } catch {
      // the one by which they were listed
    }
  }
}

/** @param {object} said */
function report(said) {
  try {
    writeSync(3, `${JSON.stringify(said)}\n`)
  } catch {
    // the worker is gone
  }
}
