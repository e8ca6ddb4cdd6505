/**
 * Runs one process in a group of its own, and ends the whole group with it, or when the standard input ends: the worker closes that to
 * cancel, and its death closes it as well. The report goes to descriptor 3; output goes straight to whom started the supervisor.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'

/** How often strays are looked for: one may start another while it is being ended. */
const MOST_ROUNDS = 20

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
  if (end >= 0) stop = begin(JSON.parse(received.slice(0, end)))
})
let released = false
let over = () => {
  released = true
}
process.stdin.on('close', () => {
  over()
  stop?.()
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop?.())

/** @param {Order} order */
function begin({ file, args, cwd, env, mark, grace_ms, stdin, uid, gid }) {
  const owner = uid === undefined || gid === undefined ? {} : { uid, gid }
  const child = spawn(file, args, {
    ...{ cwd, detached: true, stdio: [stdin === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'], ...owner },
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
    killGroup('SIGKILL')
    killStrays(mark)
    report(end)
    // the worker may look at the files until it lets go
    over = () => rmSync(cwd, { recursive: true, force: true })
    if (released) over()
  }

  /** @param {NodeJS.Signals} signal */
  function killGroup(signal) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // nothing of it is left
    }
  }

  return () => {
    if (ended || last !== undefined) return
    killGroup('SIGTERM')
    last = setTimeout(() => killGroup('SIGKILL'), grace_ms)
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

/**
 * What left the group has the mark in its environment still, unless it took it out.
 * @param {string} mark
 */
function killStrays(mark) {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const strays = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasMark(name, mark))
    if (strays.length === 0) return
    for (const pid of strays) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // it has ended by itself
      }
    }
  }
}

/**
 * @param {string} pid
 * @param {string} mark
 */
function hasMark(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${mark}=1`)
  } catch {
    return false
  }
}
